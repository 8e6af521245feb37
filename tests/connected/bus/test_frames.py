"""Frames on a real server: each message once, by its own durable, to its own end."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from scops.common.bus.nats_bus import NatsBus
from scops.common.bus.ports import Cause, Caused, Outgoing
from scops.common.bus.publish.gathering import FRAME_ITEMS_MAX, Gathering
from scops.common.contract import wire
from scops.common.contract.errors import PermanentError, StoreUnavailable, TransientError
from scops.common.contract.ids import PageId
from scops.common.contract.messages.content import PageExtracted
from scops.common.contract.messages.crawl import DeadLetter, PageFetched
from scops.common.contract.service_table import DEAD_LETTER_STREAM, FETCHER_STREAM, Role
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service
from tests.connected.waiting import until
from tests.fakes.worlds.services import Recorder, minimal, outgoing, service_of

Run = Callable[[Sequence[Service]], Awaitable[Runner]]
EXTRACTOR = Role.EXTRACTOR


def fetched(number: int) -> Outgoing:
    page = replace(minimal(PageFetched), page_id=PageId(f"page-{number}"))
    return outgoing(page, f"event-{number}")


async def publish(bus: NatsBus, count: int) -> None:
    """Publishes pages together, as an outbox does."""
    together = Gathering(bus.publisher, clock=SystemClock())

    async def one(number: int) -> None:
        await together.publish(fetched(number))
        together.end()

    for _ in range(count):
        together.begin()
    await asyncio.gather(*(one(number) for number in range(count)))


async def stored(bus: NatsBus, stream: str) -> int:
    return int((await bus.jetstream.stream_info(stream)).state.last_seq)


async def is_drained(bus: NatsBus) -> bool:
    return await bus.backlog(EXTRACTOR) == 0


async def test_many_messages_are_few_publications_and_each_is_handled_once(
    bus: NatsBus, run: Run
) -> None:
    """What the handlers of a frame return leaves together, too."""

    def react(message: Any, cause: Cause) -> Sequence[Any]:
        return (replace(minimal(PageExtracted), page_id=message.page_id),)

    recorder, detector = Recorder(react=react), Recorder()
    await run(
        [
            service_of(EXTRACTOR, PageFetched, recorder, concurrency=2),
            service_of(Role.CHANGE_DETECTOR, PageExtracted, detector),
        ]
    )
    await publish(bus, 2 * FRAME_ITEMS_MAX)

    await until(lambda: len(detector.seen) == 2 * FRAME_ITEMS_MAX)
    await until(lambda: is_drained(bus))
    pages = {f"page-{number}" for number in range(2 * FRAME_ITEMS_MAX)}
    assert sorted(f"event-{number}" for number in range(64)) == sorted(recorder.event_ids)
    assert pages == {message.page_id for message, _ in detector.seen}
    assert 2 == recorder.most_at_once
    assert 2 == await stored(bus, FETCHER_STREAM.name)
    assert await stored(bus, "SCOPS_EXTRACTOR") < 8


async def test_items_that_fail_come_again_and_end_by_themselves(bus: NatsBus, run: Run) -> None:
    """One that goes through at last, one that is poison; the others are handled once."""
    failures = {"event-1": 2}

    def react(message: Any, cause: Cause) -> Sequence[Any]:
        if cause.event_id == "event-2":
            raise PermanentError("It is poison.", reason="POISON")
        if failures.get(cause.event_id):
            failures[cause.event_id] -= 1
            raise TransientError("Not now.", reason="AWAY")
        return ()

    recorder = Recorder(react=react)
    await run([service_of(EXTRACTOR, PageFetched, recorder)])
    await publish(bus, 4)

    await until(lambda: recorder.event_ids.count("event-1") == 3)
    await until(lambda: is_drained(bus))
    counts = [cause.delivery_count for _, cause in recorder.seen if cause.event_id == "event-1"]
    assert [1, 2, 3] == counts
    assert 6 == len(recorder.seen)
    assert ["POISON"] == [letter.reason for letter in await letters(bus)]
    assert fetched(2).message == wire.decode(PageFetched, (await letters(bus))[0].data)


async def letters(bus: NatsBus) -> list[DeadLetter]:
    count = await stored(bus, DEAD_LETTER_STREAM.name)
    found = [
        await bus.jetstream.get_msg(DEAD_LETTER_STREAM.name, sequence)
        for sequence in range(1, count + 1)
    ]
    return [wire.decode(DeadLetter, one.data or b"") for one in found]


async def test_a_store_that_refuses_holds_the_frame_and_what_comes_after(
    bus: NatsBus, run: Run
) -> None:
    """Nothing is published again meanwhile, and no further frame is pulled."""
    away = True

    def react(message: Any, cause: Cause) -> Sequence[Any]:
        if away:
            raise StoreUnavailable("The store is away.")
        return ()

    recorder = Recorder(react=react)
    await run([service_of(EXTRACTOR, PageFetched, recorder, concurrency=1)])
    await publish(bus, 3)
    await until(lambda: bool(recorder.seen))
    before = await stored(bus, FETCHER_STREAM.name)
    await publish(bus, 2)
    await asyncio.sleep(0.5)

    assert before + 1 == await stored(bus, FETCHER_STREAM.name)
    away = False
    await until(lambda: is_drained(bus))
    assert {f"event-{number}" for number in range(3)} == set(recorder.event_ids)
    assert {1} == {cause.delivery_count for _, cause in recorder.seen}


async def test_a_stop_gives_a_frame_back_whole(bus: NatsBus, run: Run) -> None:
    """Another process takes it at once; none of its items is published again alone."""
    slow, quick = Recorder(delay_seconds=60.0), Recorder()
    runner = await run([service_of(EXTRACTOR, PageFetched, slow)])
    await publish(bus, 3)
    await until(lambda: len(slow.seen) == 3)
    await runner.stop()
    await run([service_of(EXTRACTOR, PageFetched, quick)])

    await until(lambda: len(quick.seen) == 3)
    await until(lambda: is_drained(bus))
    assert 1 == await stored(bus, FETCHER_STREAM.name)


async def test_items_are_handled_at_once_and_those_left_out_alone(bus: NatsBus, run: Run) -> None:
    """Outputs leave as ever, poison is buried by itself, and where many fail each goes alone."""
    detector, at_once = Recorder(), list[list[str]]()

    def react(message: Any, cause: Cause) -> Sequence[Any]:
        if cause.event_id == "event-1":
            raise PermanentError("It is poison.", reason="POISON")
        return (replace(minimal(PageExtracted), page_id=message.page_id),)

    async def many(items: Sequence[Caused]) -> Sequence[Sequence[Any] | None]:
        at_once.append([cause.event_id for _, cause in items])
        if len(at_once) > 1:
            raise StoreUnavailable("The store is away.")
        return [
            None if cause.event_id in ("event-1", "event-2") else react(message, cause)
            for message, cause in items
        ]

    recorder = Recorder(react=react)
    await run(
        [
            service_of(EXTRACTOR, PageFetched, recorder, many=many),
            service_of(Role.CHANGE_DETECTOR, PageExtracted, detector),
        ]
    )
    await publish(bus, 5)
    await until(lambda: len(detector.seen) == 4)
    await until(lambda: is_drained(bus))
    assert [[f"event-{number}" for number in range(5)]] == at_once
    assert ["event-1", "event-2"] == sorted(recorder.event_ids)
    assert ["POISON"] == [letter.reason for letter in await letters(bus)]
    recorder.seen.clear()
    together = Gathering(bus.publisher, clock=SystemClock())
    together.begin()
    together.begin()
    await asyncio.gather(*(together.publish(fetched(number)) for number in (7, 8)))

    await until(lambda: len(detector.seen) == 6)
    assert ["event-7", "event-8"] == at_once[1]
    assert ["event-7", "event-8"] == sorted(recorder.event_ids)
