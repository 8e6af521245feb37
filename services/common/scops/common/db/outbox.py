"""Outbox and inbox: events that leave with a transaction, and effects that count once.

The outbox is for services that act without a message; a relay publishes its rows, perhaps
twice. The inbox is for handlers whose effect is not idempotent by key: they record
(consumer, event id) in the transaction of the effect.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Column,
    Executable,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    bindparam,
    delete,
    func,
    select,
)

from scops.common.bus.ports import Outgoing, Publisher
from scops.common.bus.publish.gathering import Gathering, goes_together
from scops.common.contract import service_table, wire
from scops.common.contract.ids import EventId
from scops.common.contract.service_table import Lane
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.locks import forget_rows
from scops.common.db.types import UtcDateTime
from scops.common.db.upsert import insert_ignore, insert_ignore_many
from scops.common.observe.metrics import OUTBOX_AGE_SECONDS, OUTBOX_ROWS
from scops.common.observe.trail import current, following, from_text, to_text
from scops.common.runtime.clock import Clock

INBOX_DAYS = 8
RELAY_BATCH = 100
# The bus stores what comes together in half the time of what comes one by one.
PUBLISHED_AT_ONCE = 16


def outbox_table(metadata: MetaData) -> Table:
    """Declares the outbox of a service; `position` is the order of publishing."""
    return Table(
        "outbox",
        metadata,
        # SQLite counts by itself only in a column that is INTEGER by name.
        Column(
            "position",
            BigInteger().with_variant(Integer, "sqlite"),
            primary_key=True,
            autoincrement=True,
        ),
        Column("event_id", String, nullable=False, unique=True),
        Column("message_type", String, nullable=False),
        Column("organisation_id", String, nullable=False),
        Column("lane", String, nullable=False),
        Column("data", LargeBinary, nullable=False),
        Column("created_at", UtcDateTime, nullable=False),
        # Of the work that wrote the row; the relay follows it again.
        Column("trail", String, nullable=False, server_default=""),
    )


def inbox_table(metadata: MetaData) -> Table:
    """Declares the inbox of a service."""
    return Table(
        "inbox",
        metadata,
        Column("consumer", String, primary_key=True),
        Column("event_id", String, primary_key=True),
        Column("seen_at", UtcDateTime, nullable=False, index=True),
    )


async def enqueue(
    connection: Connection, outbox: Table, outgoing: Outgoing, *, now: datetime
) -> None:
    """Adds an event to the outbox; the same event_id twice is one row."""
    await insert_ignore(
        connection,
        outbox,
        {
            "event_id": outgoing.event_id,
            "message_type": type(outgoing.message).__name__,
            "organisation_id": outgoing.organisation_id,
            "lane": outgoing.lane.value,
            "data": outgoing.data or wire.encode(outgoing.message),
            "created_at": now,
            "trail": to_text(current()),
        },
    )


async def note_waiting(database: Database, outbox: Table, *, now: datetime) -> None:
    """Shows in the metrics how many rows wait, and for how long."""
    async with database.reading() as connection:
        count, oldest = (await connection.execute(_statements(outbox).waiting)).one()
    OUTBOX_ROWS.labels(database.name).set(count)
    OUTBOX_AGE_SECONDS.labels(database.name).set((now - (oldest or now)).total_seconds())


async def relay(database: Database, outbox: Table, publisher: Publisher, *, clock: Clock) -> int:
    """Publishes the oldest rows, several at once, and deletes them after their PubAcks.

    In lane bulk those of one message leave in frames. A crash before the rows are deleted may have
    them leave again, in other frames, which the bus does not take for the same.

    Of several replicas one relays at a time: rows of the same page, or job, leave in the order of
    their commits, and none leaves twice but after a crash. One that fails keeps those of its page
    behind it.

    Returns:
        The number published; `RELAY_BATCH` means that there may be more.

    Raises:
        TransientError: the bus did not take a row; it stays, and is published by the next call.
    """
    published: list[int] = []
    async with database.alone(outbox.name):
        async with database.reading() as connection:
            rows = (await connection.execute(_statements(outbox).oldest)).all()
        try:
            await _publish(rows, publisher, published, clock=clock)
        finally:
            if published:
                async with database.transaction() as connection:
                    gone = {"published": published}
                    await connection.execute(_statements(outbox).forget, gone)
    return len(rows)


async def first_time(
    connection: Connection, inbox: Table, *, consumer: str, event_id: EventId, now: datetime
) -> bool:
    """Records that a consumer saw an event; returns whether it is the first time."""
    row = {"consumer": consumer, "event_id": event_id, "seen_at": now}
    return await insert_ignore(connection, inbox, row)


async def first_times(
    connection: Connection,
    inbox: Table,
    *,
    consumer: str,
    event_ids: Sequence[EventId],
    now: datetime,
) -> set[EventId]:
    """Records that a consumer saw events; returns those that it sees for the first time."""
    # In one order, in which two processes that see the same wait for each other.
    rows = [
        {"consumer": consumer, "event_id": event_id, "seen_at": now}
        for event_id in sorted(set(event_ids))
    ]
    return set(await insert_ignore_many(connection, inbox, rows, returning=inbox.c.event_id))


async def forget_seen(connection: Connection, inbox: Table, *, now: datetime) -> int:
    """Drops inbox rows older than any redelivery can be; returns how many, as `forget_rows`."""
    before = now - timedelta(days=INBOX_DAYS)
    return await forget_rows(connection, inbox, inbox.c.seen_at < before)


async def _publish(
    rows: Sequence[Any], publisher: Publisher, published: list[int], *, clock: Clock
) -> None:
    """Publishes rows, those about the same entity in turn; notes the position of each that left."""
    gate = asyncio.Semaphore(PUBLISHED_AT_ONCE)
    together = Gathering(publisher, clock=clock)
    newest: dict[str, asyncio.Task[bool]] = {}

    async def publish(row: Any, outgoing: Outgoing, before: "asyncio.Task[bool] | None") -> bool:
        if before is not None:
            await asyncio.wait([before])
            if before.exception() is not None or not before.result():
                return False
        with following(from_text(row.trail)):
            if goes_together(outgoing):
                await _publish_together(together, outgoing, counted=before is None)
            else:
                async with gate:
                    await publisher.publish(outgoing)
        published.append(row.position)
        return True

    tasks = []
    for row in rows:
        outgoing = _outgoing(row)
        entity = service_table.entity_of(outgoing.message)
        if entity not in newest and goes_together(outgoing):
            # One that waits for another of its page cannot be waited for.
            together.begin()
        newest[entity] = asyncio.create_task(publish(row, outgoing, newest.get(entity)))
        tasks.append(newest[entity])
    # Each is let come to its end: of one that is cut off nobody knows whether it was stored.
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(ended, BaseException):
            raise ended


async def _publish_together(together: Gathering, outgoing: Outgoing, *, counted: bool) -> None:
    if not counted:
        together.begin()
    try:
        await together.publish(outgoing)
    finally:
        together.end()


@dataclass(frozen=True, slots=True)
class _Statements:
    """What a relay asks of its outbox; building a statement costs more than running it."""

    waiting: Executable
    oldest: Executable
    forget: Executable


@cache
def _statements(outbox: Table) -> _Statements:
    published: BindParameter[Any] = bindparam("published", expanding=True)
    return _Statements(
        waiting=select(func.count(), func.min(outbox.c.created_at, type_=UtcDateTime)),
        oldest=select(outbox).order_by(outbox.c.position).limit(RELAY_BATCH),
        forget=delete(outbox).where(outbox.c.position.in_(published)),
    )


def _outgoing(row: Any) -> Outgoing:
    return Outgoing(
        message=wire.decode(_message_type(row.message_type), row.data),
        event_id=EventId(row.event_id),
        organisation_id=row.organisation_id,
        lane=Lane(row.lane),
        data=row.data,
    )


@cache
def _message_type(name: str) -> type:
    return next(entry.message for entry in service_table.MESSAGES if entry.message.__name__ == name)
