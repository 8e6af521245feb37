"""What outbox and inbox must hold with two replicas, on SQLite and PostgreSQL."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import MetaData, Table, func, select

from scops.common.bus.ports import Outgoing, Sealed
from scops.common.bus.publish.gathering import FRAME_ITEMS_MAX
from scops.common.bus.publish.publisher import MESSAGE_BYTES_MAX
from scops.common.bus.publish.sealing import seal, sealed_bytes
from scops.common.contract.errors import MessageTooLarge, TransientError
from scops.common.contract.ids import EventId, JobId, PageId
from scops.common.contract.messages.crawl import CancelJob, FetchPage, PageFetched
from scops.common.contract.service_table import Lane
from scops.common.db.database import Database
from scops.common.db.outbox import (
    ASIDE_DAYS,
    PUBLISHED_AT_ONCE,
    RELAY_BATCH,
    enqueue,
    first_time,
    first_times,
    forget_seen,
    note_waiting,
    relay,
    waits,
)
from scops.common.observe.metrics import OUTBOX_ROWS, OUTBOX_SET_ASIDE_ROWS
from scops.fetcher.adapters.sql.tables import inbox, metadata, outbox
from tests.fakes.bus import RecordingPublisher, messages_in
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.services import minimal, outgoing

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]


@dataclass
class SlowPublisher:
    """Publishes when others had their turn; fails at one of the messages, once."""

    fails_at: str = ""
    published: list[str] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    async def publish(self, outgoing: Outgoing) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        if outgoing.event_id == self.fails_at:
            self.fails_at = ""
            raise TransientError("no PubAck")
        self.published.append(outgoing.event_id)


@dataclass
class BoundedPublisher(SlowPublisher):
    """Takes no message that is longer than the bus takes, as the publisher of JetStream."""

    bytes_max: int = MESSAGE_BYTES_MAX

    async def publish(self, outgoing: Outgoing) -> None:
        self._check(seal(outgoing, now=AT))
        await super().publish(outgoing)

    async def send(self, sealed: Sealed) -> None:
        self._check(sealed)
        self.published += [one.event_id for one in messages_in(sealed)]

    def _check(self, sealed: Sealed) -> None:
        if sealed_bytes(sealed) > self.bytes_max:
            raise MessageTooLarge(f"The bus takes {self.bytes_max} bytes.")


def cancel(name: str, job: str = "") -> Outgoing:
    return Outgoing(
        message=CancelJob(job_id=JobId(job or name)),
        event_id=EventId(name),
        organisation_id="main",
        lane=Lane.NOW,
    )


async def fill(database: Database, names: list[str], *, job: str = "") -> None:
    async with database.transaction() as connection:
        for name in names:
            await enqueue(connection, outbox, cancel(name, job), now=AT)


async def count(database: Database, table: Table) -> int:
    async with database.reading() as connection:
        return int((await connection.execute(select(func.count()).select_from(table))).scalar_one())


async def test_what_is_about_one_job_leaves_in_order(open_pair: OpenPair) -> None:
    """A failure keeps its row and those of its job behind it; what left before is gone."""
    database, _ = await open_pair("fetcher", metadata)
    await fill(database, ["a", "b", "b", "c"], job="one")
    publisher = SlowPublisher(fails_at="b")
    with pytest.raises(TransientError):
        await relay(database, outbox, publisher, clock=ManualClock())

    assert 2 == await count(database, outbox)
    assert 2 == await relay(database, outbox, publisher, clock=ManualClock())
    assert ["a", "b", "c"] == publisher.published


async def test_what_fails_holds_up_no_other_job(open_pair: OpenPair) -> None:
    """Rows of different jobs leave together; one that fails is published by the next call."""
    database, _ = await open_pair("fetcher", metadata)
    names = [f"{number:02}" for number in range(2 * PUBLISHED_AT_ONCE)]
    await fill(database, names)
    publisher = SlowPublisher(fails_at="00")
    with pytest.raises(TransientError):
        await relay(database, outbox, publisher, clock=ManualClock())

    assert names[1:] == sorted(publisher.published)
    assert 1 < publisher.most_at_once <= PUBLISHED_AT_ONCE
    assert 1 == await relay(database, outbox, publisher, clock=ManualClock())
    assert 0 == await count(database, outbox)


def fetched(name: str, page: str) -> Outgoing:
    message = replace(minimal(PageFetched), page_id=PageId(page))
    return outgoing(message, name)


def long_fetch(name: str, job: str) -> Outgoing:
    message = replace(minimal(FetchPage), job_id=JobId(job), urls=("x" * MESSAGE_BYTES_MAX,))
    return outgoing(message, name)


async def enqueue_all(database: Database, events: list[Outgoing]) -> None:
    async with database.transaction() as connection:
        for event in events:
            await enqueue(connection, outbox, event, now=AT)


async def faults(database: Database) -> dict[str, str]:
    """Returns why rows were set aside, by event."""
    async with database.reading() as connection:
        rows = (await connection.execute(select(outbox).where(~waits(outbox)))).all()
    return {row.event_id: row.fault for row in rows}


async def test_what_the_bus_never_takes_holds_up_nothing(
    open_pair: OpenPair, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is set aside and told of, once; those behind it leave, those of its job too."""
    database, _ = await open_pair("fetcher", metadata)
    await enqueue_all(database, [long_fetch("long", "one"), cancel("of it", "one"), cancel("two")])
    publisher = BoundedPublisher()

    assert 3 == await relay(database, outbox, publisher, clock=ManualClock())
    assert ["of it", "two"] == sorted(publisher.published)
    assert {"long": f"The bus takes {MESSAGE_BYTES_MAX} bytes."} == await faults(database)
    assert 0 == await relay(database, outbox, publisher, clock=ManualClock())
    assert 1 == capsys.readouterr().out.count("event_set_aside")


