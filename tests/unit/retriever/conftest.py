"""A retriever on an empty index."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.worlds.retriever import Retrieving


@pytest.fixture
async def world() -> AsyncIterator[Retrieving]:
    created = await Retrieving.create()
    yield created
    await created.pages.close()
