"""SQLite without a thread hop for each call: what costs microseconds runs where it is asked for.

aiosqlite hands every call of a cursor to a thread, about five for a statement; the hand-over costs
more than the statement. Here statements run at once, and only what waits for the disk or for
another process goes to a thread: a commit that changed something, and the writer's lock when
somebody else holds it.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import aiosqlite

MEMORY = ":memory:"
WRITER_BEGIN = "BEGIN IMMEDIATE"
FETCH_ROWS = 64
# Commits of different databases wait for the disk side by side.
COMMIT_THREADS = 4

_committers = ThreadPoolExecutor(COMMIT_THREADS, thread_name_prefix="sqlite-commit")


class InlineQueue:
    """Stands where the driver hands calls to its thread, and runs them at once."""

    def put_nowait(self, item: tuple[asyncio.Future[Any] | None, Callable[[], Any]]) -> None:
        future, function = item
        try:
            result = function()
        except Exception as error:  # noqa: BLE001 (whatever the call raises is the caller's)
            if future is not None:
                future.set_exception(error)
        else:
            if future is not None:
                future.set_result(result)


class InlineConnection(aiosqlite.Connection):
    """A connection whose thread is never started.

    Args:
        path: of the file, or `:memory:`.
        busy_seconds: how long the writer's lock is waited for, and any other lock.
    """

    def __init__(self, path: str, *, busy_seconds: float) -> None:
        super().__init__(lambda: _connect(path, busy_seconds), FETCH_ROWS)
        self._tx: Any = InlineQueue()
        self._durable = path != MEMORY
        self._busy_milliseconds = int(busy_seconds * 1000)
        self._changes_at_begin = 0

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not self._running or not self._connection:
            raise ValueError("Connection closed")
        if args and args[0] == WRITER_BEGIN:
            return await self._begin(fn)
        return fn(*args, **kwargs)

    async def _begin(self, execute: Callable[..., Any]) -> Any:
        """Takes the writer's lock, in a thread where another process holds it."""
        connection = self._conn
        self._changes_at_begin = connection.total_changes
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            return execute(WRITER_BEGIN)
        except sqlite3.OperationalError:
            pass
        finally:
            connection.execute(f"PRAGMA busy_timeout = {self._busy_milliseconds}")
        # What is not the lock is raised again by the second try.
        return await _in_thread(lambda: execute(WRITER_BEGIN))

    async def commit(self) -> None:
        """Commits; waits for the disk where something changed."""
        connection = self._conn
        if self._durable and connection.total_changes != self._changes_at_begin:
            await _in_thread(connection.commit)
        else:
            connection.commit()


async def open_inline(path: str, *, busy_seconds: float) -> InlineConnection:
    """Opens a connection to a file, or to a database of its own in memory."""
    connection = InlineConnection(path, busy_seconds=busy_seconds)
    await connection._connect()
    return connection


def _connect(path: str, busy_seconds: float) -> sqlite3.Connection:
    # Statements and commits take turns, in two threads.
    return sqlite3.connect(path, timeout=busy_seconds, check_same_thread=False)


async def _in_thread(call: Callable[[], Any]) -> Any:
    """Runs a call in a thread; a cancelled caller leaves only when the call has ended."""
    running = asyncio.get_running_loop().run_in_executor(_committers, call)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
