"""A server that is away, ends in the middle, refuses or is slow: said clearly, and nothing lost."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, text

import scops.fetcher
from scops.common.bus.ports import Outgoing
from scops.common.contract.errors import StoreBusy, StoreUnavailable
from scops.common.contract.ids import EventId, JobId
from scops.common.contract.messages.crawl import CancelJob
from scops.common.contract.service_table import Lane
from scops.common.db.address import Address, ServerBounds
from scops.common.db.database import Database
from scops.common.db.migrate import upgrade
from scops.common.db.outbox import enqueue
from scops.common.db.schema import schema_check
from scops.fetcher.adapters.sql.tables import outbox
from tests.fakes.clock import START
from tests.fakes.patience import patiently
from tests.fakes.servers.postgres import PASSWORD, PostgresServer
from tests.fakes.servers.postgres_states import PostgresStates

MIGRATIONS = Path(next(iter(scops.fetcher.__path__))) / "migrations"
QUICK = ServerBounds(
    pool_size=2,
    connect_timeout_seconds=1.0,
    statement_timeout_seconds=1.0,
    lock_timeout_seconds=0.2,
)
WRITERS = 4
ROWS = 60


def fetcher_of(url: str, bounds: ServerBounds = QUICK) -> Address:
    return Address(url=url, schema="scops_fetcher", bounds=bounds)


async def add(database: Database, name: str) -> None:
    command = Outgoing(
        message=CancelJob(job_id=JobId(name)),
        event_id=EventId(name),
        organisation_id="main",
        lane=Lane.NOW,
    )
    async with database.transaction() as connection:
        await enqueue(connection, outbox, command, now=START)


async def names(database: Database) -> list[str]:
    async with database.reading() as connection:
        statement = select(outbox.c.event_id).order_by(outbox.c.event_id)
        return [row.event_id for row in await connection.execute(statement)]


async def test_a_start_without_a_server_is_unready_until_it_comes(mortal: PostgresServer) -> None:
    """The check says where it looked and what to do, never the password; then it passes."""
    address = fetcher_of(mortal.new_database())
    mortal.stop()
    database = Database(address, name="fetcher")
    check = schema_check(database, MIGRATIONS, name="fetcher")
    with pytest.raises(StoreUnavailable, match="SCOPS_DATABASE_URL") as away:
        await check.probe()
    with pytest.raises(StoreUnavailable, match="SCOPS_DATABASE_URL") as unmigrated:
        await asyncio.to_thread(upgrade, address, MIGRATIONS)
    mortal.start()
    missing = await check.probe()
    await asyncio.to_thread(upgrade, address, MIGRATIONS)

    assert f"127.0.0.1:{mortal.port}" in str(away.value)
    assert PASSWORD not in f"{away.value} {unmigrated.value} {address!r} {address}"
    assert missing is not None
    assert "scops provision" in missing
    assert await check.probe() is None
    await database.close()


async def test_a_crash_in_the_middle_is_transient_and_loses_nothing(mortal: PostgresServer) -> None:
    """Writers see passing errors alone, and what was committed before or after is there."""
    address = fetcher_of(mortal.new_database(), ServerBounds(pool_size=WRITERS))
    await asyncio.to_thread(upgrade, address, MIGRATIONS)
    database = Database(address, name="fetcher")
    told: list[str] = []

    async def write(writer: int) -> None:
        for number in range(ROWS):
            name = f"{writer}-{number:03}"
            await patiently(lambda name=name: add(database, name), told=told)  # type: ignore[misc]

    async def crash() -> None:
        while len(await names(database)) < ROWS:
            await asyncio.sleep(0)
        mortal.kill()
        await asyncio.sleep(0.3)
        await asyncio.to_thread(mortal.start)

    await asyncio.gather(crash(), *(write(writer) for writer in range(WRITERS)))

    assert told
    assert [f"{w}-{n:03}" for w in range(WRITERS) for n in range(ROWS)] == await names(database)
    await database.close()


async def test_a_restart_between_two_transactions_is_not_noticed(mortal: PostgresServer) -> None:
    """Connections that ended in the pool are replaced before they are used."""
    address = fetcher_of(mortal.new_database())
    await asyncio.to_thread(upgrade, address, MIGRATIONS)
    database = Database(address, name="fetcher")
    await add(database, "before")
    await asyncio.to_thread(mortal.stop)
    await asyncio.to_thread(mortal.start)
    await add(database, "after")

    assert ["after", "before"] == await names(database)
    await database.close()


@pytest.mark.parametrize(
    ("broken", "what_next"),
    [
        ("user", "Check user and password"),
        ("database", "Create the database"),
        ("schema", "scops provision"),
    ],
)
async def test_a_wrong_address_says_what_is_wrong(
    postgres: PostgresStates, broken: str, what_next: str
) -> None:
    """Whoever set it up is told; messages are kept, for nothing is wrong with them."""
    good = postgres.url()
    address = {
        "user": fetcher_of(good.replace(PASSWORD, "open")),
        "database": fetcher_of(good + "x"),
        "schema": replace(fetcher_of(good), schema="scops_nobody"),
    }[broken]
    database = Database(address, name="fetcher")
    with pytest.raises(StoreUnavailable, match=what_next):
        await add(database, "x")
    await database.close()


async def test_every_wait_is_bounded(postgres: PostgresStates) -> None:
    """For rows that another one holds, for a slow statement, for a free connection."""
    address = fetcher_of(postgres.url())
    database = Database(address, name="fetcher")
    await add(database, "row")
    hold = select(outbox).with_for_update()
    async with database.transaction() as connection:
        await connection.execute(hold)
        with pytest.raises(StoreBusy):
            async with database.transaction() as other:
                await other.execute(hold)
        with pytest.raises(StoreUnavailable, match="statement timeout"):
            async with database.transaction() as other:
                await other.execute(text("SELECT pg_sleep(20)"))
        async with database.reading() as other:
            await other.execute(select(outbox))
            with pytest.raises(StoreUnavailable, match="POOL_SIZE"):
                await names(database)
    await add(database, "another")

    assert ["another", "row"] == await names(database)
    await database.close()


async def test_a_transaction_that_gives_way_does_so_at_once(postgres: PostgresStates) -> None:
    """It ends long before the lock's timeout; the next one of its connection waits again."""
    address = fetcher_of(postgres.url(), ServerBounds(pool_size=2, lock_timeout_seconds=30.0))
    database = Database(address, name="fetcher")
    await add(database, "row")
    hold = select(outbox).with_for_update()
    async with asyncio.timeout(5), database.transaction() as connection:
        await connection.execute(hold)
        with pytest.raises(StoreBusy):
            async with database.transaction(gives_way=True) as other:
                await other.execute(hold)
        async with database.reading() as other:
            waits = (await other.execute(text("SHOW lock_timeout"))).scalar_one()

    assert "30s" == waits
    await database.close()


