"""Locks of processes that hang, or whose machine is gone: nobody holds one for hours."""

import asyncio
import multiprocessing
import os
import signal
import socket
from typing import Any

import pytest
from sqlalchemy import text

from scops.common.contract.errors import StoreUnavailable
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.common.db.postgres import server
from tests.fakes.servers.postgres_states import PostgresStates

# A lost machine is noticed before this, on both ends of a connection.
NOTICED_SECONDS = 60
# Whoever has a lock and is silent for so long is ended.
HANG_SECONDS = 1.0
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


def _hold(address: Address, idle_seconds: float, held: Any) -> None:
    """Takes the relay's lock in a process of its own, and keeps it until that is ended."""
    server.IDLE_WITH_LOCK_SECONDS = idle_seconds

    async def hold() -> None:
        async with Database(address, name="hanging").alone("outbox"):
            held.set()
            await asyncio.Event().wait()

    asyncio.run(hold())


async def test_a_holder_that_hangs_loses_its_lock(postgres: PostgresStates) -> None:
    """A process that asks for nothing any more, with the relay's lock, is ended by the server."""
    address, spawn = _address(postgres), multiprocessing.get_context("spawn")
    other, held = Database(address, name="other"), spawn.Event()
    holder = spawn.Process(target=_hold, args=(address, HANG_SECONDS, held))
    holder.start()
    assert await asyncio.to_thread(held.wait, 30)
    # While it works, it keeps the lock for longer than it might hang.
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2 * HANG_SECONDS), other.alone("outbox"):
            pass
    os.kill(holder.pid or 0, signal.SIGSTOP)
    async with asyncio.timeout(5 * HANG_SECONDS), other.alone("outbox"):
        pass
    holder.kill()
    await asyncio.to_thread(holder.join)
    await other.close()


async def test_a_holder_whose_session_was_ended_is_told(postgres: PostgresStates) -> None:
    """What it did meanwhile is taken for work that may have been done twice."""
    address = _address(postgres)
    database = Database(address, name="ended")
    kill = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'scops ended'"
    )
    with pytest.raises(StoreUnavailable):
        async with database.alone("outbox"):
            postgres.server.execute(kill)
    async with database.alone("outbox"):
        pass
    await database.close()


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
