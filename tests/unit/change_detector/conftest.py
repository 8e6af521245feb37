"""A change-detector without observations, with small chunks."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.worlds.change import ChangeWorld, sql_world


@pytest.fixture
async def world() -> AsyncIterator[ChangeWorld]:
    made = await sql_world()
    yield made
    await made.close()
