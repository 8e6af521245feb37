"""Transactions of one service's state."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import StaticPool

from scops.common.db.inline_sqlite import MEMORY, open_inline
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
        self._engine = _engine(url)
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
            async with self._writer, self._engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            if error.connection_invalidated or _is_operational(error):
                raise _unavailable(self._name, error) from error
            raise
        await self._effect(f"{self._name}.commit")

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Opens a transaction that only reads; it never waits for writers."""
        try:
            async with self._engine.connect() as plain:
                connection = await plain.execution_options(scops_reading=True)
                async with connection.begin():
                    yield connection
        except DBAPIError as error:
            if error.connection_invalidated or _is_operational(error):
                raise _unavailable(self._name, error) from error
            raise

    async def close(self) -> None:
        await self._engine.dispose()

    @property
    def engine(self) -> AsyncEngine:
        return self._engine


def sqlite_url(path: Path) -> str:
    """Returns the URL of a SQLite file; its folder is created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return f"sqlite+aiosqlite:///{path}"


def _engine(url: str) -> AsyncEngine:
    if not url.startswith("sqlite"):
        return create_async_engine(url, pool_pre_ping=True)
    path = make_url(url).database or MEMORY
    options: dict[str, Any] = {"poolclass": StaticPool} if path == MEMORY else {}
    inline = partial(open_inline, path, busy_seconds=BUSY_TIMEOUT_SECONDS)
    engine = create_async_engine(url, async_creator=inline, **options)
    event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: Any) -> None:
    """Turns implicit transactions off and durability on; see the SQLAlchemy pysqlite notes."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Any) -> None:
    reading = connection.get_execution_options().get("scops_reading", False)
    # IMMEDIATE takes the writer's lock at once: a transaction never fails half-way on it.
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _is_operational(error: DBAPIError) -> bool:
    return type(error).__name__ == "OperationalError"


def _unavailable(name: str, error: DBAPIError) -> StoreUnavailable:
    return StoreUnavailable(
        f"The database of {name} did not answer: {error.orig}. "
        "Check its folder, free space or address; the work is retried.",
        reason="DATABASE_UNAVAILABLE",
    )
