"""Workers end what they hold when told to, and give it back when they are broken off."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.archive.obstore_archive import PUTS_AT_ONCE_MAX
from scops.common.archive.ports import Archive, NewBlob
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef, RuleKind, ScopeRule
from scops.common.contract.service_table import Lane
from scops.common.scope.urls import host_key
from scops.fetcher.frontier.leases import Idle, PageLease
from scops.fetcher.frontier.runs import RUN_PAGES_MAX
from scops.fetcher.frontier.wakeup import WakeupSignals
from scops.fetcher.frontier.workers import RECORDED_LATER_MAX, Workers
from scops.fetcher.ports.page_source import FetchRequest, FetchResult, RequestGate
from scops.fetcher.settings import FetcherSettings
from tests.fakes.clock import ManualClock
from tests.fakes.fetcher_steps import lease_next
from tests.fakes.page_source import FakePageSource, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

HOSTS, PAGES, PLACES, TURNS = 400, 2, 100, 20
IDLE = 30.0
FIRST, SECOND = "https://a.test/1", "https://a.test/2"


class SlowSource(FakePageSource):
    """Answers a page when it is told to."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.asking = asyncio.Event()
        self.answering = asyncio.Event()

    async def fetch(self, request: FetchRequest, gate: RequestGate) -> FetchResult:
        self.asking.set()
        await self.answering.wait()
        return await super().fetch(request, gate)


async def _started(world: FetcherWorld) -> tuple[SlowSource, Workers, "asyncio.Task[None]"]:
    """Returns a worker amid its first page; another one waits."""
    world.source = source = SlowSource(world.clock)
    world.ports = world.new_ports()
    world.scopes.apply(scope("a.test"))
    world.scopes.complete, world.scopes.vouched_before = True, True
    for url in (FIRST, SECOND):
        source.serve(url, page_answer())
    await world.fetch(FIRST, SECOND)
    workers = Workers(world.ports, WakeupSignals())
    task = asyncio.create_task(workers.loops()[0].run())
    async with asyncio.timeout(5):
        await source.asking.wait()
    return source, workers, task


async def test_a_worker_ends_its_page_and_takes_no_other(world: FetcherWorld) -> None:
    """At a stop the page in hand is recorded, the next one stays in the frontier."""
    source, workers, task = await _started(world)
    finishing = asyncio.create_task(workers.finish())
    await asyncio.sleep(0.1)
    assert not finishing.done()

    source.answering.set()

    async with asyncio.timeout(5):
        await finishing
        await task
    assert 1 == len(source.pages_asked())
    assert 1 == len(await world.events(PageFetched))


async def test_a_worker_that_is_broken_off_gives_its_host_back(world: FetcherWorld) -> None:
    """The host sees its pause from then on, and its page waits again: no lease has to run out."""
    _, _, task = await _started(world)

    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    idle = await lease_next(world.ports)
    assert isinstance(idle, Idle)
    assert world.clock.now() + timedelta(seconds=1) == idle.next_time
    world.clock.advance(1.0)
    lease = await lease_next(world.ports)
    assert isinstance(lease, PageLease)
    assert 0 == lease.attempts
    assert [] == await world.events(PageFetched)


