"""While what handlers need is away, messages stay with the server instead of dying."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import pytest

from scops.common.bus.admin.provisioner import provision
from scops.common.bus.consume import store_pause
from scops.common.bus.nats_bus import NatsBus
from scops.common.bus.publish import publisher
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.crawl import FetchPage, PageDead, PageFetched, PageGone
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import BY_TYPE, DEAD_LETTER_STREAM, Role
from scops.common.contract.store_faults import StoreFault
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.platform import open_platform
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Loop, ReadinessCheck, Service
from scops.common.scope.projection import ScopeProjection
from tests.connected.runtime.test_scope_projection import SCOPE
from tests.connected.waiting import until
from tests.fakes.worlds.services import Recorder, minimal, outgoing, page_gone, service_of

Run = Callable[[Sequence[Service]], Awaitable[Runner]]
DETECTOR = Role.CHANGE_DETECTOR


async def _dead_letters(bus: NatsBus) -> int:
    info = await bus.jetstream.stream_info(DEAD_LETTER_STREAM.name)
    return int(info.state.messages)


async def _is_unready(runner: Runner) -> bool:
    return bool(await runner.ready())


async def _tells(runner: Runner, names: Sequence[str]) -> bool:
    told = (await runner.ready()).get("durables", "")
    return all(name in told for name in names)


async def _is_ready(runner: Runner) -> bool:
    return not await runner.ready()


async def test_an_outage_longer_than_all_deliveries_loses_nothing(
    bus: NatsBus, run: Run, common: CommonSettings
) -> None:
    """A store that stays away costs a message a delivery or two, not all it has."""
    away: list[str] = []

    async def probe() -> str | None:
        return away[0] if away else None

    def react(message: object, cause: object) -> Sequence[object]:
        if away:
            raise StoreUnavailable(away[0])
        return ()

    recorder = Recorder(react=react)
    plain = service_of(DETECTOR, PageGone, recorder)
    check = ReadinessCheck(name="store", probe=probe)
    runner = await run([replace(plain, checks=(check,))])
    away.append("The store is away.")
    for number in range(20):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
    # With these delays a message would have used up its eight deliveries within 3 s.
    await asyncio.sleep(6.0)
    problems = await runner.ready()
    most = max(cause.delivery_count for _, cause in recorder.seen)
    away.clear()

    await until(lambda: _is_drained(bus))
    assert "The store is away." == problems["store"]
    assert most < common.bus_deliveries_max
    assert 0 == await _dead_letters(bus)


async def test_a_store_that_only_refuses_work_loses_nothing(
    bus: NatsBus, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where every check passes and the store refuses all the same, messages wait in hand."""
    monkeypatch.setattr(store_pause, "DELAY_FIRST_SECONDS", 0.05)
    monkeypatch.setattr(store_pause, "DELAY_SECONDS_MAX", 0.1)
    refusing = [True]

    def react(message: object, cause: object) -> Sequence[object]:
        if refusing:
            raise StoreUnavailable("The store is read-only.", fault=StoreFault.READ_ONLY)
        return ()

    recorder = Recorder(react=react)
    runner = await run([service_of(DETECTOR, PageGone, recorder)])
    for number in range(20):
        await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
    await until(lambda: len(recorder.seen) > 100)
    most = max(cause.delivery_count for _, cause in recorder.seen)
    taken = len(set(recorder.event_ids))
    told = await runner.ready()
    refusing.clear()

    await until(lambda: _is_drained(bus))
    assert {} == told
    assert 1 == most
    # What the slots hold, and what was on its way to them.
    assert taken < 20
    assert 0 == await _dead_letters(bus)


async def test_loops_rest_while_what_they_need_is_away(bus: NatsBus, run: Run) -> None:
    """No loop of a service takes a step on an old schema; those of others do, and tellers too."""
    missing: list[str] = []
    steps = {"own": 0, "teller": 0, "other": 0}

    async def probe() -> str | None:
        return missing[0] if missing else None

    def loop(name: str, *, runs_unready: bool = False) -> Loop:
        async def step() -> None:
            steps[name] += 1

        return Loop.every(0.05, step, name=name, pause=asyncio.sleep, runs_unready=runs_unready)

    own = Service(
        role=DETECTOR,
        loops=(loop("own"), loop("teller", runs_unready=True)),
        checks=(ReadinessCheck(name="schema", probe=probe),),
    )
    runner = await run([own, Service(role=Role.EXTRACTOR, loops=(loop("other"),))])
    await until(lambda: min(steps.values()) > 1)
    missing.append("The schema is old.")
    await until(lambda: not own.loops[0].gate.is_open, timeout_seconds=15)
    await asyncio.sleep(0.1)
    before = dict(steps)
    await asyncio.sleep(0.5)
    during = dict(steps)
    missing.clear()

    await until(lambda: steps["own"] > during["own"])
    assert before["own"] == during["own"]
    assert before["teller"] < during["teller"]
    assert before["other"] < during["other"]
    await until(lambda: _is_ready(runner))


