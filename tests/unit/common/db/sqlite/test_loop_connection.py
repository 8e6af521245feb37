"""SQLite without thread hops: same locks, same durability, a loop that never stands still."""

import asyncio
import gc
import sqlite3
import threading
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from sqlalchemy import text

from scops.common.contract.errors import StoreUnavailable
from scops.common.db.database import Database, sqlite_url
from scops.common.db.sqlite import loop_connection


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


async def test_a_crowd_of_readers_leaves_few_connections(tmp_path: Path) -> None:
    """Each that stays holds pages in memory; those that stay serve on."""
    before = _connections()
    database = await filled(sqlite_url(tmp_path / "a.db"))
    async with AsyncExitStack() as crowd:
        for _ in range(5 * loop_connection.IDLE_MAX):
            await crowd.enter_async_context(database.reading())
        together = _connections() - before

    assert (5 * loop_connection.IDLE_MAX, loop_connection.IDLE_MAX) == (
        together,
        _connections() - before,
    )
    assert 0 == await count(database)
    await database.close()
    assert before == _connections()


def _connections() -> int:
    gc.collect()
    return sum(isinstance(each, sqlite3.Connection) for each in gc.get_objects())


async def test_statements_start_no_thread() -> None:
    """A database in memory lives in the caller's thread alone."""
    before = set(threading.enumerate())
    database = await filled("sqlite://")
    async with database.transaction() as connection:
        await connection.execute(text("INSERT INTO t VALUES (1)"))

    assert before == set(threading.enumerate())
    assert 1 == await count(database)
    await database.close()


async def test_writers_that_wait_share_a_commit(tmp_path: Path) -> None:
    """Twenty transactions that come at once are on the disk after a few commits, in their order."""
    database = await filled(sqlite_url(tmp_path / "a.db"))
    commits = 0

    def note(*_: object) -> None:
        nonlocal commits
        commits += 1

    async def write(number: int) -> None:
        async with database.transaction() as connection:
            await connection.run_sync(
                lambda c: c.connection.driver_connection.set_trace_callback(
                    lambda statement: note() if statement == "COMMIT" else None
                )
            )
            await connection.execute(text(f"INSERT INTO t VALUES ({number})"))

    await asyncio.gather(*(write(number) for number in range(20)))
    async with database.reading() as connection:
        rows = (await connection.execute(text("SELECT x FROM t ORDER BY rowid"))).scalars().all()

    assert list(range(20)) == rows
    assert 1 <= commits <= 3
    await database.close()


async def test_a_failure_takes_back_its_own_part_of_a_commit(tmp_path: Path) -> None:
    """Of transactions that share a commit, one that fails leaves nothing and the others stay."""
    database = await filled(sqlite_url(tmp_path / "a.db"))

    async def write(number: int) -> None:
        async with database.transaction() as connection:
            await connection.execute(text(f"INSERT INTO t VALUES ({number})"))
            if number % 3 == 0:
                raise ZeroDivisionError

    ended = await asyncio.gather(*(write(number) for number in range(9)), return_exceptions=True)
    async with database.reading() as connection:
        rows = (await connection.execute(text("SELECT x FROM t ORDER BY x"))).scalars().all()

    assert [1, 2, 4, 5, 7, 8] == rows
    assert [True, False, False] * 3 == [isinstance(one, ZeroDivisionError) for one in ended]
    await database.close()


async def test_nobody_returns_before_the_shared_commit(tmp_path: Path) -> None:
    """Once a transaction has returned, another connection sees what it wrote."""
    database = await filled(sqlite_url(tmp_path / "a.db"))
    seen: list[bool] = []

    async def write(number: int) -> None:
        async with database.transaction() as connection:
            await connection.execute(text(f"INSERT INTO t VALUES ({number})"))
        async with database.reading() as connection:
            found = await connection.execute(text(f"SELECT 1 FROM t WHERE x = {number}"))
            seen.append(found.first() is not None)

    await asyncio.gather(*(write(number) for number in range(20)))

    assert [True] * 20 == seen
    await database.close()


