"""Every adapter of the change-detector's timelines."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scops.change_detector.adapters.sql_timelines import SqlTimelines
from scops.change_detector.adapters.tables import metadata
from scops.change_detector.ports import Timelines
from scops.common.db.database import Database, sqlite_url
from tests.fakes.memory_timelines import MemoryTimelines


@pytest.fixture(params=["memory", "sqlite"])
async def timelines(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Timelines]:
    """Yields empty timelines."""
    if request.param == "memory":
        yield MemoryTimelines()
        return
    database = Database(sqlite_url(tmp_path / "change.db"))
    async with database.transaction() as connection:
        await connection.run_sync(metadata.create_all)
    yield SqlTimelines(database)
    await database.close()
