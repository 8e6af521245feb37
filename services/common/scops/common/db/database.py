"""Transactions of one service's state."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol, cast

from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from scops.common.db.loop_sqlite import MEMORY, LoopSqlite
from scops.common.errors import StoreUnavailable

BUSY_TIMEOUT_SECONDS = 30
Effect = Callable[[str], Awaitable[None]]


async def _no_effect(name: str) -> None:
    return None


class Database:
    """One service's state.

    Args:
        url: `sqlite+aiosqlite:///path` or `sqlite+aiosqlite://` (memory, one connection).
        effect: awaited with `<name>.begin` before and `<name>.commit` after each transaction;
            the simulation stops, reorders and crashes handlers there.
    """

    def __init__(
        self,
        url: str,
        *,
        name: str = "state",
        effect: Effect = _no_effect,
    ) -> None:
        self.url = url
        self._name = name
        self._effect = effect
        self._store = _store(url)
        self._writer = asyncio.Lock()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Opens a writing transaction; it commits at the end, or rolls back on an exception.

        Writers of one process take turns; across processes SQLite's or PostgreSQL's locks hold.

        Raises:
            StoreUnavailable: the database does not answer or is locked for too long.
        """
        await self._effect(f"{self._name}.begin")
        try:
            async with self._writer, self._store.writing() as connection:
                yield connection
        except (DBAPIError, sqlite3.OperationalError) as error:
            if _is_passing(error):
                raise _unavailable(self._name, error) from error
            raise
        await self._effect(f"{self._name}.commit")

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Opens a transaction that only reads; it never waits for writers."""
        try:
            async with self._store.reading() as connection:
                yield connection
        except (DBAPIError, sqlite3.OperationalError) as error:
            if _is_passing(error):
                raise _unavailable(self._name, error) from error
            raise

    async def close(self) -> None:
        await self._store.close()


class _Store(Protocol):
    """Where transactions are opened."""

    def writing(self) -> AbstractAsyncContextManager[AsyncConnection]: ...

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]: ...

    async def close(self) -> None: ...


class _EngineStore:
    """A database server behind SQLAlchemy's asyncio engine."""

    def __init__(self, url: str) -> None:
        self._engine = create_async_engine(url, pool_pre_ping=True)

    def writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._engine.begin()

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._engine.begin()

    async def close(self) -> None:
        await self._engine.dispose()


def sqlite_url(path: Path) -> str:
    """Returns the URL of a SQLite file; its folder is created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return f"sqlite+aiosqlite:///{path}"


def _store(url: str) -> _Store:
    if not url.startswith("sqlite"):
        return _EngineStore(url)
    path = make_url(url).database or MEMORY
    # Adapters use of a connection what both kinds have.
    return cast(_Store, LoopSqlite(path, busy_seconds=BUSY_TIMEOUT_SECONDS))


def _is_passing(error: Exception) -> bool:
    """Returns whether the database is away, locked or full, rather than used wrongly."""
    return type(error).__name__ == "OperationalError" or (
        isinstance(error, DBAPIError) and error.connection_invalidated
    )


def _unavailable(name: str, error: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        f"The database of {name} did not answer: {getattr(error, 'orig', error)}. "
        "Check its folder, free space or address; the work is retried.",
        reason="DATABASE_UNAVAILABLE",
    )