async def test_what_nobody_can_read_holds_up_nothing(open_pair: OpenPair) -> None:
    """Bytes that are no message are set aside; a type that only a later version knows waits."""
    database, _ = await open_pair("fetcher", metadata)
    broken = replace(cancel("broken"), data=b"\xff")
    await enqueue_all(database, [broken, cancel("later"), cancel("known")])
    later = outbox.c.event_id == "later"
    async with database.transaction() as connection:
        await connection.execute(outbox.update().where(later).values(message_type="NotYetKnown"))
    publisher = BoundedPublisher()
    with pytest.raises(TransientError, match="NotYetKnown"):
        await relay(database, outbox, publisher, clock=ManualClock())

    assert ["known"] == publisher.published
    assert ["broken"] == list(await faults(database))
    assert 2 == await count(database, outbox)


async def test_what_goes_alone_is_not_set_aside_for_its_frame(open_pair: OpenPair) -> None:
    """A server that takes no frame is given its messages one by one."""
    database, _ = await open_pair("fetcher", metadata)
    events = [fetched(f"{n}", f"page-{n}") for n in range(4)]
    await enqueue_all(database, events)
    alone = max(sealed_bytes(seal(event, now=AT)) for event in events)
    publisher = BoundedPublisher(bytes_max=alone + 8)
    await relay(database, outbox, publisher, clock=ManualClock())

    assert [event.event_id for event in events] == sorted(publisher.published)
    assert 0 == await count(database, outbox)


async def test_what_is_set_aside_is_counted_and_kept_for_its_time(open_pair: OpenPair) -> None:
    """It does not count as waiting; after thirty days it is dropped."""
    database, _ = await open_pair("fetcher", metadata)
    await enqueue_all(database, [long_fetch("long", "one")])
    await relay(database, outbox, BoundedPublisher(), clock=ManualClock())
    await enqueue_all(database, [cancel("waits")])
    counts = []
    for days in (1, ASIDE_DAYS + 1):
        await note_waiting(database, outbox, now=AT + timedelta(days=days))
        counts.append(
            [
                gauge.labels(database.name)._value.get()
                for gauge in (OUTBOX_ROWS, OUTBOX_SET_ASIDE_ROWS)
            ]
        )

    assert [[1, 1], [1, 0]] == counts
    assert 1 == await count(database, outbox)


