"""Consuming from a real server: nothing is lost, nothing storms, everything ends."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import pytest
from nats.js.api import ConsumerConfig

from scops.common.bus.consume import heartbeat
from scops.common.bus.nats_bus import NatsBus
from scops.common.bus.publish.headers import headers_of
from scops.common.config.settings import CommonSettings
from scops.common.contract import service_table, wire
from scops.common.contract.errors import PermanentError, TransientError
from scops.common.contract.messages.crawl import DeadLetter, FetchFailed, PageDead, PageGone
from scops.common.contract.service_table import BY_TYPE, DEAD_LETTER_STREAM, Lane, Role
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service
from tests.connected.waiting import until
from tests.fakes.clock import START
from tests.fakes.worlds.services import Recorder, minimal, outgoing, page_gone, service_of

Run = Callable[[Sequence[Service]], Awaitable[Runner]]
DETECTOR = Role.CHANGE_DETECTOR


async def _dead_letters(bus: NatsBus) -> list[DeadLetter]:
    info = await bus.jetstream.stream_info(DEAD_LETTER_STREAM.name)
    return [
        wire.decode(
            DeadLetter,
            (await bus.jetstream.get_msg(DEAD_LETTER_STREAM.name, sequence)).data or b"",
        )
        for sequence in range(1, info.state.last_seq + 1)
    ]


async def test_a_raising_handler_loses_nothing_and_does_not_storm(bus: NatsBus, run: Run) -> None:
    """An error redelivers the message after its delay; the default policy would drop it."""
    attempts: list[float] = []

    def react(message: object, cause: object) -> Sequence[object]:
        attempts.append(time.monotonic())
        if len(attempts) < 3:
            raise ZeroDivisionError("a bug that goes away")
        return ()

    await run([service_of(DETECTOR, PageGone, Recorder(react=react))])
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))

    await until(lambda: len(attempts) == 3)
    await asyncio.sleep(0.5)
    first, second, third = attempts
    assert second - first >= 0.2
    assert third - second >= 0.4
    assert await bus.backlog(DETECTOR) == 0
    assert await _dead_letters(bus) == []


async def test_poison_ends_in_one_dead_letter_one_page_dead_and_an_ack(
    bus: NatsBus, run: Run
) -> None:
    """What cannot succeed is buried once, told to the ledger, and leaves the stream."""

    def react(message: object, cause: object) -> Sequence[object]:
        raise PermanentError("It is poison.", reason="POISON")

    ledger = Recorder()
    await run(
        [
            service_of(DETECTOR, PageGone, Recorder(react=react)),
            service_of(Role.FETCHER, PageDead, ledger),
        ]
    )
    await bus.publisher.publish(outgoing(page_gone(7), "gone-7"))

    await until(lambda: len(ledger.seen) == 1)
    await until(lambda: _is_drained(bus))
    (letter,) = await _dead_letters(bus)
    dead = ledger.seen[0][0]
    assert (dead.page_id, dead.fetch_id, dead.reason) == ("page-7", "fetch-7", "POISON")
    assert dead.dead_letter_id == letter.dead_letter_id
    assert wire.decode(PageGone, letter.data) == page_gone(7)


async def _is_drained(bus: NatsBus) -> bool:
    return await bus.backlog(DETECTOR) == 0


async def test_transient_failures_end_after_the_last_delivery(
    bus: NatsBus, run: Run, common: CommonSettings
) -> None:
    """A message that keeps failing is delivered a bounded number of times, then buried."""

    def react(message: object, cause: object) -> Sequence[object]:
        raise TransientError("Still away.", reason="AWAY")

    recorder = Recorder(react=react)
    await run([service_of(DETECTOR, PageGone, recorder)])
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))

    await until(lambda: len(recorder.seen) == common.bus_deliveries_max)
    await until(lambda: _is_drained(bus))
    assert [letter.reason for letter in await _dead_letters(bus)] == ["AWAY"]


async def test_undecodable_bytes_are_buried(bus: NatsBus, run: Run) -> None:
    """Bytes that are no such message reach no handler, and do not come back."""
    recorder, ledger = Recorder(), Recorder()
    await run(
        [
            service_of(DETECTOR, PageGone, recorder),
            service_of(Role.FETCHER, PageDead, ledger),
        ]
    )
    message = page_gone(3)
    await bus.jetstream.publish(
        service_table.subject_of(message, lane=Lane.BULK, organisation_id="main"),
        b"\xff\xff no protobuf",
        stream=BY_TYPE[PageGone].stream.name,
        headers=headers_of(outgoing(message, "gone-3"), now=START),
    )

    await until(lambda: len(ledger.seen) == 1)
    assert recorder.seen == []
    assert ledger.seen[0][0].page_id == "page-3"
    assert [letter.reason for letter in await _dead_letters(bus)] == ["DECODE_FAILED"]


@pytest.mark.parametrize(
    ("header", "value", "reason"),
    [
        ("ce-type", "scops.crawl.v2.PageGone", "UNKNOWN_TYPE"),
        ("ce-type", "scops.crawl.v1.PageFetched", "UNKNOWN_TYPE"),
        ("ce-type", "", "HEADER_MISSING"),
        ("ce-time", "yesterday", "HEADER_MALFORMED"),
    ],
)
async def test_a_message_of_an_unknown_version_is_buried(
    bus: NatsBus, run: Run, header: str, value: str, reason: str
) -> None:
    """What says to be of another type or version reaches no handler, and does not come back."""
    recorder, ledger = Recorder(), Recorder()
    await run(
        [
            service_of(DETECTOR, PageGone, recorder),
            service_of(Role.FETCHER, PageDead, ledger),
        ]
    )
    message = page_gone(3)
    headers = {**headers_of(outgoing(message, "gone-3"), now=START), header: value}
    await bus.jetstream.publish(
        service_table.subject_of(message, lane=Lane.BULK, organisation_id="main"),
        wire.encode(message),
        stream=BY_TYPE[PageGone].stream.name,
        headers={name: text for name, text in headers.items() if text},
    )

    await until(lambda: len(ledger.seen) == 1)
    assert recorder.seen == []
    assert (ledger.seen[0][0].page_id, ledger.seen[0][0].reason) == ("page-3", reason)
    assert [letter.reason for letter in await _dead_letters(bus)] == [reason]


async def test_outputs_are_stored_once_however_often_the_cause_is_delivered(
    bus: NatsBus, run: Run
) -> None:
    """A redelivered cause publishes the same ids, which the stream recognises."""
    runs = 0

    def react(message: object, cause: object) -> Sequence[object]:
        nonlocal runs
        runs += 1
        return [PageDead(page_id=page_gone().page_id, reason="OUTPUT")]

    ledger = Recorder()
    await run(
        [
            service_of(DETECTOR, PageGone, Recorder(react=react)),
            service_of(Role.FETCHER, PageDead, ledger),
        ]
    )
    message = page_gone()
    # The second publication has an id of its own, so the stream takes it; its cause id is the
    # same, as after a redelivery.
    for message_id in ("first", "again"):
        headers = headers_of(outgoing(message, "gone-1"), now=START)
        await bus.jetstream.publish(
            service_table.subject_of(message, lane=Lane.BULK, organisation_id="main"),
            wire.encode(message),
            stream=BY_TYPE[PageGone].stream.name,
            headers={**headers, "Nats-Msg-Id": message_id},
        )

    await until(lambda: runs == 2)
    await until(lambda: _is_drained(bus))
    await asyncio.sleep(0.2)
    assert len(ledger.seen) == 1


async def test_a_slow_handler_is_not_delivered_twice(
    bus: NatsBus, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The heartbeat renews the acknowledgement timer for as long as the handler works."""
    entry = BY_TYPE[PageGone]
    durable = service_table.durable_name(DETECTOR, entry, Lane.BULK)
    info = await bus.jetstream.consumer_info(entry.stream.name, durable)
    await bus.jetstream.add_consumer(entry.stream.name, _with_ack_wait(info.config, seconds=1.0))
    monkeypatch.setattr(heartbeat, "INTERVAL_SECONDS", 0.3)
    recorder = Recorder(delay_seconds=3.0)
    await run([service_of(DETECTOR, PageGone, recorder)])
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))

    await until(lambda: recorder.finished == 1)
    await until(lambda: _is_drained(bus))
    assert [cause.delivery_count for _, cause in recorder.seen] == [1]


