"""The roles as parts: what settings, state and composition each brings.

A part is imported where it is used: a process that runs one role does without the libraries of
the others, 35 MB for a fetcher.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from scops.common.config.settings import PREFIX, CommonSettings, ServiceSettings
from scops.common.contract.service_table import Role
from scops.common.runtime.platform import Platform
from scops.common.runtime.service import Service
from scops.standalone.settings import CallerSettings, CommandSettings


@dataclass(frozen=True, slots=True)
class RolePart:
    """A role in a package that has the rooms of every service, named after it.

    Attributes:
        stateful: whether it has a database of its own.
    """

    role: Role
    stateful: bool = False

    @property
    def env_prefix(self) -> str:
        """The prefix of the variables that set it; known without importing it."""
        return f"{PREFIX}{self._package.upper()}_"

    @property
    def settings(self) -> type[ServiceSettings]:
        """The class of its settings."""
        name = "".join(word.capitalize() for word in self._package.split("_"))
        kind: type[ServiceSettings] = getattr(self._room("settings"), f"{name}Settings")
        return kind

    @property
    def database(self) -> str:
        """The name of its state; empty for a role without any."""
        return str(self._room("service").DATABASE) if self.stateful else ""

    @property
    def migrations(self) -> Path | None:
        """The folder of its schema's revisions; None without state."""
        return Path(self._room("service").MIGRATIONS) if self.stateful else None

    @property
    def reads_index(self) -> bool:
        """Whether it opens the chunk store and the heads."""
        return self.role in (Role.INDEXER, Role.RETRIEVER)

    def load(self) -> None:
        """Imports it whole, with the metrics and errors that it declares."""
        self._room("service")

    def build(self, settings: ServiceSettings, platform: Platform) -> Service:
        """Composes the service.

        Raises:
            InvalidInput: settings that do not go together.
        """
        service: Service = self._room("service").build(settings, platform)
        return service

    @property
    def _package(self) -> str:
        return self.role.value.replace("-", "_")

    def _room(self, name: str) -> ModuleType:
        return import_module(f"scops.{self._package}.{name}")


PARTS: tuple[RolePart, ...] = (
    RolePart(Role.FETCHER, stateful=True),
    RolePart(Role.EXTRACTOR),
    RolePart(Role.CHANGE_DETECTOR, stateful=True),
    RolePart(Role.INDEXER, stateful=True),
    RolePart(Role.RETRIEVER),
    RolePart(Role.EXPLAINER),
    RolePart(Role.GATEWAY, stateful=True),
)


def parts_of(roles: tuple[Role, ...]) -> tuple[RolePart, ...]:
    """Returns the parts of some roles, in the order of the way of the data."""
    return tuple(part for part in PARTS if part.role in roles)


def settings_classes(parts: tuple[RolePart, ...]) -> tuple[type[ServiceSettings], ...]:
    """Returns the settings that a process with these parts knows."""
    return (CommonSettings, CommandSettings, CallerSettings, *(part.settings for part in parts))


def foreign_prefixes(parts: tuple[RolePart, ...]) -> tuple[str, ...]:
    """Returns the prefixes of the settings of all other roles."""
    return tuple(part.env_prefix for part in PARTS if part not in parts)
