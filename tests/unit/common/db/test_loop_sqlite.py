"""SQLite without thread hops: same locks, same durability, a loop that never stands still."""

import asyncio
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from scops.common.db.database import Database, sqlite_url


async def count(database: Database) -> int:
    async with database.reading() as connection:
        return int((await connection.execute(text("SELECT count(*) FROM t"))).scalar_one())


async def filled(url: str) -> Database:
    database = Database(url)
    async with database.transaction() as connection:
        await connection.execute(text("CREATE TABLE t (x INTEGER)"))
    return database


async def test_a_committed_row_is_seen_by_another_connection(tmp_path: Path) -> None:
    """A commit is whole and visible to every process once the transaction has ended."""
    first = await filled(sqlite_url(tmp_path / "a.db"))
    second = Database(first.address)
    async with first.transaction() as connection:
        await connection.execute(text("INSERT INTO t VALUES (1)"))
        before = await count(second)

    assert (0, 1) == (before, await count(second))
    await first.close()
    await second.close()


async def test_a_writer_waits_for_another_process_without_holding_the_loop(
    tmp_path: Path,
) -> None:
    """While the writer's lock is taken elsewhere, other tasks go on; then it is our turn."""
    first = await filled(sqlite_url(tmp_path / "a.db"))
    second = Database(first.address)
    steps: list[str] = []

    async def wait_and_write() -> None:
        async with second.transaction() as connection:
            steps.append("second")
            await connection.execute(text("INSERT INTO t VALUES (2)"))

    async with first.transaction() as connection:
        await connection.execute(text("INSERT INTO t VALUES (1)"))
        waiting = asyncio.create_task(wait_and_write())
        await asyncio.sleep(0.1)
        steps.append("first")
    await waiting

    assert ["first", "second"] == steps
    assert 2 == await count(first)
    await first.close()
    await second.close()


async def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    """An exception rolls back, and the connection serves on."""
    database = await filled(sqlite_url(tmp_path / "a.db"))
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as connection:
            await connection.execute(text("INSERT INTO t VALUES (1)"))
            raise ZeroDivisionError
    async with database.transaction() as connection:
        await connection.execute(text("INSERT INTO t VALUES (2)"))

    assert 1 == await count(database)
    await database.close()


async def test_cancelled_writers_leave_a_usable_database(tmp_path: Path) -> None:
    """Whenever a task is cancelled, what it wrote is there whole or not at all."""
    database = await filled(sqlite_url(tmp_path / "a.db"))

    async def write() -> None:
        async with database.transaction() as connection:
            await connection.execute(text("INSERT INTO t VALUES (1), (2)"))

    for turns in range(12):
        task = asyncio.create_task(write())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    rows = await count(database)
    await write()

    assert 0 == rows % 2
    assert rows + 2 == await count(database)
    await database.close()


async def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    """A reader inside another's transaction sees the state before it, at once."""
    database = await filled(sqlite_url(tmp_path / "a.db"))
    async with database.transaction() as connection:
        await connection.execute(text("INSERT INTO t VALUES (1)"))

        assert 0 == await asyncio.wait_for(count(database), 1)
    await database.close()


async def test_statements_start_no_thread() -> None:
    """A database in memory lives in the caller's thread alone."""
    before = set(threading.enumerate())
    database = await filled("sqlite://")
    async with database.transaction() as connection:
        await connection.execute(text("INSERT INTO t VALUES (1)"))

    assert before == set(threading.enumerate())
    assert 1 == await count(database)
    await database.close()
