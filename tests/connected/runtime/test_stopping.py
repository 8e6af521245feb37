"""A stop drains: what is in hand is finished, and nothing waits for its acknowledgement timer."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from scops.common.bus.nats_bus import NatsBus
from scops.common.config.settings import CommonSettings
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import BY_TYPE, Lane, Role, durable_name
from scops.common.runtime.platform import open_platform
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Loop, Service
from tests.connected.runtime.recording_process import started_process
from tests.connected.waiting import until
from tests.fakes.worlds.services import Recorder, outgoing, page_gone, service_of

Run = Callable[[Sequence[Service]], Awaitable[Runner]]
DETECTOR = Role.CHANGE_DETECTOR
ENTRY = BY_TYPE[PageGone]
DURABLE = durable_name(DETECTOR, ENTRY, Lane.BULK)


async def _redelivered(bus: NatsBus) -> int:
    info = await bus.jetstream.consumer_info(ENTRY.stream.name, DURABLE)
    return int(info.num_redelivered or 0)


async def _delivered_and_acknowledged(bus: NatsBus) -> tuple[int, int]:
    info = await bus.jetstream.consumer_info(ENTRY.stream.name, DURABLE)
    assert info.delivered is not None
    assert info.ack_floor is not None
    return info.delivered.consumer_seq, info.ack_floor.consumer_seq


async def test_a_stop_under_load_causes_no_redelivery(bus: NatsBus, run: Run) -> None:
    """Slow handlers finish and acknowledge; what was not taken stays with the server."""
    recorder = Recorder(delay_seconds=0.4)
    runner = await run([service_of(DETECTOR, PageGone, recorder, concurrency=4)])
    for number in range(40):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
    await until(lambda: recorder.finished >= 6)

    await runner.stop()

    delivered, acknowledged = await _delivered_and_acknowledged(bus)
    assert recorder.finished == len(recorder.seen) == acknowledged == delivered
    assert 0 == await _redelivered(bus)
    assert 40 - recorder.finished == await bus.backlog(DETECTOR)


async def test_what_is_not_finished_in_time_is_given_back_at_once(
    bus: NatsBus, common: CommonSettings, run: Run
) -> None:
    """Another process takes over without waiting for the acknowledgement timer of 30 s."""
    slow, quick = Recorder(delay_seconds=60.0), Recorder()
    runner = await run([service_of(DETECTOR, PageGone, slow)])
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))
    await until(lambda: len(slow.seen) == 1)
    await runner.stop()
    assert 0 == slow.finished

    await run([service_of(DETECTOR, PageGone, quick)])

    await until(lambda: quick.finished == 1, timeout_seconds=5.0)


async def test_an_idle_process_stops_at_once(bus: NatsBus, run: Run) -> None:
    """Nobody waits for a pull that waits for messages."""
    runner = await run([service_of(DETECTOR, PageGone, Recorder())])
    await asyncio.sleep(1.5)
    started = asyncio.get_running_loop().time()

    await runner.stop()

    assert asyncio.get_running_loop().time() - started < 0.7


async def test_a_lone_message_does_not_wait_for_company(bus: NatsBus, run: Run) -> None:
    """A message is handled at once, however many places stand idle."""
    recorder = Recorder()
    await run([service_of(DETECTOR, PageGone, recorder, concurrency=4)])
    # All places have come to wait together.
    await asyncio.sleep(2.5)
    for number in range(5):
        started = asyncio.get_running_loop().time()
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
        await until(lambda number=number: recorder.finished == number + 1)  # type: ignore[misc]

        assert asyncio.get_running_loop().time() - started < 0.5
        await asyncio.sleep(0.3)


async def test_services_finish_before_their_loops_are_cancelled(bus: NatsBus, run: Run) -> None:
    """What a loop has in hand is done; what it would begin next is not begun."""
    events: list[str] = []
    finishing = asyncio.Event()

    async def work() -> None:
        while not finishing.is_set():
            await asyncio.sleep(0.1)
        events.append("work done")

    async def finish() -> None:
        finishing.set()
        while not events:
            await asyncio.sleep(0.01)

    async def close() -> None:
        events.append("closed")

    loop = Loop(name="work", run=work)
    runner = await run([Service(role=Role.FETCHER, loops=(loop,), finish=finish, close=close)])

    await runner.stop()

    assert ["work done", "closed"] == events


async def test_a_process_is_unready_from_the_first_moment_of_a_stop(bus: NatsBus, run: Run) -> None:
    """Nobody sends work to who is leaving, while it finishes what it has."""
    recorder = Recorder(delay_seconds=1.0)
    runner = await run([service_of(DETECTOR, PageGone, recorder)])
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))
    await until(lambda: len(recorder.seen) == 1)
    stopping = asyncio.create_task(runner.stop())
    await asyncio.sleep(0)

    problems = await runner.ready()

    assert "stopping" in problems["state"]
    assert {} == await runner.alive()
    await stopping
    assert 1 == recorder.finished


async def test_a_second_signal_quits_at_once(
    bus: NatsBus, common: CommonSettings, tmp_path: Path
) -> None:
    """Who cannot wait for the drain asks twice; the message goes to another process."""
    process = await started_process(bus, tmp_path, delay_seconds=15.0)
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))
    await asyncio.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    await asyncio.sleep(0.5)
    assert process.returncode is None

    process.send_signal(signal.SIGTERM)

    async with asyncio.timeout(2):
        assert 128 + signal.SIGTERM == await process.wait()


async def test_replicas_share_the_work_and_take_over_from_one_that_stops(
    bus: NatsBus, common: CommonSettings
) -> None:
    """Every message is handled once by one of two processes, also while one of them leaves."""
    recorders = [Recorder(delay_seconds=0.05), Recorder(delay_seconds=0.05)]
    runners = []
    for recorder in recorders:
        platform = await open_platform(
            common, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
        )
        service = service_of(DETECTOR, PageGone, recorder, concurrency=2)
        runner = Runner([service], platform, bus)
        await runner.start()
        await runner.until_running()
        runners.append(runner)
    for number in range(60):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
    await until(lambda: all(recorder.finished >= 5 for recorder in recorders))
    await runners[0].stop()

    await until(lambda: sum(recorder.finished for recorder in recorders) == 60)

    handled = [event_id for recorder in recorders for event_id in recorder.event_ids]
    assert 60 == len(handled) == len(set(handled))
    await runners[1].stop()
