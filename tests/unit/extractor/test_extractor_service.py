"""The service as it is put together."""

from scops.common.archive.opening import open_archive
from scops.common.contract.service_table import Role, consumed_by
from scops.extractor.pipeline import OWN_VERSION, PIPELINE_VERSION
from scops.extractor.ports import ExtractorPorts
from scops.extractor.router import build_router
from tests.fakes.extraction import InlineParser


def test_subscriptions_are_those_of_the_service_table() -> None:
    """The service consumes exactly what the contract says."""
    consumed = {contract.message for contract in consumed_by(Role.EXTRACTOR)}

    ports = ExtractorPorts(archive=open_archive("memory://", "main"), parser=InlineParser())

    assert set(build_router(ports, concurrency=1).handlers) == consumed


def test_pipeline_version_names_the_library() -> None:
    """Another release of trafilatura is another pipeline."""
    assert PIPELINE_VERSION.startswith(f"extract-{OWN_VERSION}+trafilatura-2.")