async def test_a_deadlock_ends_one_of_two_and_is_transient(postgres: PostgresStates) -> None:
    """The other one goes on."""
    address = fetcher_of(postgres.url(), ServerBounds())
    database = Database(address, name="fetcher")
    for name in ("a", "b"):
        await add(database, name)
    both_hold = asyncio.Barrier(2)

    async def take(first: str, second: str) -> str:
        try:
            async with database.transaction() as connection:
                for place, name in enumerate((first, second)):
                    wanted = select(outbox).where(outbox.c.event_id == name).with_for_update()
                    await connection.execute(wanted)
                    if place == 0:
                        await both_hold.wait()
        except StoreBusy:
            return "busy"
        return "done"

    assert ["busy", "done"] == sorted(await asyncio.gather(take("a", "b"), take("b", "a")))
    await database.close()


async def test_a_lock_goes_with_the_process_that_held_it(postgres: PostgresStates) -> None:
    """A relay that died does not keep the next one waiting."""
    address = fetcher_of(postgres.url(), ServerBounds(lock_timeout_seconds=5.0))
    dying, living = Database(address, name="dying"), Database(address, name="living")
    kill = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name = 'scops dying'"
    )
    with pytest.raises(StoreUnavailable):
        async with dying.alone("outbox"):
            postgres.server.execute(kill)
            async with living.alone("outbox"):
                pass
    async with dying.alone("outbox"):
        pass
    await dying.close()
    await living.close()


async def test_a_reading_transaction_sees_one_instant(postgres: PostgresStates) -> None:
    """What is committed between two of its statements is in neither."""
    database = Database(fetcher_of(postgres.url()), name="fetcher")
    async with database.reading() as connection:
        before = (await connection.execute(select(outbox))).all()
        await add(database, "meanwhile")
        after = (await connection.execute(select(outbox))).all()

    assert [] == before == after
    await database.close()
