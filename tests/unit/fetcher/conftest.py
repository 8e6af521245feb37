"""A fetcher's core on memory for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.worlds.fetcher import FetcherWorld


@pytest.fixture
async def world() -> AsyncIterator[FetcherWorld]:
    async with FetcherWorld.opened() as opened:
        yield opened
