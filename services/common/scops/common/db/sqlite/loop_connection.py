"""SQLite on the event loop: what costs microseconds runs where it is asked for.

A driver thread costs five hand-overs for a statement, and SQLAlchemy's asyncio layer a greenlet
for each; both cost more than the statement. Here SQLAlchemy's synchronous core runs in the loop,
and only what waits for the disk or for another process goes to a thread: a commit that changed
something, and the writer's lock when somebody else holds it.

Transactions that wait for their turn while one ends share its commit, and so its wait for the
disk: each is a savepoint of one transaction of the database. None of them returns before that is
on the disk; one that fails takes back its own savepoint alone.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Executable, create_engine
from sqlalchemy.engine import Connection, CursorResult, Dialect
from sqlalchemy.engine.cursor import FullyBufferedCursorFetchStrategy
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from scops.common.runtime.prompt_loop import give_way

MEMORY = ":memory:"
WRITER_BEGIN = "BEGIN IMMEDIATE"
SAVEPOINT = "SAVEPOINT one"
RELEASE = "RELEASE one"
ROLLBACK = "ROLLBACK TO one"
# What is deleted is overwritten: a purged text must not stay in a free page.
PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "secure_delete = ON",
)
FOLD = "PRAGMA wal_checkpoint(TRUNCATE)"
BUFFERED = FullyBufferedCursorFetchStrategy
# Commits of different databases wait for the disk side by side.
COMMIT_THREADS = 4
# Connections that wait for their next use; each holds pages of its own, up to 2 MB. More are open
# only while they are used at once.
IDLE_MAX = 4

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
        """Runs a statement and fetches its rows, as asynchronous drivers do.

        Before it patient work gives way, so that many statements are no one step of the loop.
        """
        await give_way()
        result = self._connection.execute(statement, parameters)
        # Of several insertions SQLAlchemy has fetched the rows already.
        if result.returns_rows and not isinstance(result.cursor_strategy, BUFFERED):
            result.cursor_strategy = BUFFERED(result.cursor)
        return result

    async def run_sync(self, fn: Callable[..., T], *arg: Any) -> T:
        """Calls a function with the synchronous connection."""
        return fn(self._connection, *arg)

    def close(self) -> None:
        self._connection.close()


@dataclass(slots=True, eq=False)
class _Group:
    """Transactions that are committed together.

    Attributes:
        changes: rows that the connection had changed before.
        ended: whether it is committed or rolled back.
        error: why it was not committed; None where it was.
    """

    connection: LoopConnection
    changes: int
    ended: bool = False
    error: sqlite3.Error | None = None


class LoopSqlite:
    """One SQLite database, with as many connections as are used at once, and few that wait.

    Args:
        path: of the file, or `:memory:` for a database on one connection.
        busy_seconds: how long a lock of another process is waited for.
    """

    errors: tuple[type[Exception], ...] = (SQLAlchemyError, sqlite3.Error, OSError)

    def __init__(self, path: str, *, busy_seconds: float) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._engine = create_engine("sqlite://", creator=self._open, poolclass=NullPool)
        # Within a process writers wait here, not in threads for the file's lock.
        self._writer = asyncio.Lock()
        # A database in memory has one connection: its readers take turns with its writers.
        self._reader = self._writer if path == MEMORY else nullcontext()
        # Begun and not committed yet; whoever gets the writer's lock next joins or commits it.
        self._group: _Group | None = None
        self._idle: list[LoopConnection] = []
        self._opened: list[LoopConnection] = []

    @asynccontextmanager
    async def writing(self, *, gives_way: bool = False) -> AsyncIterator[LoopConnection]:
        """Opens a transaction with the writer's lock; it commits, or rolls back.

        Args:
            gives_way: means nothing here: with the writer's lock it waits for nobody.
        """
        group: _Group | None = None
        try:
            async with self._writer:
                group = await self._joined()
                try:
                    with _savepoint(group.connection.driver):
                        yield group.connection
                finally:
                    if self._path == MEMORY:
                        # Its only connection is free for readers as soon as the lock is.
                        await self._commit(group)
        finally:
            if group is not None:
                await self._settled(group)
        if group.error is not None:
            raise sqlite3.OperationalError(str(group.error)) from group.error

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[LoopConnection]:
        """Opens a transaction that only reads."""
        async with self._reader, self._taken() as connection:
            connection.driver.execute("BEGIN")
            yield connection

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncIterator[None]:
        """Holds nothing: the file belongs to one process."""
        yield

    async def scrub(self) -> None:
        """Folds the journal into the file; waits for whoever reads what is in it."""
        if self._path == MEMORY:
            return
        async with self._taken() as connection:
            await _in_thread(lambda: connection.driver.execute(FOLD).fetchall())

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
        connection = self._lent()
        try:
            yield connection
        finally:
            self._returned(connection)

    def _lent(self) -> LoopConnection:
        return self._idle.pop() if self._idle else self._connected()

    def _returned(self, connection: LoopConnection) -> None:
        if connection.driver.in_transaction:
            connection.driver.rollback()
        if len(self._idle) < IDLE_MAX:
            self._idle.append(connection)
            return
        self._opened.remove(connection)
        connection.close()

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

    async def _joined(self) -> _Group:
        """Returns the group that is begun, or begins one; the writer's lock is held."""
        if self._group is not None and not self._group.connection.driver.in_transaction:
            # A full disk, say, has ended it: nobody may join what is lost.
            await self._commit(self._group)
        if self._group is None:
            connection = self._lent()
            try:
                await self._begin_writing(connection.driver)
            except BaseException:
                self._returned(connection)
                raise
            self._group = _Group(connection, connection.driver.total_changes)
        return self._group

    async def _settled(self, group: _Group) -> None:
        """Returns when a group has ended; commits it unless somebody else did meanwhile.

        Whoever waits for the writer's lock by now comes before us and joins the group; whoever
        comes later waits for its commit. A cancelled caller leaves no group begun.
        """
        cancelled: asyncio.CancelledError | None = None
        while not group.ended:
            try:
                # Whoever is ready to write takes part.
                await asyncio.sleep(0)
                async with self._writer:
                    if not group.ended:
                        await self._commit(group)
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled

    async def _commit(self, group: _Group) -> None:
        """Commits a group; waits for the disk where something changed."""
        driver = group.connection.driver

        def commit() -> None:
            # Kept where the members look: who waits for the thread may be cancelled meanwhile.
            try:
                driver.commit()
            except sqlite3.Error as error:
                group.error = error

        try:
            if not driver.in_transaction:
                group.error = sqlite3.OperationalError("the database ended the transaction")
            elif self._path != MEMORY and driver.total_changes != group.changes:
                await _in_thread(commit)
            else:
                commit()
        finally:
            group.ended = True
            self._group = None
            self._returned(group.connection)


@contextmanager
def _savepoint(driver: sqlite3.Connection) -> Iterator[None]:
    """Keeps what is done inside, or takes back just that where it fails.

    Some failures, such as a full disk, end the whole transaction: nothing is left to take back.
    """
    driver.execute(SAVEPOINT)
    try:
        yield
    except BaseException:
        if driver.in_transaction:
            driver.execute(ROLLBACK)
            driver.execute(RELEASE)
        raise
    if driver.in_transaction:
        driver.execute(RELEASE)


async def _in_thread(call: Callable[[], Any]) -> Any:
    """Runs a call in a thread; a cancelled caller leaves only when the call has ended."""
    running = asyncio.get_running_loop().run_in_executor(_committers, call)
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        # Marked as seen: whoever asked for it is gone.
        running.exception()
        raise cancelled
    return running.result()
