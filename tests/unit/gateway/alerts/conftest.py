"""A gateway whose news a test writes."""

from collections.abc import AsyncIterator

import pytest

from tests.unit.gateway.alerts.world import NewsWorld, news_world


@pytest.fixture
async def world() -> AsyncIterator[NewsWorld]:
    async with news_world() as opened:
        yield opened
