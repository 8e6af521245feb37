"""Two processes on one index, on each database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scops.common.db.address import Address
from scops.common.db.database import Database, sqlite_url
from scops.indexer.ports import IndexerPorts
from tests.fakes.servers.postgres_states import PostgresStates
from tests.fakes.worlds.index import IndexWorld

Pair = tuple[IndexWorld, IndexerPorts]


@pytest.fixture(params=["memory", "file", "postgresql"])
async def pair(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Pair]:
    """Two processes on one index: (world of the first, ports of the second)."""
    if request.param == "memory":
        world = await IndexWorld.create()
        yield world, world.new_ports(world.database)
        await world.close()
        return
    address: str | Address = sqlite_url(tmp_path / "indexer.db")
    if request.param == "postgresql":
        states: PostgresStates = request.getfixturevalue("postgres")
        address = states.address("indexer")
    world = await IndexWorld.create(address=address)
    second = Database(address, name="second")
    yield world, world.new_ports(second)
    await second.close()
    await world.close()
