"""One process: it becomes ready when everything is there, says what is not, and ends cleanly."""

import asyncio
import json
import signal
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import aiohttp
import pytest

from scops.common.bus.nats_bus import NatsBus
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import PermanentError, StoreUnavailable, TransientError
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import Role
from scops.common.runtime.health import HealthServer
from scops.common.runtime.lifecycle import process_lifecycle
from scops.common.runtime.platform import Platform, open_platform
from scops.common.runtime.process_run import run_between
from scops.common.runtime.runner import Runner, State
from scops.common.runtime.service import Loop, ReadinessCheck, Service
from tests.connected.runtime.recording_process import started_process
from tests.connected.waiting import until
from tests.fakes.worlds.services import Recorder, outgoing, page_gone, service_of

Run = Callable[[Sequence[Service]], Awaitable[Runner]]
DETECTOR = Role.CHANGE_DETECTOR


async def _platform(bus: NatsBus, common: CommonSettings) -> Platform:
    return await open_platform(
        common, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
    )


async def _get(url: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status, await response.text()


async def test_health_follows_the_life_of_the_process(bus: NatsBus, common: CommonSettings) -> None:
    """/readyz names the failing check until it passes; /livez and /metrics answer meanwhile."""
    missing: list[str] = ["The weights are missing."]

    async def probe() -> str | None:
        return missing[0] if missing else None

    service = Service(role=Role.RETRIEVER, checks=(ReadinessCheck(name="weights", probe=probe),))
    platform = await _platform(bus, common)
    runner = Runner([service], platform, bus)

    health = HealthServer(common, alive=runner.alive, ready=runner.ready)
    url = await health.start()
    await runner.start()

    status, body = await _get(f"{url}/readyz")
    assert status == 503
    assert json.loads(body)["problems"]["weights"] == "The weights are missing."
    assert (await _get(f"{url}/livez"))[0] == 200
    missing.clear()
    await runner.until_running()
    assert await _get(f"{url}/readyz") == (200, json.dumps({"ok": True, "problems": {}}))
    assert "scops_ready 1.0" in (await _get(f"{url}/metrics"))[1]
    await runner.stop()
    await health.stop()


async def test_nothing_is_consumed_before_every_check_passed(
    bus: NatsBus, common: CommonSettings
) -> None:
    """A service on an old schema must not handle, and fail, what waits for it."""
    missing = ["The schema is at revision 0001."]

    async def probe() -> str | None:
        return missing[0] if missing else None

    recorder = Recorder()
    plain = service_of(DETECTOR, PageGone, recorder)
    service = Service(
        role=DETECTOR,
        router=plain.router,
        checks=(ReadinessCheck(name="schema", probe=probe),),
    )
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))
    runner = Runner([service], await _platform(bus, common), bus)
    await runner.start()
    await asyncio.sleep(0.5)
    assert (runner.state, recorder.seen) == (State.STARTING, [])

    missing.clear()

    await until(lambda: recorder.event_ids == ["gone-1"])
    await runner.stop()


async def test_a_failing_loop_starts_again_and_the_others_go_on(run: Run) -> None:
    """A loop's error is logged and delayed; it ends neither the process nor its neighbours."""
    failures: list[str] = []
    ticks: list[str] = []

    async def fail() -> None:
        failures.append("fail")
        raise [TransientError("Away."), ZeroDivisionError("a bug")][len(failures) % 2]

    async def tick() -> None:
        while True:
            ticks.append("tick")
            await asyncio.sleep(0.05)

    await run(
        [
            Service(
                role=Role.FETCHER, loops=(Loop(name="fail", run=fail), Loop(name="tick", run=tick))
            )
        ]
    )

    await until(lambda: len(failures) >= 2)
    assert len(ticks) >= 5


async def test_a_service_that_cannot_open_fails_the_start_and_closes_the_others(
    bus: NatsBus, common: CommonSettings
) -> None:
    """What makes a start impossible is raised, after what was opened is closed again."""
    closed: list[str] = []

    async def close() -> None:
        closed.append("first")

    async def fail() -> None:
        raise PermanentError("The weights are missing.")

    services = [
        Service(role=Role.FETCHER, close=close),
        Service(role=Role.INDEXER, open=fail),
    ]

    with pytest.raises(PermanentError, match="weights"):
        async with process_lifecycle(common) as lifecycle:
            await run_between(lifecycle, services, await _platform(bus, common), bus)

    assert closed == ["first"]


async def test_a_connection_that_is_closed_for_good_ends_the_process(
    bus: NatsBus, common: CommonSettings
) -> None:
    """Only a restart helps, so it ends with an error that says what to check."""
    with pytest.raises(StoreUnavailable, match="SCOPS_NATS_USER"):
        async with process_lifecycle(common) as lifecycle:
            running = asyncio.create_task(
                run_between(lifecycle, [], await _platform(bus, common), bus)
            )
            await asyncio.sleep(0.5)
            await bus.client.close()
            await asyncio.wait_for(running, 20)


async def test_a_taken_health_port_is_a_clear_error(bus: NatsBus, common: CommonSettings) -> None:
    """The message names the setting."""
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    settings = common.model_copy(update={"health_port": port})

    with pytest.raises(StoreUnavailable, match="SCOPS_HEALTH_PORT"):
        async with process_lifecycle(settings) as lifecycle:
            await run_between(lifecycle, [], await _platform(bus, settings), bus)

    server.close()


async def test_sigterm_finishes_what_is_in_hand(
    bus: NatsBus, common: CommonSettings, tmp_path: Path
) -> None:
    """After SIGTERM the message in progress is handled and acknowledged, and the exit is clean."""
    process = await started_process(bus, tmp_path, delay_seconds=1.0)
    await bus.publisher.publish(outgoing(page_gone(), "gone-1"))
    await asyncio.sleep(0.4)

    process.send_signal(signal.SIGTERM)

    async with asyncio.timeout(15):
        assert await process.wait() == 0
    assert (tmp_path / "ended").read_text() == "gone-1"
    await asyncio.sleep(0.6)
    assert await bus.backlog(DETECTOR) == 0
