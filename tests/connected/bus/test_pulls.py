"""Pulling from a real server: places share requests, and no request is waited for in vain."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from nats.aio.msg import Msg

from scops.common.bus.admin.topology import Durable, durables_of
from scops.common.bus.consume import pulls
from scops.common.bus.consume.pulls import SharedPull
from scops.common.bus.nats_bus import NatsBus
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import Lane, Role
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.gate import Gate
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service
from tests.connected.waiting import until
from tests.fakes.worlds.services import Recorder, outgoing, page_gone, service_of

Run = Callable[[Sequence[Service]], Awaitable[Runner]]
DETECTOR = Role.CHANGE_DETECTOR
DURABLE = "change-detector-page_gone-bulk"
PLACES = 8


async def publish(bus: NatsBus, first: int, count: int) -> None:
    for number in range(first, first + count):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))


async def test_places_share_requests(
    bus: NatsBus, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backlog is handled whole, each message once, with several messages to a request."""
    # However slow the machine is.
    monkeypatch.setattr(pulls, "QUICK_SECONDS", 60.0)
    count = 80
    await publish(bus, 0, count)
    requests: list[Msg] = []

    async def note(message: Msg) -> None:
        requests.append(message)

    await bus.client.subscribe(f"$JS.API.CONSUMER.MSG.NEXT.*.{DURABLE}", cb=note)
    recorder = Recorder()
    await run([service_of(DETECTOR, PageGone, recorder, concurrency=PLACES)])

    await until(lambda: recorder.finished == count)
    assert count == len(set(recorder.event_ids))
    assert 1 <= len(requests) <= count // 3


async def test_every_place_is_served_after_requests_have_run_out(bus: NatsBus, run: Run) -> None:
    """What the server let expire is asked for again, for as many as wait."""
    recorder = Recorder(delay_seconds=0.5)
    await run([service_of(DETECTOR, PageGone, recorder, concurrency=PLACES)])
    for round_number in range(2):
        await asyncio.sleep(1.5 * pulls.TIMEOUT_SECONDS)
        recorder.most_at_once = 0
        await publish(bus, round_number * PLACES, PLACES)
        await until(lambda: recorder.finished == (round_number + 1) * PLACES)  # noqa: B023
        assert PLACES == recorder.most_at_once


async def test_a_stop_handles_what_was_sent_ahead(
    bus: NatsBus, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the server had sent beyond the places is handled too, so that nothing comes twice."""
    monkeypatch.setattr(pulls, "QUICK_SECONDS", 60.0)
    recorder = Recorder(delay_seconds=0.3)
    runner = await run([service_of(DETECTOR, PageGone, recorder, concurrency=2)])
    await publish(bus, 0, 40)
    # Once the first ones have shown how quickly they are handled, more are sent.
    await until(lambda: recorder.finished == 4)
    begun = len(recorder.seen)

    await runner.stop()

    assert begun < recorder.finished == len(set(recorder.event_ids))
    consumer = await bus.jetstream.consumer_info("SCOPS_FETCHER", DURABLE)
    assert recorder.finished == consumer.delivered.consumer_seq == consumer.ack_floor.consumer_seq
    assert 40 - recorder.finished == consumer.num_pending


async def test_what_is_asked_for_amid_a_stop_is_handled(bus: NatsBus, run: Run) -> None:
    """An interest that ended while the server answered would let it count what nobody heard."""
    runner = await run([service_of(DETECTOR, PageGone, Recorder(), concurrency=1)])
    await runner.stop()
    await publish(bus, 0, 150)
    (durable,) = (
        one
        for one in durables_of([DETECTOR])
        if one.contract.message is PageGone and one.lane is Lane.BULK
    )
    handled = 0
    for _ in range(60):
        handled += await _stopped_at_once(bus, durable)
        consumer = await bus.jetstream.consumer_info("SCOPS_FETCHER", DURABLE)
        assert handled == consumer.delivered.consumer_seq


async def _stopped_at_once(bus: NatsBus, durable: Durable) -> int:
    """Stops a pull whose first request is on its way; returns how many messages it handled."""
    handled: list[Msg] = []

    async def handle(message: Msg) -> None:
        handled.append(message)
        await message.ack()

    pull = SharedPull(bus.client, durable, slots=2, gate=Gate(), clock=SystemClock())
    await pull.open()
    slots = [asyncio.create_task(pull.serve(handle)) for _ in range(2)]
    # The slots ask.
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await pull.close()
    await pull.idle()
    for slot in slots:
        slot.cancel()
    await pull.unsubscribe()
    return len(handled)
