"""An indexer on an empty index."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.worlds.index import IndexWorld


@pytest.fixture
async def world() -> AsyncIterator[IndexWorld]:
    world = await IndexWorld.create()
    yield world
    await world.close()
