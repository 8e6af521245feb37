"""Transactions of one service's state."""

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from datetime import datetime
from typing import Protocol

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from scops.common.contract.errors import InvalidInput, StoreBusy, StoreUnavailable
from scops.common.contract.store_faults import StoreFault, os_fault, sqlite_fault
from scops.common.db.address import Address, address_of, sqlite_url
from scops.common.db.connection import Connection
from scops.common.db.postgres import errors
from scops.common.db.sqlite.loop_connection import MEMORY, LoopSqlite

__all__ = ["Database", "Effect", "sqlite_url"]

BUSY_TIMEOUT_SECONDS = 30
FILE_ADVICE = "Check its folder, its rights and its free space; the work is retried."
# When the statement runs, not when its transaction began.
SERVER_TIME = text("SELECT clock_timestamp()")
Effect = Callable[[str], Awaitable[None]]
DriverErrors = tuple[type[Exception], ...]


async def _no_effect(name: str) -> None:
    return None


class Database:
    """One service's state.

    Args:
        address: of a SQLite file, of a memory (one connection), or of a schema on a server.
        effect: awaited with `<name>.begin` before and `<name>.commit` after each transaction;
            the simulation stops, reorders and crashes handlers there.
    """

    def __init__(
        self,
        address: str | Address,
        *,
        name: str = "state",
        effect: Effect = _no_effect,
    ) -> None:
        self.address = address_of(address)
        self.name = name
        self._effect = effect
        self._store = _store(self.address, name)

    @asynccontextmanager
    async def transaction(self, *, gives_way: bool = False) -> AsyncIterator[Connection]:
        """Opens a writing transaction; it commits at the end, or rolls back on an exception.

        On SQLite one transaction writes at a time. On a server several do, each statement sees
        what was committed before it, and locks of rows hold until the end.

        Args:
            gives_way: it takes locks in another order than the rest; on a server it ends rather
                than wait for one of them.

        Raises:
            StoreUnavailable: the database does not answer.
            StoreBusy: another transaction held rows for too long, or this one had to give way.
        """
        await self._effect(f"{self.name}.begin")
        with _translated(self.name, self.address, self._store.errors):
            async with self._store.writing(gives_way=gives_way) as connection:
                yield connection
        await self._effect(f"{self.name}.commit")

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        """Opens a transaction that only reads, all of it at one instant, and waits for nobody."""
        with _translated(self.name, self.address, self._store.errors):
            async with self._store.reading() as connection:
                yield connection

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncIterator[None]:
        """Waits until no other process holds the lock of this name, and holds it.

        It is no transaction and keeps nobody else from reading or writing. A process that dies
        holds it no longer. A SQLite file belongs to one process, where nothing is asked.

        Raises:
            StoreUnavailable: the database does not answer.
            StoreBusy: another process held it for too long.
        """
        with _translated(self.name, self.address, self._store.errors):
            async with self._store.alone(name):
                yield

    async def scrub(self) -> None:
        """Leaves nothing of deleted rows beside a SQLite file, where deleted rows are overwritten.

        A server keeps them until it vacuums its tables and reuses its log.

        Raises:
            StoreUnavailable: the database does not answer.
        """
        with _translated(self.name, self.address, self._store.errors):
            await self._store.scrub()

    @property
    def has_clock(self) -> bool:
        """Whether it tells a time that all who use it share: a server does, a file does not."""
        return self.address.is_server

    async def clock(self) -> datetime:
        """Returns what the server's clock says.

        Raises:
            StoreUnavailable: the database does not answer.
        """
        async with self.reading() as connection:
            told: datetime = (await connection.execute(SERVER_TIME)).scalar_one()
        return told

    async def close(self) -> None:
        """Closes every connection; none may be in use."""
        await self._store.close()


class _Store(Protocol):
    """Where transactions are opened.

    Attributes:
        errors: what statements and connections fail with.
    """

    errors: DriverErrors

    def writing(self, *, gives_way: bool) -> AbstractAsyncContextManager[Connection]: ...

    def reading(self) -> AbstractAsyncContextManager[Connection]: ...

    def alone(self, name: str) -> AbstractAsyncContextManager[None]: ...

    async def scrub(self) -> None: ...

    async def close(self) -> None: ...


def _store(address: Address, name: str) -> _Store:
    if address.is_server:
        from scops.common.db.postgres.server import ServerStore

        return ServerStore(address, name=name)
    return LoopSqlite(address.parsed().database or MEMORY, busy_seconds=BUSY_TIMEOUT_SECONDS)


@contextmanager
def _translated(name: str, address: Address, driver_errors: DriverErrors) -> Iterator[None]:
    """Turns errors of a database that is away, locked, full or set up wrongly into the tree's.

    What is not known as the fault of a statement is the database's.
    """
    try:
        yield
    except driver_errors as error:
        if errors.state_of(error) in errors.BUSY_STATES:
            raise StoreBusy(
                f"Another transaction on {name} was in the way: {_cause(error)}. "
                "Nothing was written; the work is retried.",
            ) from error
        if errors.state_of(error) == errors.UNSTORABLE_STATE:
            raise InvalidInput(
                f"A text for {name} holds the character U+0000, which no text needs; leave it out.",
                reason="NUL_CHARACTER",
            ) from error
        fault = errors.fault(error) if address.is_server else _file_fault(error)
        if fault is None:
            raise
        what_next = errors.advice(error) if address.is_server else FILE_ADVICE
        raise StoreUnavailable(
            f"The database of {name} ({address}) did not do it: {_cause(error)}. {what_next}",
            reason="DATABASE_UNAVAILABLE",
            fault=fault,
        ) from error


def _file_fault(error: Exception) -> StoreFault | None:
    """Returns what is wrong with a file that is locked, full or away; None for a bug."""
    if isinstance(error, OSError):
        return os_fault(error)
    if isinstance(error, DBAPIError) and isinstance(error.orig, sqlite3.Error):
        return sqlite_fault(error.orig)
    return sqlite_fault(error) if isinstance(error, sqlite3.Error) else None


def _cause(error: Exception) -> str:
    """Returns what a driver said, without the statement and its parameters."""
    cause = getattr(error, "orig", None) or error
    said = cause.args[0] if isinstance(cause, SQLAlchemyError) and cause.args else cause
    return (str(said) or type(cause).__name__).removesuffix(".")