async def test_a_failure_while_paused_leaves_nothing_paused(
    bus: NatsBus, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong in the wait for the checks, messages are handled once they pass."""
    missing: list[str] = []

    async def probe() -> str | None:
        return missing[0] if missing else None

    recorder = Recorder()
    plain = service_of(DETECTOR, PageGone, recorder)
    runner = await run([replace(plain, checks=(ReadinessCheck(name="store", probe=probe),))])
    broken = asyncio.Event()

    async def break_once() -> None:
        broken.set()
        missing.clear()
        monkeypatch.undo()
        raise RuntimeError("a bug")

    missing.append("The store is away.")
    await until(lambda: not runner._consumers._gate.is_open, timeout_seconds=15)
    monkeypatch.setattr(runner._watchdog, "check", break_once)
    await broken.wait()
    await bus.publisher.publish(outgoing(page_gone(1), "after"))

    await until(lambda: "after" in recorder.event_ids, timeout_seconds=20)


async def _is_drained(bus: NatsBus) -> bool:
    return await bus.backlog(DETECTOR) == 0


async def test_a_full_stream_is_waited_for(
    bus: NatsBus, common: CommonSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without room an output waits with its handler: unready, nothing lost, nothing buried."""
    monkeypatch.setattr(publisher, "FULL_SECONDS_MAX", 60.0)
    filler = replace(minimal(FetchPage), urls=tuple("u" * 1000 for _ in range(500)))
    stream = BY_TYPE[FetchPage].stream.name
    publishing = [
        asyncio.create_task(bus.publisher.publish(outgoing(filler, f"fetch-{number}")))
        for number in range(40)
    ]
    platform = await open_platform(
        common, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
    )
    runner = Runner([Service(role=Role.GATEWAY)], platform, bus)
    await runner.start()
    await until(lambda: bus.publisher.problem() is not None)
    assert stream in (await runner.ready())["room"]
    stored = (await bus.jetstream.stream_info(stream)).state.messages
    assert stored < 40

    recorder = Recorder()
    consumer = Runner([service_of(Role.FETCHER, FetchPage, recorder)], platform, bus)
    await consumer.start()

    await asyncio.gather(*publishing)
    await until(lambda: len(set(recorder.event_ids)) == 40)
    await until(lambda: bus.publisher.problem() is None)
    await consumer.stop()
    await runner.stop()


async def test_a_deleted_stream_is_told_costs_no_cpu_and_heals(
    bus: NatsBus, run: Run, common: CommonSettings
) -> None:
    """Input and output streams deleted under load: unready in 15 s, no hot loop, on it goes."""

    def react(message: object, cause: object) -> Sequence[object]:
        return [PageDead(page_id=PageId("page"), fetch_id=FetchId("fetch"), reason="OUTPUT")]

    recorder = Recorder(react=react)
    runner = await run([service_of(DETECTOR, PageGone, recorder)])
    await bus.publisher.publish(outgoing(page_gone(0), "before"))
    await until(lambda: recorder.finished == 1)
    for name in ("SCOPS_FETCHER", "SCOPS_DEAD_PAGES", "KV_scops_scopes"):
        await bus.jetstream.delete_stream(name)
    gone = ("SCOPS_FETCHER", "SCOPS_DEAD_PAGES", "scops_scopes")
    await until(lambda: _tells(runner, gone), timeout_seconds=15)
    told = (await runner.ready())["durables"]
    cpu = time.process_time()
    await asyncio.sleep(3.0)
    assert time.process_time() - cpu < 0.6

    await provision(bus.jetstream, list(Role), common=common)
    await bus.publisher.publish(outgoing(page_gone(1), "after"))

    await until(lambda: "after" in recorder.event_ids)
    await until(lambda: _is_ready(runner))
    assert "scops provision" in told
    assert 0 == await _dead_letters(bus)


async def test_a_stream_that_is_not_as_agreed_is_told(bus: NatsBus, run: Run) -> None:
    """A stream that drops what is owed, or a durable that gives up, is no ground to work on."""
    durable = "change-detector-page_gone-now"
    info = await bus.jetstream.consumer_info("SCOPS_FETCHER", durable)
    await bus.jetstream.add_consumer("SCOPS_FETCHER", info.config.evolve(max_deliver=3))
    runner = await run([service_of(DETECTOR, PageGone, Recorder())])

    problems = await runner.ready()

    assert durable in problems["durables"]
    assert "max_deliver is 3, wanted -1" in problems["durables"]


async def test_a_client_that_is_closed_for_good_fails_liveness(bus: NatsBus, run: Run) -> None:
    """What the server hung up on for ever is cured by a restart only, so it must be asked for."""
    runner = await run([service_of(DETECTOR, PageGone, Recorder())])
    assert {} == await runner.alive()
    too_large = b"x" * (1024 * 1024)

    await bus.client.publish("scops.anything", too_large, headers={"a": "b"})
    await bus.client.close()

    assert "closed for good" in (await runner.alive())["bus"]
    assert "bus" in await runner.ready()


async def test_a_lost_bucket_of_scopes_makes_nobody_forget(
    bus: NatsBus, run: Run, common: CommonSettings
) -> None:
    """Without the bucket a process is unready, and keeps the scopes it has seen."""
    projection = ScopeProjection(bus.jetstream, clock=SystemClock())
    await projection.publish_scope(SCOPE)
    runner = await run([service_of(Role.EXTRACTOR, PageFetched, Recorder())])
    book = runner._platform.scope_book
    before = await projection.generation()
    await bus.jetstream.delete_key_value("scops_scopes")
    await until(lambda: _is_unready(runner), timeout_seconds=15)
    await provision(bus.jetstream, list(Role), common=common)
    await until(lambda: _is_ready(runner))

    assert SCOPE == book.get(ScopeRef(scope_id=SCOPE.scope_id, revision=1))
    assert before != await projection.generation()
