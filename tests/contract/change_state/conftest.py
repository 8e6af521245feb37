"""Every adapter of the change-detector's timelines, and every database of its state."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scops.change_detector.adapters.sql_timelines import SqlTimelines
from scops.change_detector.adapters.tables import metadata
from scops.change_detector.ports import Timelines
from scops.common.db.database import Database, sqlite_url
from tests.fakes.memory_timelines import MemoryTimelines
from tests.fakes.servers.postgres_states import PostgresStates


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
async def timelines(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Timelines]:
    """Yields empty timelines."""
    if request.param == "memory":
        yield MemoryTimelines()
        return
    database = await _database(request, tmp_path)
    yield SqlTimelines(database)
    await database.close()


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """Yields an empty database."""
    database = await _database(request, tmp_path)
    yield database
    await database.close()


async def _database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    if request.param == "postgresql":
        states: PostgresStates = request.getfixturevalue("postgres")
        return Database(states.address("change_detector"))
    database = Database(sqlite_url(tmp_path / "change.db"))
    async with database.transaction() as connection:
        await connection.run_sync(metadata.create_all)
    return database
