"""Dead letters can be read, mended and delivered again to the one consumer that gave up."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from scops.common.bus.admin.dead_letters import DeadLetters, chosen, message_type
from scops.common.bus.consume.router import ServiceRouter
from scops.common.bus.nats_bus import NatsBus
from scops.common.bus.publish.headers import headers_of
from scops.common.contract import service_table, wire
from scops.common.contract.errors import InvalidInput, NotFound, PermanentError
from scops.common.contract.messages.change import VersionAdded
from scops.common.contract.messages.content import PageExtracted
from scops.common.contract.messages.crawl import PageDead, PageFetched, PageGone, PageUnmodified
from scops.common.contract.service_table import BY_TYPE, Lane, Role
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service
from tests.connected.waiting import until
from tests.fakes.clock import START
from tests.fakes.worlds.services import Recorder, minimal, outgoing, page_gone, service_of

Run = Callable[[Sequence[Service]], Awaitable[Runner]]
DETECTOR = Role.CHANGE_DETECTOR


def dead_letters(bus: NatsBus) -> DeadLetters:
    """Returns the port under test."""
    return DeadLetters(bus.jetstream, bus.publisher, clock=SystemClock())


@dataclass
class Broken:
    """A handler with a bug that can be mended."""

    mended: bool = False

    def __call__(self, message: object, cause: object) -> Sequence[object]:
        if not self.mended:
            raise PermanentError("The handler has a bug.", reason="BUG")
        return ()


async def test_a_replayed_letter_is_handled_and_marked(bus: NatsBus, run: Run) -> None:
    """After the bug is mended the message is handled under a new id, and the letter says so."""
    broken, ledger = Broken(), Recorder()
    recorder = Recorder(react=broken)
    await run(
        [service_of(DETECTOR, PageGone, recorder), service_of(Role.FETCHER, PageDead, ledger)]
    )
    await bus.publisher.publish(outgoing(page_gone(7), "gone-7"))
    await until(lambda: len(ledger.seen) == 1)
    (held,) = await dead_letters(bus).all()
    assert ("BUG", "The handler has a bug.") == (held.letter.reason, held.letter.detail)
    broken.mended = True

    event_id = await dead_letters(bus).replay(held)

    await until(lambda: recorder.finished == 2)
    (marked,) = await dead_letters(bus).all()
    assert ["gone-7", event_id] == recorder.event_ids
    assert page_gone(7) == recorder.seen[1][0]
    assert event_id == marked.letter.replay_event_id
    assert marked.letter.replayed_time is not None
    assert held.letter.dead_letter_id == marked.letter.dead_letter_id
    assert [] == chosen([marked])
    assert 1 == len(ledger.seen)


async def test_a_replay_reaches_nobody_else(bus: NatsBus, run: Run) -> None:
    """Other consumers of the event have handled it: they do not see it again."""
    broken, fetcher = Broken(), Recorder()
    detector = Recorder(react=broken)
    await run(
        [
            service_of(DETECTOR, PageExtracted, detector),
            service_of(Role.FETCHER, PageExtracted, fetcher),
        ]
    )
    await bus.publisher.publish(outgoing(minimal(PageExtracted), "extracted-1"))
    await until(lambda: fetcher.finished == detector.finished == 1)
    await until(lambda: _count(bus, 1))
    broken.mended = True
    (held,) = await dead_letters(bus).all()

    await dead_letters(bus).replay(held)

    await until(lambda: detector.finished == 2)
    await until(lambda: _is_drained(bus))
    assert ["extracted-1"] == fetcher.event_ids


async def _is_drained(bus: NatsBus) -> bool:
    """Whether nobody is owed the event any more: the stream has forgotten it."""
    info = await bus.jetstream.stream_info(BY_TYPE[PageExtracted].stream.name)
    return bool(info.state.messages == 0)


async def _count(bus: NatsBus, wanted: int) -> bool:
    return len(await dead_letters(bus).all()) == wanted


async def test_an_unmended_message_dies_again_as_a_letter_of_its_own(
    bus: NatsBus, run: Run
) -> None:
    """A replay of what is still poison neither loops nor hides the first letter."""
    await run([service_of(DETECTOR, PageGone, Recorder(react=Broken()))])
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))
    await until(lambda: _count(bus, 1))
    (held,) = await dead_letters(bus).all()

    await dead_letters(bus).replay(held)

    await until(lambda: _count(bus, 2))
    assert 1 == len(chosen(await dead_letters(bus).all()))


async def test_a_letter_is_found_by_the_beginning_of_its_id(bus: NatsBus, run: Run) -> None:
    """An unknown beginning, and one that several share, are refused with what to do."""
    await run([service_of(DETECTOR, PageGone, Recorder(react=Broken()))])
    for number in range(3):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
    await until(lambda: _count(bus, 3))
    letters = dead_letters(bus)
    one = (await letters.all())[1].letter

    assert one == (await letters.find(one.dead_letter_id[:13])).letter
    with pytest.raises(NotFound, match="deadletters list"):
        await letters.find("zzz")
    with pytest.raises(InvalidInput, match="more of the id"):
        await letters.find("")


async def test_a_dropped_letter_is_gone(bus: NatsBus, run: Run) -> None:
    """Dropping removes one letter and leaves the others."""
    await run([service_of(DETECTOR, PageGone, Recorder(react=Broken()))])
    for number in range(3):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
    await until(lambda: _count(bus, 3))
    first, second, third = await dead_letters(bus).all()

    await dead_letters(bus).drop(second)

    assert (first, third) == await dead_letters(bus).all()


async def test_without_its_consumer_a_letter_stays(bus: NatsBus, run: Run) -> None:
    """A message that nobody would take is not thrown away by replaying it."""
    runner = await run([service_of(DETECTOR, PageGone, Recorder(react=Broken()))])
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))
    await until(lambda: _count(bus, 1))
    await runner.stop()
    (held,) = await dead_letters(bus).all()
    await bus.jetstream.delete_consumer(held.letter.stream, held.letter.consumer)

    with pytest.raises(NotFound, match="scops provision"):
        await dead_letters(bus).replay(held)

    assert (held,) == await dead_letters(bus).all()


Poison = Callable[[bytes, dict[str, str]], tuple[bytes, dict[str, str]]]


def _header(name: str, value: str | None) -> Poison:
    def apply(data: bytes, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
        changed = {key: text for key, text in {**headers, name: value}.items() if text}
        return data, changed

    return apply


def _body(change: Callable[[bytes], bytes]) -> Poison:
    return lambda data, headers: (change(data), headers)


POISONS: dict[str, Poison] = {
    "no-id": _header("ce-id", None),
    "no-type": _header("ce-type", None),
    "no-time": _header("ce-time", None),
    "no-organisation": _header("scops-organisation", None),
    "other-version": _header("ce-type", "scops.crawl.v2.PageGone"),
    "other-type": _header("ce-type", "scops.crawl.v1.CrawlScope"),
    "no-instant": _header("ce-time", "the day before yesterday"),
    "bytes": _body(lambda data: b"\xff\xff\xff"),
    "text": _body(lambda data: b"hello, I am text"),
    "json": _body(lambda data: b'{"page_id": "page"}'),
}
KINDS = (PageGone, PageUnmodified)
EACH = 3


async def test_twenty_kinds_of_poison_end_in_exactly_that_many_letters(
    bus: NatsBus, run: Run
) -> None:
    """Ten poisons of two events, three of each: 60 letters, no loop; mended, all are handled."""
    broken = Broken()
    recorders = {kind: Recorder(react=broken) for kind in KINDS}
    healthy = Recorder()
    router = ServiceRouter(DETECTOR)
    for kind, recorder in recorders.items():
        router.consumes(kind)(recorder)
    await run(
        [
            Service(role=DETECTOR, router=router),
            service_of(Role.INDEXER, VersionAdded, healthy),
            service_of(Role.EXTRACTOR, PageFetched, Recorder()),
        ]
    )
    for (name, poison), kind, number in product(POISONS.items(), KINDS, range(EACH)):
        await _publish_poison(bus, kind, poison, f"{name}-{kind.__name__}-{number}")
    for kind, number in product(KINDS, range(EACH)):
        await bus.publisher.publish(outgoing(minimal(kind), f"bug-{kind.__name__}-{number}"))
    expected = (len(POISONS) + 1) * len(KINDS) * EACH

    await until(lambda: _count(bus, expected), timeout_seconds=60)
    await until(lambda: _is_drained_detector(bus))
    letters = await dead_letters(bus).all()
    assert expected == len(letters)
    assert all(held.letter.reason for held in letters)
    assert {*KINDS} == {message_type(held.letter) for held in letters}
    broken.mended = True
    for held in chosen(letters, reason="BUG"):
        await dead_letters(bus).replay(held)

    await until(lambda: sum(one.finished for one in recorders.values()) == 2 * len(KINDS) * EACH)
    await until(lambda: _is_drained_detector(bus))
    assert expected == len(await dead_letters(bus).all())
    assert len(POISONS) * len(KINDS) * EACH == len(chosen(await dead_letters(bus).all()))


async def _is_drained_detector(bus: NatsBus) -> bool:
    return await bus.backlog(DETECTOR) == 0


async def _publish_poison(bus: NatsBus, kind: type[Any], poison: Poison, name: str) -> None:
    message = minimal(kind)
    data, headers = poison(wire.encode(message), headers_of(outgoing(message, name), now=START))
    await bus.jetstream.publish(
        service_table.subject_of(message, lane=Lane.BULK, organisation_id="main"),
        data,
        stream=BY_TYPE[kind].stream.name,
        headers=headers,
    )