async def test_pages_of_a_crawl_leave_in_frames(open_pair: OpenPair) -> None:
    """A page's second event leaves after its first; a frame that fails keeps its rows."""
    database, _ = await open_pair("fetcher", metadata)
    events = [*(fetched(f"{n:02}", f"page-{n}") for n in range(FRAME_ITEMS_MAX)), cancel("job")]
    events += [fetched("again", "page-0"), fetched("last", "page-1")]
    async with database.transaction() as connection:
        for event in events:
            await enqueue(connection, outbox, event, now=AT)
    failing = RecordingPublisher(failures=[TransientError("no PubAck")] * 2)
    with pytest.raises(TransientError):
        await relay(database, outbox, failing, clock=ManualClock())
    waiting = await count(database, outbox)
    publisher = RecordingPublisher()
    await relay(database, outbox, publisher, clock=ManualClock())

    assert waiting == len(events)
    assert [FRAME_ITEMS_MAX] == [one.count for one in publisher.sent]
    left = [one.event_id for one in publisher.published]
    assert sorted(event.event_id for event in events) == sorted(left)
    assert ["again", "last"] == sorted(left[-2:])
    assert 0 == await count(database, outbox)


async def test_the_inbox_tells_the_first_time_from_the_second(open_pair: OpenPair) -> None:
    """Of two who see an event at once one is the first; old rows go."""
    first, second = await open_pair("fetcher", metadata)

    async def see(database: Database) -> bool:
        async with database.transaction() as connection:
            seen = await first_time(
                connection, inbox, consumer="one", event_id=EventId("e"), now=AT
            )
            await asyncio.sleep(0)
            return seen

    seen = await asyncio.gather(see(first), see(second))
    assert [False, True] == sorted(seen)
    async with first.transaction() as connection:
        await forget_seen(connection, inbox, now=AT + timedelta(days=9))
    assert 0 == await count(second, inbox)


async def test_the_inbox_tells_of_each_of_many_events_whether_it_is_the_first(
    open_pair: OpenPair,
) -> None:
    """Of two who see some of the same at once each event is the first of one."""
    first, second = await open_pair("fetcher", metadata)
    names = [EventId(f"e{number}") for number in range(6)]

    async def see(database: Database, event_ids: list[EventId]) -> set[EventId]:
        async with database.transaction() as connection:
            seen = await first_times(connection, inbox, consumer="one", event_ids=event_ids, now=AT)
            await asyncio.sleep(0)
            return seen

    assert {names[0]} == await see(first, names[:1])
    seen, other = await asyncio.gather(see(first, names[:5]), see(second, names[:-5:-1]))

    assert (set(), set(names[1:])) == (seen & other, seen | other)
    assert set() == await see(first, []) == await see(second, names)


async def test_no_row_is_published_twice_by_two_replicas(open_pair: OpenPair) -> None:
    """Two relays share an outbox: each row once, in its order, while more rows come."""
    first, second = await open_pair("fetcher", metadata)
    names = [f"{number:04}" for number in range(3 * RELAY_BATCH)]
    publisher = SlowPublisher()

    async def write() -> None:
        for start in range(0, len(names), 20):
            await fill(second, names[start : start + 20], job="one")

    async def drain(database: Database) -> None:
        while len(publisher.published) < len(names):
            await relay(database, outbox, publisher, clock=ManualClock())
            await asyncio.sleep(0)

    if first is second:
        # One connection is for one process, which relays in one loop.
        await write()
        await drain(first)
    elif first.address.is_server:
        await asyncio.gather(write(), drain(first), drain(second))
    else:
        await asyncio.gather(write(), drain(first))

    assert names == publisher.published
    assert 0 == await count(first, outbox)
