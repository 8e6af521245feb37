"""What some sources publish in lane bulk leaves together, and each learns how that went."""

import asyncio
from collections import Counter

import pytest

from scops.common.bus.ports import Outgoing
from scops.common.bus.publish import gathering
from scops.common.bus.publish import headers as names
from scops.common.bus.publish.gathering import FRAME_BYTES_MAX, FRAME_ITEMS_MAX, Gathering
from scops.common.bus.publish.sealing import sealed_bytes
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import PageFetched, PageGone
from scops.common.contract.service_table import Lane
from scops.common.observe.trail import Trail, following
from tests.fakes.bus import RecordingPublisher
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.services import minimal, outgoing, page_gone


def fetched(number: int, *, url: str = "", lane: Lane = Lane.BULK) -> Outgoing:
    page = minimal(PageFetched)
    message = type(page)(**{**fields_of(page), "page_id": PageId(f"page-{number}"), "url": url})
    return outgoing(message, f"event-{number}", lane=lane)


def fields_of(message: PageFetched) -> dict[str, object]:
    return {name: getattr(message, name) for name in message.__dataclass_fields__}


async def publish(messages: list[Outgoing], publisher: RecordingPublisher) -> list[object]:
    """Publishes each from a source of its own; returns what each publication raised, or None."""
    together = Gathering(publisher, clock=ManualClock())

    async def source(message: Outgoing) -> None:
        try:
            await together.publish(message)
        finally:
            together.end()

    for _ in messages:
        together.begin()
    return await asyncio.gather(*(source(one) for one in messages), return_exceptions=True)


async def test_what_sources_publish_leaves_in_one_frame_in_its_order() -> None:
    """Each message keeps its event id; the frame's own follows from theirs."""
    publisher = RecordingPublisher()
    await publish([fetched(number) for number in range(3)], publisher)

    (frame,) = publisher.sent
    assert ["event-0", "event-1", "event-2"] == [one.event_id for one in publisher.published]
    assert (3, "scops.crawl.v1.page_fetched.frames.any") == (frame.count, frame.subject)
    again = RecordingPublisher()
    await publish([fetched(number) for number in range(3)], again)
    assert frame.headers[names.MESSAGE_ID] == again.sent[0].headers[names.MESSAGE_ID]


async def test_a_frame_is_bounded_by_number_and_by_size() -> None:
    """What does not fit goes in the next one; what is larger than a frame goes alone."""
    publisher = RecordingPublisher()
    await publish([fetched(number) for number in range(FRAME_ITEMS_MAX + 2)], publisher)

    assert [FRAME_ITEMS_MAX, 2] == [one.count for one in publisher.sent]
    large = RecordingPublisher()
    big = "x" * (FRAME_BYTES_MAX // 3)
    huge = fetched(9, url="x" * FRAME_BYTES_MAX)
    await publish([*(fetched(number, url=big) for number in range(4)), huge], large)
    assert [2, 2, 1] == [one.count for one in large.sent]
    assert all(sealed_bytes(one) < FRAME_BYTES_MAX + 4096 for one in large.sent[:2])


async def test_lane_now_and_other_messages_go_alone_and_at_once() -> None:
    """They wait for no source; their form is that of ever."""
    publisher = RecordingPublisher()
    together = Gathering(publisher, clock=ManualClock())
    together.begin()
    together.begin()
    await together.publish(fetched(1, lane=Lane.NOW))
    await together.publish(outgoing(page_gone(), "gone"))

    assert [] == publisher.sent
    assert Counter({PageFetched: 1, PageGone: 1}) == Counter(map(type, publisher.messages))


async def test_a_failing_frame_fails_for_each_source() -> None:
    """None of its messages is taken for published."""
    publisher = RecordingPublisher(failures=[StoreUnavailable("No PubAck.")])
    raised = await publish([fetched(number) for number in range(3)], publisher)

    assert [StoreUnavailable] * 3 == [type(one) for one in raised]
    assert [] == publisher.published


async def test_a_slow_source_holds_up_the_others_for_a_moment_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is there by then leaves."""
    monkeypatch.setattr(gathering, "WAIT_SECONDS", 0.01)
    publisher = RecordingPublisher()
    together = Gathering(publisher, clock=ManualClock())
    for _ in range(3):
        together.begin()
    await asyncio.gather(together.publish(fetched(1)), together.publish(fetched(2)))

    assert [2] == [one.count for one in publisher.sent]


async def test_each_message_keeps_its_trail() -> None:
    """That of whoever published it, not that of who sent the frame."""
    publisher = RecordingPublisher()
    together = Gathering(publisher, clock=ManualClock())

    async def source(number: int) -> None:
        with following(Trail(job_id=f"job-{number}")):
            await together.publish(fetched(number))
        together.end()

    together.begin()
    together.begin()
    await asyncio.gather(source(1), source(2))

    assert ["job-1", "job-2"] == [
        item.headers["scops-job-id"] for item in publisher.frames[0].items
    ]
