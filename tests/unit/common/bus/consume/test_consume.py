"""One delivery ends acknowledged, asked for again, or in the dead letters; never in between."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from scops.common.bus.consume import heartbeat
from scops.common.bus.consume.heartbeat import Heartbeat
from scops.common.bus.consume.received import Consumer
from scops.common.bus.consume.retry import DeliveryOutcome, RetryPolicy
from scops.common.bus.ports import Cause, Handler, Outgoing
from scops.common.bus.publish.headers import EVENT_ID, headers_of
from scops.common.contract.errors import InvalidInput, PermanentError, TransientError
from scops.common.contract.ids import EventId, FetchId, JobId, PageId, event_id
from scops.common.contract.messages.crawl import (
    CancelJob,
    DeadLetter,
    FetchFailed,
    GoneReason,
    PageDead,
    PageGone,
    PageUnmodified,
)
from scops.common.contract.service_table import BY_TYPE, Lane, Role
from scops.common.observe.trail import NOWHERE, current
from tests.fakes.bus import FakeDelivery, RecordingPublisher, delivery_of
from tests.fakes.clock import START, ManualClock
from tests.fakes.consuming import consume

POLICY = RetryPolicy(deliveries_max=8)
GONE = PageGone(
    page_id=PageId("page-1"),
    fetch_id=FetchId("fetch-1"),
    reason=GoneReason.GONE,
    observed_time=START,
)
OUTPUT = FetchFailed(page_id=PageId("page-1"), fetch_id=FetchId("fetch-1"), failed_time=START)


async def _silent(message: Any, cause: Cause) -> Sequence[Any]:
    return ()


def _failing(error: Exception) -> Handler:
    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        raise error

    return handle


async def _consume(
    delivery: FakeDelivery,
    handler: Handler = _silent,
    *,
    publisher: RecordingPublisher | None = None,
    message: type[Any] = PageGone,
    lane: Lane = Lane.BULK,
) -> tuple[DeliveryOutcome, RecordingPublisher]:
    target = publisher or RecordingPublisher()
    consumer = Consumer(
        role=Role.CHANGE_DETECTOR, contract=BY_TYPE[message], lane=lane, handler=handler
    )
    outcome = await consume(
        delivery, consumer, publisher=target, clock=ManualClock(), policy=POLICY
    )
    return outcome, target


async def test_a_message_of_another_organisation_is_given_up_unread() -> None:
    """Nothing is handled; the letter and what the ledger is told are this organisation's."""
    foreign = headers_of(
        Outgoing(message=GONE, event_id=EventId("1"), organisation_id="acme", lane=Lane.BULK),
        now=START,
    )
    delivery = replace(delivery_of(GONE), headers=foreign)

    outcome, publisher = await _consume(delivery, _failing(AssertionError("It was read.")))

    assert outcome is DeliveryOutcome.DEAD
    assert ["ORGANISATION_FOREIGN"] * 2 == [one.message.reason for one in publisher.published]
    assert {"main"} == {one.organisation_id for one in publisher.published}


async def test_outputs_are_published_on_the_causes_lane_before_the_ack() -> None:
    """Each output's id follows from producer, cause and ordinal; the ack comes last."""
    delivery = delivery_of(GONE, event_id="cause-1", lane=Lane.NOW)
    acked_at_publish: list[bool] = []

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        assert message == GONE
        acked_at_publish.append(delivery.acked)
        return [OUTPUT, OUTPUT]

    outcome, publisher = await _consume(delivery, handle, lane=Lane.NOW)

    assert outcome is DeliveryOutcome.ACKED
    assert delivery.acked
    assert acked_at_publish == [False]
    assert [out.event_id for out in publisher.published] == [
        event_id("change-detector", "cause-1", 0),
        event_id("change-detector", "cause-1", 1),
    ]
    assert {out.lane for out in publisher.published} == {Lane.NOW}


async def test_a_redelivery_repeats_the_ids_of_its_outputs() -> None:
    """The same cause gives the same ids, whatever the delivery count."""

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        return [OUTPUT]

    _, first = await _consume(delivery_of(GONE), handle)
    _, second = await _consume(delivery_of(GONE, delivery_count=3), handle)

    assert first.published == second.published


@pytest.mark.parametrize(("count", "expected"), [(1, 1.0), (2, 2.0), (4, 8.0), (7, 60.0)])
async def test_transient_errors_are_delayed_longer_each_time(count: int, expected: float) -> None:
    """The delay doubles with the delivery count and is bounded."""
    delivery = delivery_of(GONE, delivery_count=count)

    outcome, publisher = await _consume(delivery, _failing(TransientError("Later.")))

    assert outcome is DeliveryOutcome.RETRIED
    assert delivery.naks == [expected]
    assert not delivery.acked
    assert publisher.published == []


