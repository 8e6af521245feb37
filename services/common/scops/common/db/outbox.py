"""Outbox and inbox: events that leave with a transaction, and effects that count once.

The outbox is for services that act without a message; a relay publishes its rows, perhaps
twice. A row that can never be published is set aside: it is kept for `ASIDE_DAYS`, with why, and
holds up none of those behind it. The inbox is for handlers whose effect is not idempotent by key:
they record (consumer, event id) in the transaction of the effect.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Column,
    ColumnElement,
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
    update,
)

from scops.common.bus.ports import Outgoing, Publisher
from scops.common.bus.publish.gathering import Gathering, goes_together
from scops.common.contract import service_table, wire
from scops.common.contract.errors import InvalidInput, MessageTooLarge, ScopsError, TransientError
from scops.common.contract.ids import EventId
from scops.common.contract.service_table import Lane
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.locks import forget_rows
from scops.common.db.types import UtcDateTime
from scops.common.db.upsert import insert_ignore, insert_ignore_many
from scops.common.observe.log import get_logger
from scops.common.observe.metrics import (
    OUTBOX_AGE_SECONDS,
    OUTBOX_ROWS,
    OUTBOX_SET_ASIDE_ROWS,
)
from scops.common.observe.trail import current, following, from_text, to_text
from scops.common.runtime.clock import Clock

log = get_logger(__name__)
INBOX_DAYS = 8
# As long as dead letters are kept.
ASIDE_DAYS = 30
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
        # Why it was set aside: what the error says; empty while it waits.
        Column("fault", String, nullable=False, server_default=""),
    )


def waits(outbox: Table) -> ColumnElement[bool]:
    """Returns which rows of an outbox are to be published: all that were not set aside."""
    return outbox.c.fault == ""


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
    """Shows in the metrics how many rows wait, for how long, and how many are set aside.

    Those whose time is up are dropped.
    """
    async with database.reading() as connection:
        count, oldest = (await connection.execute(_statements(outbox).waiting)).one()
        aside, first = (await connection.execute(_statements(outbox).aside)).one()
    if first is not None and first < now - timedelta(days=ASIDE_DAYS):
        async with database.transaction() as connection:
            before = now - timedelta(days=ASIDE_DAYS)
            old = delete(outbox).where(~waits(outbox), outbox.c.created_at < before)
            aside -= (await connection.execute(old)).rowcount
    OUTBOX_SET_ASIDE_ROWS.labels(database.name).set(aside)
    OUTBOX_ROWS.labels(database.name).set(count)
    OUTBOX_AGE_SECONDS.labels(database.name).set((now - (oldest or now)).total_seconds())


async def relay(database: Database, outbox: Table, publisher: Publisher, *, clock: Clock) -> int:
    """Publishes the oldest rows, several at once, and deletes them after their PubAcks.

    In lane bulk those of one message leave in frames. A crash before the rows are deleted may have
    them leave again, in other frames, which the bus does not take for the same.

    What the bus would never take, or nobody can read, is set aside; the log says which, and why.

    Of several replicas one relays at a time: rows of the same page, or job, leave in the order of
    their commits, and none leaves twice but after a crash. One that fails keeps those of its page
    behind it.

    Returns:
        The number published or set aside; `RELAY_BATCH` means that there may be more.

    Raises:
        TransientError: the bus did not take a row, or a later version wrote it; it stays, and is
            published by the next call.
    """
    done = _Done()
    async with database.alone(outbox.name):
        async with database.reading() as connection:
            rows = (await connection.execute(_statements(outbox).oldest)).all()
        try:
            await _publish(rows, publisher, done, clock=clock)
        finally:
            await _record(database, outbox, done)
    return len(rows)


async def _record(database: Database, outbox: Table, done: "_Done") -> None:
    """Deletes what was published, and sets aside what never will be."""
    if not done.published and not done.aside:
        return
    async with database.transaction() as connection:
        if done.published:
            gone = {"published": done.published}
            await connection.execute(_statements(outbox).forget, gone)
        for row, error in done.aside:
            of_row = outbox.c.position == row.position
            await connection.execute(update(outbox).where(of_row).values(fault=str(error)))
    for row, error in done.aside:
        log.error(
            "event_set_aside",
            reason=error.reason,
            error=str(error),
            message_type=row.message_type,
            event_id=row.event_id,
            database=database.name,
        )


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
    rows: Sequence[Any], publisher: Publisher, done: "_Done", *, clock: Clock
) -> None:
    """Publishes rows, those about the same entity in turn; notes what became of each."""
    gate = asyncio.Semaphore(PUBLISHED_AT_ONCE)
    together = Gathering(publisher, clock=clock)
    newest: dict[str, asyncio.Task[bool]] = {}

    async def alone(outgoing: Outgoing) -> None:
        async with gate:
            await publisher.publish(outgoing)

    async def publish(row: Any, outgoing: Outgoing, before: "asyncio.Task[bool] | None") -> bool:
        if before is not None:
            await asyncio.wait([before])
            if before.exception() is not None or not before.result():
                return False
        with following(from_text(row.trail)):
            try:
                if not await _went_in_frame(together, outgoing, counted=before is None):
                    await alone(outgoing)
            except MessageTooLarge as error:
                done.aside.append((row, error))
                return True
        done.published.append(row.position)
        return True

    tasks = []
    for row, outgoing in _read(rows, done):
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
    if done.unknown:
        raise TransientError(
            f"Events wait in the outbox that this version does not know: {sorted(done.unknown)}. "
            "Run the version that wrote them."
        )


async def _went_in_frame(together: Gathering, outgoing: Outgoing, *, counted: bool) -> bool:
    """Publishes with others; returns False for what is to go alone.

    That is what goes in no frame, and what was in one that is too large for the server.
    """
    if not goes_together(outgoing):
        return False
    if not counted:
        together.begin()
    try:
        await together.publish(outgoing)
    except MessageTooLarge:
        return False
    finally:
        together.end()
    return True


@dataclass(slots=True)
class _Done:
    """What became of the rows of a round.

    Attributes:
        published: their positions.
        aside: rows that can never be published, each with why.
        unknown: types of messages that only a later version knows.
    """

    published: list[int] = field(default_factory=list)
    aside: list[tuple[Any, ScopsError]] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Statements:
    """What a relay asks of its outbox; building a statement costs more than running it."""

    waiting: Executable
    aside: Executable
    oldest: Executable
    forget: Executable


@cache
def _statements(outbox: Table) -> _Statements:
    published: BindParameter[Any] = bindparam("published", expanding=True)
    counted = select(func.count(), func.min(outbox.c.created_at, type_=UtcDateTime))
    return _Statements(
        waiting=counted.where(waits(outbox)),
        aside=counted.where(~waits(outbox)),
        oldest=select(outbox).where(waits(outbox)).order_by(outbox.c.position).limit(RELAY_BATCH),
        forget=delete(outbox).where(outbox.c.position.in_(published)),
    )


def _read(rows: Sequence[Any], done: _Done) -> list[tuple[Any, Outgoing]]:
    """Returns rows with what they publish, without those that nobody here can read."""
    read = []
    for row in rows:
        try:
            read.append((row, _outgoing(row)))
        except InvalidInput as error:
            done.aside.append((row, error))
        except LookupError:
            done.unknown.add(row.message_type)
    return read


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
    return {entry.message.__name__: entry.message for entry in service_table.MESSAGES}[name]
