"""Locks of processes that hang, or whose machine is gone: nobody holds one for hours."""

import asyncio
import socket
from typing import Any

import pytest
from sqlalchemy import text

from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.common.db.postgres import server
from tests.fakes.servers.postgres_states import PostgresStates

# A lost machine is noticed before this, on both ends of a connection.
NOTICED_SECONDS = 60
ASKED = ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count")


def _address(postgres: PostgresStates) -> Address:
    return Address(url=postgres.server.new_database())


async def _shown(database: Database, names: tuple[str, ...]) -> list[str]:
    async with database.transaction() as connection:
        return [(await connection.execute(text(f"SHOW {name}"))).scalar_one() for name in names]


async def test_the_server_notices_a_machine_that_is_gone(postgres: PostgresStates) -> None:
    """Every connection asks it to look after its other end, and to end what is not answered."""
    database = Database(_address(postgres), name="locks")
    idle, interval, count = map(int, await _shown(database, ASKED))
    (unacknowledged,) = await _shown(database, ("tcp_user_timeout",))
    await database.close()

    assert 0 < idle + interval * count < NOTICED_SECONDS
    assert 0 < int(unacknowledged) < NOTICED_SECONDS * 1000


async def test_this_end_notices_a_server_that_is_gone(postgres: PostgresStates) -> None:
    """The sockets of the pool ask too: no lock is waited for on a way that is cut."""
    database = Database(_address(postgres), name="locks")
    async with database.transaction() as connection:
        raw: Any = await connection.get_raw_connection()  # type: ignore[attr-defined]
        end = raw.driver_connection._transport.get_extra_info("socket")
        found = {
            name: end.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))
            for name in ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT", "TCP_USER_TIMEOUT")
        }
        asks = end.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    await database.close()

    assert asks == 1
    silent = found["TCP_KEEPIDLE"] + found["TCP_KEEPINTVL"] * found["TCP_KEEPCNT"]
    assert silent < NOTICED_SECONDS
    assert found["TCP_USER_TIMEOUT"] < NOTICED_SECONDS * 1000


async def test_a_holder_that_hangs_loses_its_lock(
    postgres: PostgresStates, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that asks for nothing any more while it holds the relay's lock is ended by the server."""
    monkeypatch.setattr(server, "IDLE_WITH_LOCK_SECONDS", 0.5)
    address = _address(postgres)
    hanging, other = Database(address, name="hanging"), Database(address, name="other")
    held, over = asyncio.Event(), asyncio.Event()

    async def hang() -> None:
        async with hanging.alone("outbox"):
            held.set()
            await over.wait()

    holder = asyncio.create_task(hang())
    await held.wait()
    async with asyncio.timeout(5), other.alone("outbox"):
        pass
    over.set()
    ended = await asyncio.gather(holder, return_exceptions=True)
    await hanging.close()
    await other.close()

    assert isinstance(ended[0], Exception)


async def test_who_gave_the_lock_back_may_idle(
    postgres: PostgresStates, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound holds for the time of the lock; in the pool a connection waits for long."""
    monkeypatch.setattr(server, "IDLE_WITH_LOCK_SECONDS", 0.3)
    database = Database(_address(postgres), name="locks")
    async with database.alone("outbox"):
        pass
    (bound,) = await _shown(database, ("idle_session_timeout",))
    await database.close()

    assert bound == "0"