async def test_a_cause_that_names_a_delay_is_waited_for() -> None:
    """`retry_after_seconds` is a lower bound of the delay."""
    delivery = delivery_of(GONE)

    await _consume(delivery, _failing(TransientError("Later.", retry_after_seconds=42)))

    assert delivery.naks == [42]


async def test_an_unexpected_error_is_retried() -> None:
    """A bug loses nothing: the message comes back with a delay."""
    delivery = delivery_of(GONE)

    outcome, _ = await _consume(delivery, _failing(ZeroDivisionError("a bug")))

    assert outcome is DeliveryOutcome.RETRIED
    assert delivery.naks == [1.0]


@pytest.mark.parametrize("error", [InvalidInput("No.", reason="BAD"), PermanentError("No.")])
async def test_what_cannot_succeed_is_buried_at_once(error: Exception) -> None:
    """A dead letter and PageDead are published, then the message is acknowledged."""
    delivery = delivery_of(GONE)

    outcome, publisher = await _consume(delivery, _failing(error))

    letter, dead = publisher.messages
    assert outcome is DeliveryOutcome.DEAD
    assert delivery.acked
    assert isinstance(letter, DeadLetter)
    assert letter.data == delivery.data
    assert letter.headers == delivery.headers
    assert dead == PageDead(
        page_id=PageId("page-1"),
        fetch_id=FetchId("fetch-1"),
        consumer="change-detector-page_gone-bulk",
        reason=error.reason,  # type: ignore[attr-defined]
        dead_letter_id=letter.dead_letter_id,
    )


async def test_a_message_delivered_too_often_is_buried_before_it_is_decoded() -> None:
    """Above the limit nothing of the message is touched: its handler may kill the process."""
    handled: list[Any] = []

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        handled.append(message)
        return ()

    delivery = replace(delivery_of(GONE, delivery_count=9), data=b"\xff\xff")

    outcome, publisher = await _consume(delivery, handle)

    assert outcome is DeliveryOutcome.DEAD
    assert handled == []
    assert [type(message) for message in publisher.messages] == [DeadLetter, PageDead]
    assert publisher.published[0].message.reason == "DELIVERIES_EXHAUSTED"


async def test_the_last_failure_is_buried_with_its_own_reason() -> None:
    """At the limit a failing message is not sent round once more only to lose its reason."""
    delivery = delivery_of(GONE, delivery_count=8)

    outcome, publisher = await _consume(delivery, _failing(TransientError("No.", reason="AWAY")))

    assert outcome is DeliveryOutcome.DEAD
    assert publisher.published[0].message.reason == "AWAY"
    assert delivery.acked


async def test_burying_twice_repeats_the_ids() -> None:
    """A crash between dead letter and ack adds no second dead letter."""
    _, first = await _consume(delivery_of(GONE), _failing(PermanentError("No.")))
    _, second = await _consume(delivery_of(GONE, delivery_count=2), _failing(PermanentError("No.")))

    assert [out.event_id for out in first.published] == [out.event_id for out in second.published]
    assert len({out.event_id for out in first.published}) == 2


async def test_undecodable_bytes_die_with_the_page_of_their_headers() -> None:
    """PageDead names page and fetch although the body cannot be read."""
    delivery = replace(delivery_of(GONE), data=b"\xff\xff\xff")

    outcome, publisher = await _consume(delivery)

    dead = publisher.published[1].message
    assert outcome is DeliveryOutcome.DEAD
    assert (dead.page_id, dead.fetch_id, dead.reason) == ("page-1", "fetch-1", "DECODE_FAILED")


async def test_a_dead_command_names_its_job() -> None:
    """The subject of a message about a job is no page."""
    command = CancelJob(job_id=JobId("job-1"))

    _, publisher = await _consume(
        delivery_of(command), _failing(PermanentError("No.")), message=CancelJob
    )

    dead = publisher.published[1].message
    assert (dead.page_id, dead.job_id) == ("", "job-1")


async def test_a_dead_page_dead_begets_no_other() -> None:
    """Giving up PageDead itself leaves only a dead letter, or it would go round for ever."""
    message = PageDead(page_id=PageId("page-1"), reason="X")

    _, publisher = await _consume(
        delivery_of(message), _failing(PermanentError("No.")), message=PageDead
    )

    assert [type(message) for message in publisher.messages] == [DeadLetter]