def _with_ack_wait(config: ConsumerConfig, *, seconds: float) -> ConsumerConfig:
    return config.evolve(ack_wait=seconds)


async def test_a_stop_lets_handlers_finish_and_acknowledge(bus: NatsBus, run: Run) -> None:
    """A graceful stop waits for the handlers in progress; nothing is left to be redelivered."""
    recorder = Recorder(delay_seconds=0.5)
    runner = await run([service_of(DETECTOR, PageGone, recorder, concurrency=2)])
    for number in range(2):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
    await until(lambda: len(recorder.seen) == 2)

    await runner.stop()

    await asyncio.sleep(0.6)
    assert await bus.backlog(DETECTOR) == 0
    assert runner.state == "terminated"


@pytest.mark.parametrize("lane", list(Lane))
async def test_a_crowd_does_not_hold_up_the_other_lane(bus: NatsBus, run: Run, lane: Lane) -> None:
    """A person on lane now never waits behind a crawl, nor the other way round."""
    other = Lane.NOW if lane is Lane.BULK else Lane.BULK
    recorder = Recorder(delay_seconds=0.3)
    await run([service_of(DETECTOR, PageGone, recorder, concurrency=1)])
    for number in range(20):
        await bus.publisher.publish(outgoing(page_gone(number), f"crowd-{number}", lane=lane))
    await until(lambda: len(recorder.seen) >= 1)
    started = time.monotonic()
    await bus.publisher.publish(outgoing(page_gone(99), "person", lane=other))

    await until(lambda: "person" in recorder.event_ids)
    assert time.monotonic() - started < 1.0


