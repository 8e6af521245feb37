"""SQLite on the event loop: what costs microseconds runs where it is asked for.

A driver thread costs five hand-overs for a statement, and SQLAlchemy's asyncio layer a greenlet
for each; both cost more than the statement. Here SQLAlchemy's synchronous core runs in the loop,
and only what waits for the disk or for another process goes to a thread: a commit that changed
something, and the writer's lock when somebody else holds it.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy import Executable, create_engine
from sqlalchemy.engine import Connection, CursorResult, Dialect
from sqlalchemy.engine.cursor import FullyBufferedCursorFetchStrategy
from sqlalchemy.pool import NullPool

MEMORY = ":memory:"
WRITER_BEGIN = "BEGIN IMMEDIATE"
PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON")
# Commits of different databases wait for the disk side by side.
COMMIT_THREADS = 4

T = TypeVar("T")

_committers = ThreadPoolExecutor(COMMIT_THREADS, thread_name_prefix="sqlite-commit")


class LoopConnection:
    """A `Connection` on a synchronous one.

    SQLAlchemy holds one endless transaction on it, which sends nothing to a driver in autocommit
    mode; those that count are begun and ended on the driver's own connection.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.driver: Any = connection.connection.driver_connection

    @property
    def dialect(self) -> Dialect:
        return self._connection.dialect

    async def execute(
        self,
        statement: Executable,
        parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> CursorResult[*tuple[Any, ...]]:
        """Runs a statement and fetches its rows, as asynchronous drivers do."""
        result = self._connection.execute(statement, parameters)
        if result.returns_rows:
            result.cursor_strategy = FullyBufferedCursorFetchStrategy(result.cursor)
        return result

    async def run_sync(self, fn: Callable[..., T], *arg: Any) -> T:
        """Calls a function with the synchronous connection."""
        return fn(self._connection, *arg)

    def close(self) -> None:
        self._connection.close()


class LoopSqlite:
    """One SQLite database, with as many connections as are used at once.

    Args:
        path: of the file, or `:memory:` for a database on one connection.
        busy_seconds: how long a lock of another process is waited for.
    """

    def __init__(self, path: str, *, busy_seconds: float) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._engine = create_engine("sqlite://", creator=self._open, poolclass=NullPool)
        # Within a process writers wait here, not in threads for the file's lock.
        self._writer = asyncio.Lock()
        self._idle: list[LoopConnection] = []
        self._opened: list[LoopConnection] = []

    @asynccontextmanager
    async def writing(self, *, gives_way: bool = False) -> AsyncIterator[LoopConnection]:
        """Opens a transaction with the writer's lock; it commits, or rolls back.

        Args:
            gives_way: means nothing here: with the writer's lock it waits for nobody.
        """
        async with self._writer, self._taken() as connection:
            changes = connection.driver.total_changes
            await self._begin_writing(connection.driver)
            yield connection
            await self._commit(connection.driver, changes)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[LoopConnection]:
        """Opens a transaction that only reads."""
        async with self._taken() as connection:
            connection.driver.execute("BEGIN")
            yield connection

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncIterator[None]:
        """Holds nothing: the file belongs to one process."""
        yield

    async def close(self) -> None:
        """Closes every connection; none may be in use."""
        for connection in self._opened:
            connection.close()
        self._opened.clear()
        self._idle.clear()
        self._engine.dispose()

    @asynccontextmanager
    async def _taken(self) -> AsyncIterator[LoopConnection]:
        """Lends a connection; what is still begun at the end is rolled back."""
        connection = self._idle.pop() if self._idle else self._connected()
        try:
            yield connection
        finally:
            if connection.driver.in_transaction:
                connection.driver.rollback()
            self._idle.append(connection)

    def _connected(self) -> LoopConnection:
        # A second connection to memory would be another database.
        assert self._path != MEMORY or not self._opened, "transactions in memory do not overlap"
        connection = LoopConnection(self._engine.connect())
        self._opened.append(connection)
        return connection

    def _open(self) -> sqlite3.Connection:
        # Statements and commits take turns, in two threads.
        driver = sqlite3.connect(
            self._path,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,
        )
        for pragma in PRAGMAS:
            driver.execute(f"PRAGMA {pragma}")
        return driver

    async def _begin_writing(self, driver: sqlite3.Connection) -> None:
        """Takes the writer's lock, in a thread where another process holds it.

        IMMEDIATE takes it at once: a transaction never fails half-way on it.
        """
        driver.execute("PRAGMA busy_timeout = 0")
        try:
            driver.execute(WRITER_BEGIN)
            return
        except sqlite3.OperationalError:
            pass
        finally:
            driver.execute(f"PRAGMA busy_timeout = {int(self._busy_seconds * 1000)}")
        # What is not the lock is raised again by the second try.
        await _in_thread(lambda: driver.execute(WRITER_BEGIN))

    async def _commit(self, driver: sqlite3.Connection, changes: int) -> None:
        """Commits; waits for the disk where something changed."""
        if self._path != MEMORY and driver.total_changes != changes:
            await _in_thread(driver.commit)
        else:
            driver.commit()


async def _in_thread(call: Callable[[], Any]) -> Any:
    """Runs a call in a thread; a cancelled caller leaves only when the call has ended."""
    running = asyncio.get_running_loop().run_in_executor(_committers, call)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
