"""Each item of a frame comes to its own end, and the frame to its own when all have."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from scops.common.bus.consume.heartbeat import Heartbeat
from scops.common.bus.consume.received import Consumer
from scops.common.bus.consume.retry import DeliveryOutcome, RetryPolicy
from scops.common.bus.ports import Cause, Caused, ManyHandler, Outgoing
from scops.common.bus.publish import headers as names
from scops.common.bus.publish.sealing import frame_of, seal
from scops.common.contract import service_table, wire
from scops.common.contract.errors import PermanentError, StoreUnavailable, TransientError
from scops.common.contract.ids import EventId, PageId
from scops.common.contract.messages.content import PageExtracted
from scops.common.contract.messages.crawl import DeadLetter, PageDead, PageFetched
from scops.common.contract.messages.frame import Frame
from scops.common.contract.service_table import BY_TYPE, Lane, Role
from scops.common.observe.trail import Trail, current, following
from tests.fakes.bus import FakeDelivery, RecordingPublisher
from tests.fakes.clock import START, ManualClock
from tests.fakes.consuming import consume
from tests.fakes.worlds.services import minimal, outgoing

ENTRY = BY_TYPE[PageFetched]
DURABLE = "extractor-page_fetched-bulk"
AGAIN = "scops.crawl.v1.page_fetched.bulk.extractor"
POLICY = RetryPolicy(deliveries_max=8)


def fetched(number: int) -> Outgoing:
    page = replace(minimal(PageFetched), page_id=PageId(f"page-{number}"))
    return outgoing(page, f"event-{number}")


def frame(*numbers: int, delivery_count: int = 1) -> FakeDelivery:
    """Builds the delivery of a frame; each item is of a job of its own."""
    messages = []
    for number in numbers:
        with following(Trail(job_id=f"job-{number}")):
            messages.append(seal(fetched(number), now=START))
    sent = frame_of(messages, now=START)
    return FakeDelivery(
        subject=sent.subject,
        data=sent.data,
        headers=sent.headers,
        stream=ENTRY.stream.name,
        delivery_count=delivery_count,
    )


@dataclass
class Handler:
    """Keeps what it is given; raises what is named for an event."""

    failing: dict[str, Exception] = field(default_factory=dict)
    seen: list[Cause] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)

    async def __call__(self, message: Any, cause: Cause) -> Sequence[Any]:
        self.seen.append(cause)
        self.jobs.append(current().job_id)
        if cause.event_id in self.failing:
            raise self.failing[cause.event_id]
        return ()


@dataclass
class Many:
    """Keeps the events that it is given at once, and answers each with a page; may fail."""

    failure: Exception | None = None
    left_out: str = ""
    seen: list[list[str]] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)

    async def __call__(self, items: Sequence[Caused]) -> Sequence[Sequence[Any] | None]:
        self.seen.append([cause.event_id for _, cause in items])
        self.jobs.append(current().job_id)
        if self.failure is not None:
            raise self.failure
        return [
            None if cause.event_id == self.left_out else (extracted(message),)
            for message, cause in items
        ]


def extracted(message: PageFetched) -> PageExtracted:
    page: PageExtracted = replace(minimal(PageExtracted), page_id=message.page_id)
    return page


async def handled(
    delivery: FakeDelivery,
    handler: Handler,
    *,
    many: ManyHandler | None = None,
    framed: bool = True,
    publisher: RecordingPublisher | None = None,
    clock: ManualClock | None = None,
) -> tuple[DeliveryOutcome, RecordingPublisher]:
    publisher = publisher or RecordingPublisher()
    consumer = Consumer(
        role=Role.EXTRACTOR,
        contract=ENTRY,
        lane=Lane.BULK,
        handler=handler,
        framed=framed,
        many=many,
    )
    outcome = await consume(
        delivery,
        consumer,
        publisher=publisher,
        clock=clock or ManualClock(),
        policy=POLICY,
        heartbeat=Heartbeat,
    )
    return outcome, publisher


async def test_items_are_handled_in_their_order_each_with_its_id_and_trail() -> None:
    """What a handler learns of an item is what it would learn of it alone."""
    delivery, handler = frame(1, 2, 3), Handler()
    outcome, publisher = await handled(delivery, handler)

    assert (DeliveryOutcome.ACKED, True) == (outcome, delivery.acked)
    assert ["event-1", "event-2", "event-3"] == [cause.event_id for cause in handler.seen]
    assert ["job-1", "job-2", "job-3"] == handler.jobs
    assert [] == publisher.sent + publisher.published


@pytest.mark.parametrize("error", [TransientError("No."), ZeroDivisionError("a bug")])
async def test_a_failing_item_is_published_again_alone(error: Exception) -> None:
    """For this consumer, with its own id and how often it was handled; the frame has its end."""
    delivery, handler = frame(1, 2, 3), Handler({"event-2": error})
    outcome, publisher = await handled(delivery, handler)

    (again,) = publisher.sent
    assert (DeliveryOutcome.ACKED, True, 3) == (outcome, delivery.acked, len(handler.seen))
    assert (AGAIN, DURABLE) == (again.subject, again.headers[names.REPLAYED_FOR])
    assert ("event-2", "1") == (again.headers[names.EVENT_ID], again.headers[names.DELIVERIES])
    assert "job-2" == again.headers["scops-job-id"]
    assert fetched(2).message == wire.decode(PageFetched, again.data)


async def test_an_item_again_waits_for_its_time_and_counts_on() -> None:
    """The delivery before its time handles nothing and counts for nothing."""
    clock = ManualClock()
    _, publisher = await handled(
        frame(1, 2), Handler({"event-1": TransientError("No.")}), clock=clock
    )
    (again,) = publisher.sent

    def delivered(count: int) -> FakeDelivery:
        counted = names.deliveries_of(again.headers, count)
        return FakeDelivery(again.subject, again.data, again.headers, counted)

    early, handler = delivered(1), Handler()
    outcome, _ = await handled(early, handler, framed=False, clock=clock)
    assert (DeliveryOutcome.RETRIED, [1.0], []) == (outcome, early.naks, handler.seen)
    clock.advance(1.0)
    await handled(delivered(2), handler, framed=False, clock=clock)
    assert [("event-1", 2)] == [(one.event_id, one.delivery_count) for one in handler.seen]
    last = delivered(POLICY.deliveries_max + 1)
    outcome, _ = await handled(last, handler, framed=False, clock=clock)
    assert (DeliveryOutcome.DEAD, 1) == (outcome, len(handler.seen))


async def test_poison_ends_in_a_dead_letter_of_its_own() -> None:
    """It names the item and the consumer of single messages, which a replay is for."""
    delivery = frame(1, 2)
    outcome, publisher = await handled(
        delivery, Handler({"event-1": PermanentError("It is poison.", reason="POISON")})
    )

    letter, dead = publisher.messages
    assert isinstance(letter, DeadLetter)
    assert isinstance(dead, PageDead)
    assert (DeliveryOutcome.ACKED, True) == (outcome, delivery.acked)
    assert (DURABLE, AGAIN, "POISON") == (letter.consumer, letter.subject, letter.reason)
    assert "event-1" == letter.headers[names.EVENT_ID]
    assert fetched(1).message == wire.decode(PageFetched, letter.data)
    assert (PageId("page-1"), DURABLE) == (dead.page_id, dead.consumer)


async def test_an_item_that_cannot_be_published_again_has_the_frame_come_again() -> None:
    """Nothing is acknowledged that has no other place."""
    delivery = frame(1, 2)
    outcome, _ = await handled(
        delivery,
        Handler({"event-1": TransientError("No.")}),
        publisher=RecordingPublisher(failures=[StoreUnavailable("The bus is away.")]),
    )

    assert (DeliveryOutcome.RETRIED, False) == (outcome, delivery.acked)
    assert [1.0] == delivery.naks


async def test_a_frame_that_comes_a_third_time_is_taken_apart() -> None:
    """One of its items may be what ended the process twice: alone it harms no other."""
    delivery, handler = frame(1, 2, delivery_count=3), Handler()
    outcome, publisher = await handled(delivery, handler)

    assert (DeliveryOutcome.ACKED, []) == (outcome, handler.seen)
    assert ["event-1", "event-2"] == [one.headers[names.EVENT_ID] for one in publisher.sent]
    assert {AGAIN} == {one.subject for one in publisher.sent}


async def test_an_item_of_a_redelivered_frame_counts_its_deliveries() -> None:
    """So that what fails in whole frames ends as well."""
    handler = Handler()
    await handled(frame(1, 2, delivery_count=2), handler)

    assert [2, 2] == [cause.delivery_count for cause in handler.seen]


@pytest.mark.parametrize("role", [Role.EXTRACTOR, Role.FETCHER])
async def test_an_item_again_is_for_the_consumer_that_failed_at_it(role: Role) -> None:
    """Another one acknowledges it unread: by the subject, which permissions bind to the role."""
    sealed = seal(fetched(1), now=START)
    subject = service_table.again_subject(ENTRY, role)
    delivery = FakeDelivery(subject, sealed.data, sealed.headers)
    handler = Handler()
    await handled(delivery, handler, framed=False)

    assert delivery.acked
    assert (1 if role is Role.EXTRACTOR else 0) == len(handler.seen)


@pytest.mark.parametrize("data", [b"\xff\xff", wire.encode(Frame())])
async def test_what_is_no_frame_is_buried_whole(data: bytes) -> None:
    """It names no page: nobody could read which."""
    delivery = replace(frame(1), data=data)
    outcome, publisher = await handled(delivery, Handler())

    letter = publisher.messages[0]
    assert isinstance(letter, DeadLetter)
    assert (DeliveryOutcome.DEAD, True) == (outcome, delivery.acked)
    assert "extractor-page_fetched-frames" == letter.consumer


async def test_a_frame_never_comes_to_who_takes_single_messages() -> None:
    """Their durables have other subjects, so that an earlier version meets none."""
    for contract in service_table.MESSAGES:
        for lane in Lane:
            assert not service_table.is_of(service_table.frames_subject(contract), contract, lane)


async def test_what_is_handled_at_once_ends_as_if_each_were_handled_alone() -> None:
    """Outputs have the ids that they would have; who left one out has it handled alone."""
    delivery, handler, many = frame(1, 2, 3), Handler(), Many(left_out="event-2")
    outcome, publisher = await handled(delivery, handler, many=many)
    alone = RecordingPublisher()

    async def react(message: Any, cause: Cause) -> Sequence[Any]:
        return (extracted(message),)

    await handled(frame(1, 3), react, publisher=alone)  # type: ignore[arg-type]

    assert (DeliveryOutcome.ACKED, True) == (outcome, delivery.acked)
    assert [["event-1", "event-2", "event-3"]] == many.seen
    assert ["event-2"] == [cause.event_id for cause in handler.seen]
    assert alone.published == publisher.published
    assert 2 == len(publisher.published)


@pytest.mark.parametrize(
    "error", [PermanentError("No."), StoreUnavailable("Away."), ZeroDivisionError("a bug")]
)
async def test_where_many_fail_each_is_handled_alone(error: Exception) -> None:
    """In their order, and poison is buried by itself."""
    poison: dict[str, Exception] = {"event-2": PermanentError("It is poison.", reason="POISON")}
    delivery, handler = frame(1, 2, 3), Handler(poison)
    outcome, publisher = await handled(delivery, handler, many=Many(failure=error))

    assert (DeliveryOutcome.ACKED, True) == (outcome, delivery.acked)
    assert ["event-1", "event-2", "event-3"] == [cause.event_id for cause in handler.seen]
    assert ["POISON"] == [one.reason for one in publisher.messages if isinstance(one, DeadLetter)]


async def test_later_messages_of_a_page_come_after_those_handled_at_once() -> None:
    """One message of each page is handled with others; a lone one is handled as ever."""
    twice = replace(fetched(1), event_id=EventId("event-1-again"))
    with following(Trail(job_id="job-1")):
        sealed = [seal(one, now=START) for one in (fetched(1), twice, fetched(2))]
    with following(Trail(job_id="job-2")):
        sealed.append(seal(fetched(3), now=START))

    async def split(*places: int) -> tuple[Handler, Many]:
        sent = frame_of([sealed[place] for place in places], now=START)
        handler, many = Handler(), Many()
        delivery = FakeDelivery(subject=sent.subject, data=sent.data, headers=sent.headers)
        await handled(delivery, handler, many=many)
        return handler, many

    handler, many = await split(0, 1, 2)
    assert [["event-1", "event-2"]] == many.seen
    assert ["event-1-again"] == [cause.event_id for cause in handler.seen]
    assert ["job-1"] == many.jobs
    handler, many = await split(0, 1)
    assert ([], 2) == (many.seen, len(handler.seen))
    _, many = await split(0, 3)
    assert [""] == many.jobs


async def test_what_cannot_be_read_ends_beside_those_handled_at_once() -> None:
    """It goes to the dead letters by itself; nothing of it reaches the handler of many."""
    sealed = [seal(fetched(number), now=START) for number in (1, 2, 3)]
    sealed[1] = replace(sealed[1], data=b"\xff")
    sent = frame_of(sealed, now=START)
    delivery, many = FakeDelivery(sent.subject, sent.data, sent.headers), Many()
    outcome, publisher = await handled(delivery, Handler(), many=many)

    assert DeliveryOutcome.ACKED == outcome
    assert [["event-1", "event-3"]] == many.seen
    assert 1 == sum(isinstance(one, DeadLetter) for one in publisher.messages)
