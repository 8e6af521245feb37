"""One running system for all ways, and one stand-in for each of those that ask."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.imports.api_ways import (
    Asking,
    Feed,
    MediaWiki,
    OfFirecrawl,
    OfGithub,
    OfStackExchange,
)
from tests.e2e.imports.own_ways import Captures, Files, Lines, Warc
from tests.e2e.imports.ways import Source
from tests.e2e.system import System
from tests.fakes.servers.firecrawl import KEY
from tests.fakes.servers.origin import Origin, running

OWN: tuple[type[Source], ...] = (Files, Lines, Captures)
ASKING: tuple[type[Source], ...] = (Warc, MediaWiki, OfGithub, OfStackExchange, OfFirecrawl, Feed)
OpenSource = Callable[[type[Source], str], Any]


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, tuple[Origin, Any]]]:
    """The origin of each way, and what stands on it."""
    with ExitStack() as held:
        found = {}
        for way in (*OWN, *ASKING):
            origin = held.enter_context(running(Origin(validators=False)))
            stand_in = way.stand_in(origin) if issubclass(way, Asking) else None
            found[way.way] = (origin, stand_in)
        yield found


@pytest.fixture(scope="session")
def system(
    tmp_path_factory: pytest.TempPathFactory, servers: dict[str, tuple[Origin, Any]]
) -> Iterator[System]:
    """A system with a scope for each way."""
    with System(tmp_path_factory.mktemp("imports")) as running_system:
        running_system.environment["FIRECRAWL_API_KEY"] = KEY
        for way in (*OWN, *ASKING):
            rules = [
                word for rule in way.rules(servers[way.way][0]) for word in ("--include", rule)
            ]
            rules += ["--exclude", way.excluded] if way.excluded else []
            done = running_system.run("scope", "create", way.way, *rules)
            assert 0 == done.code, done.err
        yield running_system


@pytest.fixture
def open_source(
    system: System, servers: dict[str, tuple[Origin, Any]], tmp_path: Path
) -> OpenSource:
    """Gives a test pages of its own, by a way and a word that is a part of their URLs."""

    def opened(way: type[Source], name: str) -> Source:
        origin, stand_in = servers[way.way]
        origin.clear_log()
        more = {"server": stand_in} if issubclass(way, Asking) else {}
        folder = tmp_path / "pages"
        folder.mkdir()
        return way(name=name, folder=folder, system=system, origin=origin, **more)

    return opened


@pytest.fixture
def ear() -> Iterator[Origin]:
    """A server on every address of this machine, which nobody may ask."""
    with running(Origin(host="0.0.0.0")) as origin:
        yield origin


@pytest.fixture
def inside(ear: Origin) -> str:
    """A URL at an address that is not public, and that nobody named."""
    return f"http://127.0.0.2:{ear.url.rpartition(':')[2]}/secret"
