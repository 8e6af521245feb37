"""Workers end what they hold when told to, and give it back when they are broken off."""

import asyncio
from contextlib import suppress
from datetime import timedelta

from scops.common.messages.crawl import PageFetched
from scops.fetcher.leases import Idle, PageLease
from scops.fetcher.page_source import FetchRequest, FetchResult, HopCheck, Pause
from scops.fetcher.scheduler import lease_next
from scops.fetcher.wakeup import Signals
from scops.fetcher.workers import Workers
from tests.fakes.clock import ManualClock
from tests.fakes.fetcher_world import FetcherWorld, scope
from tests.fakes.page_source import FakePageSource, page_answer

FIRST, SECOND = "https://a.test/1", "https://a.test/2"


class SlowSource(FakePageSource):
    """Answers a page when it is told to."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.asking = asyncio.Event()
        self.answering = asyncio.Event()

    async def fetch(
        self, request: FetchRequest, *, allow: HopCheck | None = None, pause: Pause | None = None
    ) -> FetchResult:
        self.asking.set()
        await self.answering.wait()
        return await super().fetch(request, allow=allow, pause=pause)


async def _started(world: FetcherWorld) -> tuple[SlowSource, Workers, "asyncio.Task[None]"]:
    """Returns a worker amid its first page; another one waits."""
    world.source = source = SlowSource(world.clock)
    world.ports = world.new_ports()
    world.scopes.apply(scope("a.test"))
    world.scopes.complete = True
    for url in (FIRST, SECOND):
        source.serve(url, page_answer())
    await world.fetch(FIRST, SECOND)
    workers = Workers(world.ports, Signals())
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
