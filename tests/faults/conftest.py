"""Stores, and systems on them, which are ended whatever happens."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scops.common.contract.organisations import MAIN
from tests.e2e.separate_roles import SeparateRoles, Servers
from tests.fakes.servers.postgres import PostgresServer, postgres_server
from tests.fakes.servers.weaviate import WeaviateServer

READY_SECONDS = 600.0


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server


@pytest.fixture
def weaviate(tmp_path: Path) -> Iterator[WeaviateServer]:
    """A Weaviate that may be killed."""
    server = WeaviateServer(tmp_path / "weaviate").start()
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture
def new_roles(
    tmp_path: Path, postgres: PostgresServer, weaviate: WeaviateServer
) -> Iterator[Callable[..., SeparateRoles]]:
    """Makes systems of separate roles, with the keywords of `SeparateRoles`."""
    systems: list[SeparateRoles] = []

    def make(name: str, **options: object) -> SeparateRoles:
        stores = Servers(postgres, weaviate.settings)
        # Alone on its stores, and named as an earlier version names what it has there.
        made = SeparateRoles(tmp_path / name, stores, organisation_id=MAIN, **options)  # type: ignore[arg-type]
        systems.append(made)
        # Fourteen processes, of which some start all the time, on few cores.
        systems[-1].ready_seconds = READY_SECONDS
        return systems[-1]

    yield make
    for system in systems:
        system.kill()
