"""The roles as parts: what settings, state and composition each brings."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import scops.change_detector.service
import scops.explainer.service
import scops.extractor.service
import scops.fetcher.service
import scops.gateway.service
import scops.indexer.service
import scops.retriever.service
from scops.change_detector.settings import ChangeDetectorSettings
from scops.common.contract import Role
from scops.common.platform import Platform
from scops.common.service import Service
from scops.common.settings import CommonSettings, ServiceSettings
from scops.explainer.settings import ExplainerSettings
from scops.extractor.settings import ExtractorSettings
from scops.fetcher.settings import FetcherSettings
from scops.gateway.settings import GatewaySettings
from scops.indexer.settings import IndexerSettings
from scops.retriever.settings import RetrieverSettings
from scops.standalone.settings import CommandSettings

Build = Callable[[Any, Platform], Service]


@dataclass(frozen=True, slots=True)
class Part:
    """A role, its settings and how it is built.

    Attributes:
        database: name of its state; empty for a role without any.
        migrations: the folder of its schema's revisions; None without state.
    """

    role: Role
    settings: type[ServiceSettings]
    build: Build
    database: str = ""
    migrations: Path | None = None

    @property
    def reads_index(self) -> bool:
        """Whether it opens the chunk store and the heads."""
        return self.role in (Role.INDEXER, Role.RETRIEVER)


def _stateful(role: Role, settings: type[ServiceSettings], module: ModuleType) -> Part:
    return Part(role, settings, module.build, module.DATABASE, module.MIGRATIONS)


PARTS: tuple[Part, ...] = (
    _stateful(Role.FETCHER, FetcherSettings, scops.fetcher.service),
    Part(Role.EXTRACTOR, ExtractorSettings, scops.extractor.service.build),
    _stateful(Role.CHANGE_DETECTOR, ChangeDetectorSettings, scops.change_detector.service),
    _stateful(Role.INDEXER, IndexerSettings, scops.indexer.service),
    Part(Role.RETRIEVER, RetrieverSettings, scops.retriever.service.build),
    Part(Role.EXPLAINER, ExplainerSettings, scops.explainer.service.build),
    _stateful(Role.GATEWAY, GatewaySettings, scops.gateway.service),
)


def parts_of(roles: tuple[Role, ...]) -> tuple[Part, ...]:
    """Returns the parts of some roles, in the order of the way of the data."""
    return tuple(part for part in PARTS if part.role in roles)


def settings_classes(parts: tuple[Part, ...]) -> tuple[type[ServiceSettings], ...]:
    """Returns the settings that a process with these parts knows."""
    return (CommonSettings, CommandSettings, *(part.settings for part in parts))


def foreign_prefixes(parts: tuple[Part, ...]) -> tuple[str, ...]:
    """Returns the prefixes of the settings of all other roles."""
    return tuple(
        str(part.settings.model_config.get("env_prefix")) for part in PARTS if part not in parts
    )
