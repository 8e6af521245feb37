"""Transactions, the outbox and the inbox on a real SQLite."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, func, select

from scops.common.bus.ports import Outgoing
from scops.common.contract.errors import StoreUnavailable, TransientError
from scops.common.contract.ids import EventId, JobId
from scops.common.contract.messages.crawl import CancelJob
from scops.common.contract.service_table import Lane
from scops.common.db import Database, UtcDateTime
from scops.common.db.database import sqlite_url
from scops.common.db.outbox import (
    enqueue,
    first_time,
    forget_seen,
    inbox_table,
    outbox_table,
    relay,
)
from tests.fakes.bus import RecordingPublisher
from tests.fakes.clock import ManualClock

AT = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
METADATA = MetaData()
OUTBOX = outbox_table(METADATA)
INBOX = inbox_table(METADATA)
INSTANTS = Table(
    "instants", METADATA, Column("id", Integer, primary_key=True), Column("at", UtcDateTime)
)


async def opened(tmp_path: Path) -> Database:
    database = Database(sqlite_url(tmp_path / "state" / "test.db"))
    async with database.transaction() as connection:
        await connection.run_sync(METADATA.create_all)
    return database


def cancel(name: str) -> Outgoing:
    """Returns one of the events about a job."""
    return Outgoing(
        message=CancelJob(job_id=JobId("job-1")),
        event_id=EventId(name),
        organisation_id="main",
        lane=Lane.NOW,
    )


async def count(database: Database, table: Table) -> int:
    async with database.reading() as connection:
        return int((await connection.execute(select(func.count()).select_from(table))).scalar_one())


async def test_an_exception_rolls_the_transaction_back(tmp_path: Path) -> None:
    """Nothing of a failed transaction is left."""
    database = await opened(tmp_path)
    with pytest.raises(ZeroDivisionError):
        async with database.transaction() as connection:
            await connection.execute(INSTANTS.insert().values(id=1, at=AT))
            _ = 1 / 0

    assert await count(database, INSTANTS) == 0
    await database.close()


async def test_instants_keep_their_microseconds(tmp_path: Path) -> None:
    """What is written is read, aware and in UTC."""
    database = await opened(tmp_path)
    async with database.transaction() as connection:
        await connection.execute(INSTANTS.insert().values(id=1, at=AT))
    async with database.reading() as connection:
        read = (await connection.execute(select(INSTANTS.c.at))).scalar_one()

    assert read == AT
    await database.close()


async def test_a_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    """Queries go on while a transaction is open."""
    database = await opened(tmp_path)
    async with database.transaction() as connection:
        await connection.execute(INSTANTS.insert().values(id=1, at=AT))

        assert await count(database, INSTANTS) == 0

    assert await count(database, INSTANTS) == 1
    await database.close()


async def test_the_relay_publishes_in_order_and_deletes_after_the_puback(tmp_path: Path) -> None:
    """A row leaves the outbox only once it is on the bus; a failure keeps it and the order."""
    database = await opened(tmp_path)
    async with database.transaction() as connection:
        for name in ("a", "b", "b"):
            await enqueue(connection, OUTBOX, cancel(name), now=AT)
    publisher = RecordingPublisher(failures=[TransientError("no PubAck")])
    with pytest.raises(TransientError):
        await relay(database, OUTBOX, publisher, clock=ManualClock())

    assert await count(database, OUTBOX) == 2
    assert await relay(database, OUTBOX, publisher, clock=ManualClock()) == 2
    assert [outgoing.event_id for outgoing in publisher.published] == ["a", "b"]
    assert publisher.published[0] == cancel("a")
    assert await count(database, OUTBOX) == 0
    await database.close()


async def test_the_inbox_tells_the_first_time_from_the_second(tmp_path: Path) -> None:
    """An effect that is not idempotent by key counts once; old rows go."""
    database = await opened(tmp_path)
    async with database.transaction() as connection:
        seen = [
            await first_time(connection, INBOX, consumer=who, event_id=EventId("e"), now=AT)
            for who in ("one", "one", "two")
        ]
        await forget_seen(connection, INBOX, now=AT + timedelta(days=9))

    assert seen == [True, False, True]
    assert await count(database, INBOX) == 0
    await database.close()


async def test_a_database_that_cannot_be_opened_is_transient_and_named() -> None:
    """The work is retried; the message says which store and what to check."""
    database = Database("sqlite:////nonexistent/folder/x.db", name="fetcher")
    with pytest.raises(StoreUnavailable, match="fetcher"):
        async with database.reading():
            pass
    await database.close()