async def test_a_missing_header_is_buried() -> None:
    """A message without `ce-id` cannot be handled exactly once."""
    whole = delivery_of(GONE)
    headers = {name: value for name, value in whole.headers.items() if name != EVENT_ID}

    outcome, publisher = await _consume(replace(whole, headers=headers))

    assert outcome is DeliveryOutcome.DEAD
    assert publisher.published[0].message.reason == "HEADER_MISSING"


async def test_a_failing_publication_leaves_the_message_unacknowledged() -> None:
    """Without a PubAck of every output there is no ack."""
    publisher = RecordingPublisher(failures=[TransientError("No PubAck.")])

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        return [OUTPUT]

    delivery = delivery_of(GONE)
    outcome, _ = await _consume(delivery, handle, publisher=publisher)

    assert outcome is DeliveryOutcome.RETRIED
    assert not delivery.acked


@pytest.mark.parametrize(
    "change",
    [
        {"subject": "scops.crawl.v1.page_dead.bulk.fetcher"},
        {"subject": "scops.crawl.v1.page_gone.now.1c"},
        {"headers": {**delivery_of(GONE).headers, "Nats-Sequence": "7"}},
    ],
)
async def test_what_came_another_way_than_its_subject_is_buried(change: dict[str, Any]) -> None:
    """Another subject, or the headers of a reply of the server: nobody published it here."""
    delivery = replace(delivery_of(GONE), **change)

    outcome, publisher = await _consume(delivery, _failing(AssertionError("It was handled.")))

    assert outcome is DeliveryOutcome.DEAD
    assert publisher.published[0].message.reason == "SUBJECT_FOREIGN"


async def test_a_failing_burial_is_tried_again() -> None:
    """When the dead letters cannot be reached, the message stays."""
    publisher = RecordingPublisher(failures=[TransientError("No PubAck.")])
    delivery = delivery_of(GONE)

    outcome, _ = await _consume(delivery, _failing(PermanentError("No.")), publisher=publisher)

    assert outcome is DeliveryOutcome.RETRIED
    assert not delivery.acked
    assert delivery.naks == [1.0]


async def test_an_unconfirmed_ack_and_a_failing_nak_raise_nothing() -> None:
    """The acknowledgement timer brings back what the server did not hear about."""
    delivery = delivery_of(GONE)
    delivery.failures = [TransientError("No answer."), TransientError("No answer.")]

    outcome, _ = await _consume(delivery)

    assert outcome is DeliveryOutcome.RETRIED
    assert not delivery.acked


async def test_the_heartbeat_beats_while_the_handler_works_and_not_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`in_progress` is sent at its interval until the delivery ends."""
    monkeypatch.setattr(heartbeat, "INTERVAL_SECONDS", 0.05)
    delivery = delivery_of(GONE)

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        await asyncio.sleep(0.25)
        return ()

    consumer = Consumer(
        role=Role.CHANGE_DETECTOR, contract=BY_TYPE[PageGone], lane=Lane.BULK, handler=handle
    )
    await consume(
        delivery,
        consumer,
        publisher=RecordingPublisher(),
        clock=ManualClock(),
        policy=POLICY,
        heartbeat=Heartbeat,
    )
    beats = delivery.beats
    await asyncio.sleep(0.12)

    assert 3 <= beats <= 5
    assert delivery.beats == beats


async def test_the_trail_of_a_message_reaches_what_it_causes() -> None:
    """Trace, request and job pass from a delivery to the headers of its outputs, no further."""
    trail = {
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "scops-request-id": "request-1",
        "scops-job-id": "job-1",
    }
    seen: list[dict[str, str]] = []

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        outgoing = Outgoing(
            message=OUTPUT, event_id=EventId("e"), organisation_id="main", lane=Lane.BULK
        )
        headers = headers_of(outgoing, now=START)
        seen.append({name: headers[name] for name in trail})
        return ()

    whole = delivery_of(GONE)
    await _consume(replace(whole, headers={**whole.headers, **trail}), handle)

    assert [trail] == seen
    assert current() == NOWHERE


def test_headers_carry_the_ids_and_leave_absent_ones_out() -> None:
    """Headers are CloudEvents names; the message id for deduplication equals `ce-id`."""
    unmodified = PageUnmodified(
        page_id=PageId("page-1"), fetch_id=FetchId("fetch-1"), observed_time=START
    )
    outgoing = Outgoing(
        message=unmodified, event_id=EventId("e-1"), organisation_id="main", lane=Lane.NOW
    )

    assert headers_of(outgoing, now=START) == {
        "ce-id": "e-1",
        "Nats-Msg-Id": "e-1",
        "ce-type": "scops.crawl.v1.PageUnmodified",
        "ce-time": "2026-03-01T12:00:00+00:00",
        "ce-subject": "page-1",
        "scops-organisation": "main",
        "scops-fetch-id": "fetch-1",
    }
