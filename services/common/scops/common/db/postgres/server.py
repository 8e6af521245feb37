"""State on a PostgreSQL server: a pool of connections.

Imported where there is one: what it needs of SQLAlchemy is a good part of a process that has none.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from sqlalchemy import event, text
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from scops.common.db.address import Address, ServerBounds

# Firewalls forget connections that were silent for long.
CONNECTION_AGE_SECONDS = 1800
# Statements that differ in the number of their parameters count each.
STATEMENTS_PREPARED_MAX = 500
# The server gives up first, with an error that names the statement's fault.
COMMAND_MARGIN_SECONDS = 5.0
# A process that hangs or is cut off must not hold its locks for ever: not in a transaction, and not
# with a lock outside of one (asked of servers from version 14 on, who know it). One that works with
# such a lock for long, as where a stream is full, asks the server so often that it keeps it.
IDLE_IN_TRANSACTION_SECONDS = 60.0
IDLE_WITH_LOCK_SECONDS = 15.0
SIGNS_OF_LIFE = 4
# A machine that is gone without a word: both ends ask after so long a silence, so often, and end
# the connection, and with it its locks, after 25 s. Systems ask after two hours by default.
KEEPALIVE_IDLE_SECONDS = 10
KEEPALIVE_INTERVAL_SECONDS = 5
KEEPALIVE_COUNT = 3
# The same for what was sent and is not acknowledged.
UNACKNOWLEDGED_SECONDS = 25

# A transaction that gives way waits for nobody: should it wait when another has waited for what it
# holds for as long as the server's `deadlock_timeout`, it is the other that is ended.
GIVE_WAY = text("SET LOCAL lock_timeout = '1ms'")
_LIMIT_IDLING = (
    "CASE WHEN current_setting('server_version_num')::int >= 140000 "
    "THEN set_config('idle_session_timeout', :of_milliseconds, false) END"
)
TAKE_LOCK = text(f"SELECT pg_advisory_lock(hashtextextended(:of_lock, 0)), {_LIMIT_IDLING}")
# In the pool the session may idle again for as long as it likes.
FREE_LOCK = text(f"SELECT pg_advisory_unlock(hashtextextended(:of_lock, 0)), {_LIMIT_IDLING}")
SIGN_OF_LIFE = text("SELECT 1")


class ServerStore:
    """Transactions on one schema of a server.

    Reading transactions see one instant; writing ones see what was committed when each of their
    statements began, so whoever reads to write locks the rows first.
    """

    # While a connection is made, nobody wraps those of the driver.
    errors: tuple[type[Exception], ...] = (
        SQLAlchemyError,
        OSError,
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
    )

    def __init__(self, address: Address, *, name: str) -> None:
        self._engine = open_engine(address, name=name)
        self._readers = self._engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        self._idlers = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._schema = address.schema

    @asynccontextmanager
    async def writing(self, *, gives_way: bool) -> AsyncIterator[AsyncConnection]:
        """Opens a transaction; it commits, or rolls back."""
        async with self._engine.begin() as connection:
            if gives_way:
                await connection.execute(GIVE_WAY)
            yield connection

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Opens a transaction that only reads."""
        async with self._readers.connect() as connection:
            yield connection

    @asynccontextmanager
    async def alone(self, name: str) -> AsyncIterator[None]:
        """Waits for a lock of the schema, and holds it without a transaction."""
        lock = f"scops {self._schema} {name}"
        bounded = {"of_lock": lock, "of_milliseconds": _milliseconds(IDLE_WITH_LOCK_SECONDS)}
        async with self._idlers.connect() as connection:
            await connection.execute(TAKE_LOCK, bounded)
            over = asyncio.Event()
            living = asyncio.create_task(_show_life(connection, over), name="lock kept")
            try:
                yield
            finally:
                over.set()
                # A connection answers one at a time; one that has ended says so here.
                await living
                await connection.execute(FREE_LOCK, {**bounded, "of_milliseconds": "0"})

    async def scrub(self) -> None:
        """Does nothing: the server vacuums its tables by itself."""

    async def close(self) -> None:
        """Closes every connection."""
        await self._engine.dispose()


async def _show_life(connection: AsyncConnection, over: asyncio.Event) -> None:
    """Lets no server take a process that works, with a lock that it holds, for one that hangs."""
    while not over.is_set():
        try:
            async with asyncio.timeout(IDLE_WITH_LOCK_SECONDS / SIGNS_OF_LIFE):
                await over.wait()
        except TimeoutError:
            await connection.execute(SIGN_OF_LIFE)


def open_engine(address: Address, *, name: str) -> AsyncEngine:
    """Returns an engine whose connections live in the address's schema.

    Args:
        name: shown to operators by the server.

    Raises:
        InvalidInput: the authorities to trust cannot be read.
    """
    bounds = address.bounds
    session = {
        "application_name": f"{address.sessions} {name}",
        "statement_timeout": _milliseconds(bounds.statement_timeout_seconds),
        "lock_timeout": _milliseconds(bounds.lock_timeout_seconds),
        "idle_in_transaction_session_timeout": _milliseconds(IDLE_IN_TRANSACTION_SECONDS),
        "tcp_keepalives_idle": str(KEEPALIVE_IDLE_SECONDS),
        "tcp_keepalives_interval": str(KEEPALIVE_INTERVAL_SECONDS),
        "tcp_keepalives_count": str(KEEPALIVE_COUNT),
        "tcp_user_timeout": _milliseconds(UNACKNOWLEDGED_SECONDS),
        # Every statement is small: compiling one to machine code costs more than running it.
        "jit": "off",
    }
    if address.schema:
        session["search_path"] = address.schema
    engine = create_async_engine(
        address.parsed(),
        pool_size=bounds.pool_size,
        max_overflow=0,
        pool_timeout=bounds.connect_timeout_seconds,
        pool_recycle=CONNECTION_AGE_SECONDS,
        connect_args={
            "timeout": bounds.connect_timeout_seconds,
            "command_timeout": _command_timeout(bounds),
            "prepared_statement_cache_size": STATEMENTS_PREPARED_MAX,
            "server_settings": session,
            "ssl": address.privacy(),
        },
    )
    event.listen(engine.sync_engine, "connect", _keep_alive)
    event.listen(engine.sync_engine, "checkout", _refuse_closed)
    return engine


def _keep_alive(connection: Any, record: Any) -> None:
    """Lets this end of a new connection notice a server, or a way to it, that is gone."""
    end = connection.driver_connection._transport.get_extra_info("socket")
    if end is None or end.family not in (socket.AF_INET, socket.AF_INET6):
        return
    end.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", KEEPALIVE_IDLE_SECONDS),
        ("TCP_KEEPINTVL", KEEPALIVE_INTERVAL_SECONDS),
        ("TCP_KEEPCNT", KEEPALIVE_COUNT),
        ("TCP_USER_TIMEOUT", UNACKNOWLEDGED_SECONDS * 1000),
    ):
        # Systems other than Linux lack some.
        if hasattr(socket, option):
            end.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


def _refuse_closed(connection: Any, record: Any, proxy: Any) -> None:
    """Replaces a connection that ended while it waited in the pool.

    The driver hears of the end at once, so nothing has to be asked over the network.
    """
    if record.driver_connection.is_closed():
        raise DisconnectionError("the server ended the connection")


def _command_timeout(bounds: ServerBounds) -> float | None:
    seconds = bounds.statement_timeout_seconds
    return seconds + COMMAND_MARGIN_SECONDS if seconds else None


def _milliseconds(seconds: float) -> str:
    return str(int(seconds * 1000))
