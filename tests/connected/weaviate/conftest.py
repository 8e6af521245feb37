"""A Weaviate of its own for each test, because these tests end it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from scops.libraries.index.weaviate import connection
from tests.fakes.servers.weaviate import WeaviateServer
from tests.fakes.worlds.index_on_weaviate import WeaviateWorld


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WeaviateServer]:
    """A running server."""
    server = WeaviateServer(tmp_path / "weaviate").start()
    yield server
    server.kill()


@pytest.fixture
async def world(
    server: WeaviateServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[WeaviateWorld]:
    """The indexer on that server, provisioned; it gives up early on a server that is away."""
    monkeypatch.setattr(connection, "QUERY_SECONDS", 5.0)
    monkeypatch.setattr(connection, "WRITE_SECONDS", 20.0)
    world = await WeaviateWorld.on(server)
    yield world
    await world.close()
