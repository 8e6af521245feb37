"""Composes the explainer."""

from scops.common.contract import Role
from scops.common.platform import Platform
from scops.common.service import Service
from scops.explainer.adapters.archive_texts import ArchiveTexts
from scops.explainer.adapters.bundle_key import bundle_key
from scops.explainer.ports import Ports
from scops.explainer.router import queries
from scops.explainer.settings import ExplainerSettings


def build(settings: ExplainerSettings, platform: Platform) -> Service:
    """Returns the explainer on the shared ports of a process."""
    ports = Ports(
        query_client=platform.query_client,
        texts=ArchiveTexts(platform.archive, bytes_max=settings.texts_bytes_max),
        embedder=platform.embedder,
        clock=platform.clock,
        settings=settings,
        bundle_key=bundle_key(
            settings.bundle_key.get_secret_value(),
            platform.common.data_dir / "explainer" / "bundle.key",
        ),
    )
    return Service(role=Role.EXPLAINER, queries=queries(ports))
