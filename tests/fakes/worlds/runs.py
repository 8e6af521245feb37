"""A host of six pages with a short pause between requests, of which runs are made."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from scops.common.contract.service_table import Lane
from scops.fetcher.adapters.sql import tables
from scops.fetcher.frontier.leases import PageRun
from scops.fetcher.frontier.runs import RUN_PAGES_MAX
from scops.fetcher.frontier.scheduler import lease_some
from scops.fetcher.ports.page_source import FetchRequest, FetchResult, RequestGate
from scops.fetcher.settings import FetcherSettings
from tests.fakes.page_source import FakePageSource, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

URLS = [f"https://a.test/{number}" for number in range(6)]
DELAY = 0.05
SETTINGS = FetcherSettings(host_delay_seconds=DELAY, response_factor=0)


@asynccontextmanager
async def host_of_pages() -> AsyncIterator[FetcherWorld]:
    """Six pages of a host with a short pause; its robots.txt is known."""
    async with FetcherWorld.opened(settings=SETTINGS) as opened:
        opened.scopes.apply(scope("a.test"))
        opened.source.serve("https://a.test/first", page_answer())
        await opened.fetch_at_once("https://a.test/first", job_id="first")
        for url in URLS:
            opened.source.serve(url, page_answer(url))
        await opened.events()
        opened.source.asked.clear()
        yield opened


async def run_of(world: FetcherWorld, *, job_id: str = "job") -> PageRun:
    """Leases the pages that a crawl asks for."""
    await world.fetch(*URLS, job_id=job_id, lane=Lane.BULK)
    world.clock.advance(1.0)
    (found,) = await lease_some(world.ports, count=1, run_max=RUN_PAGES_MAX)
    assert isinstance(found, PageRun)
    assert len(URLS) == len(found.pages)
    return found


async def waiting(world: FetcherWorld) -> list[str]:
    """Returns what waits for the host, as it is due."""
    urls = {row.page_id: row.canonical_url for row in await world.rows_of_pages()}
    rows = await world.rows(tables.queue)
    return [urls[row.entry_id] for row in sorted(rows, key=lambda r: (r.due_time, r.entry_id))]


class BusyWeb(FakePageSource):
    """A web beside which something else happens, just before the so many-th page is asked for."""

    def __init__(
        self, inner: FakePageSource, happens: Callable[[], Awaitable[None]], *, before: int
    ) -> None:
        super().__init__(inner.clock, inner.answers, inner.asked)
        self._happens, self._left = happens, before

    async def fetch(self, request: FetchRequest, gate: RequestGate) -> FetchResult:
        self._left -= 1
        if self._left == 0:
            await self._happens()
        return await super().fetch(request, gate)
