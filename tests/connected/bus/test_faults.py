"""The bus dies, stalls or loses parts: nothing acknowledged is lost, and it is said."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Sequence

import pytest

from scops.common.bus.admin.provisioner import provision
from scops.common.bus.connection import ping, settle
from scops.common.bus.embedded.nats_child import NatsChild
from scops.common.bus.nats_bus import NatsBus
from scops.common.config.settings import CommonSettings
from scops.common.contract import service_table
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import BY_TYPE, Lane, Role
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service
from tests.connected.waiting import until
from tests.fakes.worlds.services import (
    Recorder,
    outgoing,
    page_gone,
    recording_services,
    service_of,
)

Run = Callable[[Sequence[Service]], Awaitable[Runner]]
DETECTOR = Role.CHANGE_DETECTOR
DURABLE = service_table.durable_name(DETECTOR, BY_TYPE[PageGone], Lane.BULK)


async def test_a_killed_server_loses_no_confirmed_message_and_consuming_goes_on(
    bus: NatsBus, run: Run, nats_server: NatsChild
) -> None:
    """After kill -9 of nats-server every message with a PubAck is handled, without a restart."""
    recorder = Recorder()
    await run([service_of(DETECTOR, PageGone, recorder)])
    confirmed: list[str] = []

    async def publish() -> None:
        for number in range(60):
            event_id = f"gone-{number}"
            await bus.publisher.publish(outgoing(page_gone(number), event_id))
            confirmed.append(event_id)
            await asyncio.sleep(0.01)

    publishing = asyncio.create_task(publish())
    for kills in (1, 2):
        await until(lambda kills=kills: len(confirmed) >= 20 * kills)  # type: ignore[misc]
        pid = nats_server.pid
        os.kill(pid, signal.SIGKILL)
        await until(lambda pid=pid: nats_server.pid != pid)  # type: ignore[misc]
    await publishing

    await until(lambda: set(recorder.event_ids) >= set(confirmed), timeout_seconds=30)
    assert len(confirmed) == 60


async def test_a_deleted_durable_is_told_at_once_costs_no_cpu_and_heals(
    bus: NatsBus, run: Run, common: CommonSettings
) -> None:
    """Without its durable a process is unready, does not spin, and goes on when it is back."""
    recorder = Recorder()
    runner = await run([service_of(DETECTOR, PageGone, recorder)])
    assert await runner.ready() == {}
    await bus.jetstream.delete_consumer(BY_TYPE[PageGone].stream.name, DURABLE)

    await until(lambda: _is_unready(runner), timeout_seconds=15)
    problems = await runner.ready()
    assert DURABLE in problems["durables"]
    cpu = time.process_time()
    await asyncio.sleep(3.0)
    assert time.process_time() - cpu < 0.6

    await provision(bus.jetstream, [DETECTOR], common=common)
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))
    await until(lambda: recorder.event_ids == ["gone-1"])
    await until(lambda: _is_ready(runner))


async def _is_ready(runner: Runner) -> bool:
    return not await runner.ready()


async def _is_unready(runner: Runner) -> bool:
    return bool(await runner.ready())


async def test_a_missing_durable_is_never_made_up(
    bus: NatsBus, run: Run, common: CommonSettings
) -> None:
    """A service attaches only to what the provisioner made; the client library would create it."""
    stream = BY_TYPE[PageGone].stream.name
    await bus.jetstream.delete_consumer(stream, DURABLE)
    runner = await run([service_of(DETECTOR, PageGone, Recorder())])
    await asyncio.sleep(1.5)

    names = [info.name for info in await bus.jetstream.consumers_info(stream)]

    assert DURABLE not in names
    assert "scops provision" in (await runner.ready())["durables"]


async def test_a_deleted_stream_is_told(bus: NatsBus, run: Run) -> None:
    """A missing stream makes the process unready and names it."""
    runner = await run([service_of(DETECTOR, PageGone, Recorder())])
    await bus.jetstream.delete_stream("SCOPS_FETCHER")

    async def told() -> bool:
        return "SCOPS_FETCHER" in (await runner.ready()).get("durables", "")

    await until(told, timeout_seconds=15)


async def test_waiting_for_work_costs_little(bus: NatsBus, run: Run) -> None:
    """All durables of all roles in one idle process take a few hundredths of a core."""
    services, _ = recording_services()
    await run(services)
    await asyncio.sleep(0.5)
    cpu, wall = time.process_time(), time.monotonic()

    await asyncio.sleep(3.0)

    assert (time.process_time() - cpu) / (time.monotonic() - wall) < 0.2


async def test_an_answer_that_nobody_waits_for_any_more_ends_no_connection(
    bus: NatsBus, nats_server: NatsChild
) -> None:
    """A server that stood still says late what it was asked: some have given up, others ended."""
    os.kill(nats_server.pid, signal.SIGSTOP)
    with pytest.raises(TimeoutError):
        await ping(bus.client, timeout_seconds=0.2)
    asking = asyncio.create_task(settle(bus.client, timeout_seconds=20))
    await asyncio.sleep(0.2)
    asking.cancel()
    await asyncio.wait({asking})
    os.kill(nats_server.pid, signal.SIGCONT)

    await ping(bus.client, timeout_seconds=20)
    assert None is await bus.problem()