async def test_a_slow_message_holds_up_no_other(bus: NatsBus, run: Run) -> None:
    """A free place takes the next message at once, whatever its neighbours are doing."""
    recorder = Recorder(delays={"slow": 3.0})
    await run([service_of(DETECTOR, PageGone, recorder, concurrency=2)])
    await bus.publisher.publish(outgoing(page_gone(0), "slow"))
    await until(lambda: recorder.event_ids == ["slow"])
    started = time.monotonic()
    for number in range(10):
        await bus.publisher.publish(outgoing(page_gone(number), f"quick-{number}"))

    await until(lambda: len(recorder.seen) == 11)
    assert time.monotonic() - started < 2.5


async def test_no_more_messages_are_handled_at_once_than_there_are_places(
    bus: NatsBus, run: Run
) -> None:
    """Concurrency is bounded by the subscription's own number."""
    recorder = Recorder(delay_seconds=0.1)
    await run([service_of(DETECTOR, PageGone, recorder, concurrency=3)])
    for number in range(12):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))

    await until(lambda: recorder.finished == 12)
    assert recorder.most_at_once == 3
    assert len(recorder.event_ids) == len(set(recorder.event_ids)) == 12


async def test_a_message_nobody_is_owed_is_acknowledged_and_gone(bus: NatsBus) -> None:
    """An interest stream keeps nothing without a durable: the sender still gets its PubAck."""
    stream = BY_TYPE[FetchFailed].stream.name
    for consumer in await bus.jetstream.consumers_info(stream):
        await bus.jetstream.delete_consumer(stream, consumer.name)
    await bus.publisher.publish(outgoing(minimal(FetchFailed), "failed-1"))

    info = await bus.jetstream.stream_info(stream)
    assert info.state.messages == 0