class CountingSource(FakePageSource):
    """Answers after some turns of the loop; counts requests in hand, at all and by host."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.in_hand: Counter[str] = Counter()
        self.in_hand_max = 0
        self.of_a_host_max = 0

    async def fetch(self, request: FetchRequest, gate: RequestGate) -> FetchResult:
        host = host_key(request.url)
        self.in_hand[host] += 1
        self.in_hand_max = max(self.in_hand_max, self.in_hand.total())
        self.of_a_host_max = max(self.of_a_host_max, self.in_hand[host])
        for _ in range(TURNS):
            await asyncio.sleep(0)
        self.in_hand[host] -= 1
        return await super().fetch(request, gate)


async def test_hundreds_of_hosts_are_crawled_at_once_by_one_worker() -> None:
    """Every place is used, none is used twice, and no host sees two requests at once."""
    settings = FetcherSettings(workers=PLACES, host_delay_seconds=0, response_factor=0)
    async with FetcherWorld.opened(settings=settings) as world:
        world.source = source = CountingSource(world.clock)
        world.ports = world.new_ports()
        rule = ScopeRule(kind=RuleKind.GLOB, pattern="*.test/*")
        world.scopes.apply(replace(scope(), rules=(rule,)))
        world.scopes.complete, world.scopes.vouched_before = True, True
        urls = [f"https://h{host}.test/{page}" for page in range(PAGES) for host in range(HOSTS)]
        for url in urls:
            source.serve(url, page_answer())
        await world.fetch(*urls, lane=Lane.BULK)
        workers = Workers(world.ports, WakeupSignals())
        task = asyncio.create_task(workers.loops()[0].run())
        tasks_max = 0
        async with asyncio.timeout(100):
            while len(source.pages_asked()) < len(urls):
                await asyncio.sleep(0)
                tasks_max = max(tasks_max, len(asyncio.all_tasks()))
            await workers.finish()
            await task

        assert 1 == source.of_a_host_max
        assert PLACES == source.in_hand_max
        # A run is a task; when its two pages have come, so are the freeing of its host and the
        # putting of either body, of which there are never more than PUTS_AT_ONCE_MAX.
        of_a_run = 1 + 1 + min(PAGES, PUTS_AT_ONCE_MAX)
        assert tasks_max <= of_a_run * (PLACES + RECORDED_LATER_MAX) + 5
        assert len(urls) == len(await world.events(PageFetched))


class SlowArchive:
    """Keeps a body when it is told to."""

    def __init__(self, inner: Archive) -> None:
        self._inner = inner
        self.keeping = asyncio.Event()
        self.asked = 0

    async def put_many(
        self, blobs: Sequence[NewBlob], *, patient: bool = False
    ) -> Sequence[BodyRef]:
        self.asked += len(blobs)
        await self.keeping.wait()
        return await self._inner.put_many(blobs, patient=patient)

    async def get(self, body: BodyRef) -> bytes:
        return await self._inner.get(body)


@pytest.mark.parametrize(
    # Longer than what a run rests; a worker waits for it by the real clock.
    ("delay", "asked"),
    [(0.0, (1 + RECORDED_LATER_MAX) * RUN_PAGES_MAX), (0.2, 1)],
)
async def test_a_host_is_asked_on_while_bodies_wait_for_the_disk(
    monkeypatch: pytest.MonkeyPatch, delay: float, asked: int
) -> None:
    """One that need not rest is; a bounded number of bodies waits, and each is recorded."""
    monkeypatch.setattr("scops.fetcher.frontier.workers.IDLE_SECONDS_MAX", IDLE)
    settings = FetcherSettings(
        workers=1, now_workers=1, host_delay_seconds=delay, response_factor=0
    )
    async with FetcherWorld.opened(settings=settings) as world:
        archive = SlowArchive(world.ports.archive)
        signals = WakeupSignals()
        world.ports = replace(world.new_ports(signals=signals), archive=archive)
        world.scopes.apply(scope("a.test"))
        world.scopes.complete, world.scopes.vouched_before = True, True
        urls = [f"https://a.test/{number}" for number in range(asked + 20)]
        for url in urls:
            world.source.serve(url, page_answer(url))
        await world.fetch(*urls, lane=Lane.BULK)
        workers = Workers(world.ports, signals)
        task = asyncio.create_task(workers.loops()[0].run())
        async with asyncio.timeout(20):
            while archive.asked < asked:
                await asyncio.sleep(0)
        for _ in range(200):
            await asyncio.sleep(0)
        waiting = archive.asked
        archive.keeping.set()
        # Far sooner than a sleeping worker looks by itself.
        async with asyncio.timeout(IDLE / 2):
            while archive.asked < len(urls):
                world.clock.advance(delay)
                await asyncio.sleep(0.001 if delay else 0)
        await workers.finish()
        await task

        assert asked == waiting
        assert len(urls) == len(await world.events(PageFetched))
        assert set() == signals.asking


async def test_a_failed_fetch_is_told_and_the_others_go_on(world: FetcherWorld) -> None:
    """What one fetch fails with ends the loop, which is started again; its crew keeps the rest."""
    source, workers, task = await _started(world)

    async def broken(*_: object, **__: object) -> None:
        raise StoreUnavailable("The archive is away.")

    world.ports.results.record = broken  # type: ignore[method-assign]
    source.answering.set()

    with pytest.raises(StoreUnavailable):
        await task
    again = asyncio.create_task(workers.loops()[0].run())
    async with asyncio.timeout(5):
        await workers.finish()
        await again