async def test_cancelled_members_leave_no_commit_open(tmp_path: Path) -> None:
    """Members of a shared commit that are cancelled hold the writer's lock no longer."""
    database = await filled(sqlite_url(tmp_path / "a.db"))

    async def write(number: int) -> None:
        async with database.transaction() as connection:
            await connection.execute(text(f"INSERT INTO t VALUES ({number})"))

    for turns in range(12):
        tasks = [asyncio.create_task(write(number)) for number in range(4)]
        for _ in range(turns):
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    other = Database(database.address)
    async with asyncio.timeout(5), other.transaction() as connection:
        await connection.execute(text("INSERT INTO t VALUES (100)"))
    await write(101)

    assert await count(database) == await count(other)
    await other.close()
    await database.close()


async def test_a_commit_that_fails_fails_for_every_member(tmp_path: Path) -> None:
    """Who shared a commit that the database refuses is told so, and none of it is kept."""
    database = await filled(sqlite_url(tmp_path / "a.db"))
    async with database.transaction() as connection:
        await connection.execute(text("CREATE TABLE child (x REFERENCES parent (x))"))
        await connection.execute(text("CREATE TABLE parent (x INTEGER PRIMARY KEY)"))

    async def write(number: int) -> None:
        async with database.transaction() as connection:
            await connection.execute(text(f"INSERT INTO t VALUES ({number})"))
            if number == 1:
                # The constraint is looked at when the whole is committed, not with its savepoint.
                await connection.execute(text("PRAGMA defer_foreign_keys = ON"))
                await connection.execute(text("INSERT INTO child VALUES (7)"))

    ended = await asyncio.gather(*(write(number) for number in range(4)), return_exceptions=True)
    async with database.reading() as connection:
        kept = (await connection.execute(text("SELECT x FROM t"))).scalars().all()
    told = [number for number, one in enumerate(ended) if isinstance(one, StoreUnavailable)]

    assert 1 in told
    assert len(told) > 1
    assert sorted(kept) == [number for number in range(4) if number not in told]
    await write(9)
    assert await count(database) == len(kept) + 1
    await database.close()


async def test_a_full_disk_is_told_to_whoever_it_hit(tmp_path: Path) -> None:
    """Who returned is kept and who failed is not, also where the database took all of it back."""
    database = await filled(sqlite_url(tmp_path / "a.db"))

    async def write(number: int) -> None:
        async with database.transaction() as connection:
            await connection.execute(text(f"INSERT INTO t VALUES ({number})"))
            if number == 2:
                await connection.execute(text("PRAGMA max_page_count = 3"))
                await connection.execute(text("INSERT INTO t VALUES (zeroblob(100000))"))

    ended = await asyncio.gather(*(write(number) for number in range(4)), return_exceptions=True)
    async with database.reading() as connection:
        kept = (await connection.execute(text("SELECT x FROM t"))).scalars().all()

    assert isinstance(ended[2], StoreUnavailable)
    assert sorted(kept) == [number for number, one in enumerate(ended) if one is None]
    await database.close()


async def test_a_commit_goes_on_when_who_waits_for_it_is_cancelled_twice(tmp_path: Path) -> None:
    """However often the member that commits is cancelled, the others learn what became of it."""
    database = await filled(sqlite_url(tmp_path / "a.db"))
    go_on = threading.Event()
    # The disk is slow: nobody's commit begins before this is over.
    slow = [
        loop_connection._committers.submit(go_on.wait)
        for _ in range(loop_connection.COMMIT_THREADS)
    ]

    async def write(number: int) -> None:
        async with database.transaction() as connection:
            await connection.execute(text(f"INSERT INTO t VALUES ({number})"))

    tasks = [asyncio.create_task(write(number)) for number in range(3)]
    for _ in range(3):
        await asyncio.sleep(0.02)
        tasks[0].cancel()
    go_on.set()
    ended = await asyncio.gather(*tasks, return_exceptions=True)

    assert [True] * len(slow) == [one.result() for one in slow]
    assert [None, None] == ended[1:]
    assert isinstance(ended[0], asyncio.CancelledError)
    assert 3 == await count(database)
    await database.close()
