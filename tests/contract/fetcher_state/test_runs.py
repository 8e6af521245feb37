"""Runs of a host in every fetcher state: leased together, recorded together, lost by no crash.

Run on SQLite in memory, on a file and on PostgreSQL, these with two pools as two processes have.
"""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from scops.common.contract.messages.crawl import GoneReason, PageFetched, PageGone
from scops.common.contract.service_table import Lane
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.fetcher.adapters.sql import tables
from scops.fetcher.frontier.leases import Idle, Leased, LeaseLost, PageLease, PageRun, Release
from scops.fetcher.frontier.runs import RUN_PAGES_MAX
from scops.fetcher.frontier.scheduler import BOTH_LANES, lease_some, work_on
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.frontier import PageResult
from scops.fetcher.settings import FetcherSettings
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

URLS = [f"https://a.test/{number:02}" for number in range(20)]
SETTINGS = FetcherSettings(host_delay_seconds=0.0)
Pair = tuple[FetcherWorld, FetcherPorts]


@pytest.fixture
async def pair(address: str | Address) -> AsyncIterator[Pair]:
    """Twenty pages of one host that a crawl waits for, and two processes; robots.txt is known."""
    async with FetcherWorld.opened(address, settings=SETTINGS) as world:
        world.scopes.apply(scope("a.test"))
        world.source.serve("https://a.test/first", page_answer())
        await world.fetch_at_once("https://a.test/first", job_id="first")
        await world.events()
        for url in URLS:
            world.source.serve(url, page_answer(url))
        await world.fetch(*URLS, lane=Lane.BULK)
        if address == "sqlite://":
            yield world, world.new_ports(seed=1)
            return
        second = Database(address, name="second")
        yield world, world.new_ports(seed=1, database=second)
        await second.close()


async def leased(ports: FetcherPorts, run_max: int = RUN_PAGES_MAX) -> Leased:
    (found, *_) = await lease_some(ports, lanes=BOTH_LANES, count=1, run_max=run_max)
    return found


async def run_of(ports: FetcherPorts) -> PageRun:
    found = await leased(ports)
    assert isinstance(found, PageRun)
    return found


async def fetches(world: FetcherWorld) -> dict[str, str]:
    """Returns the state of each fetch of the crawl, by URL."""
    urls = {row.page_id: row.canonical_url for row in await world.rows_of_pages()}
    rows = await world.rows(tables.fetch)
    return {urls[row.page_id]: row.state for row in rows if urls[row.page_id] in URLS}


async def test_pages_are_leased_together_and_the_host_once(pair: Pair) -> None:
    """In the order in which they are due; another process gets nothing of the host meanwhile."""
    world, second = pair
    run = await run_of(world.ports)
    other = await leased(second)

    assert RUN_PAGES_MAX == len(run.pages) == len({page.fetch_id for page in run.pages})
    assert {run.host.lease_id} == {page.host.lease_id for page in run.pages}
    assert run.pages[0].fetch_id == run.host.lease_id
    assert isinstance(other, Idle)
    held = [row.lease_id for row in await world.hosts() if row.lease_id]
    assert [run.host.lease_id] == held


async def test_a_run_is_recorded_together_and_frees_the_host(pair: Pair) -> None:
    """Each page has its event and its time of observation; the rest comes with the next run."""
    world, second = pair
    first, then = await run_of(world.ports), None
    assert await work_on(first, world.ports)
    then = await run_of(second)
    assert await work_on(then, second)
    events = await world.events(PageFetched)

    assert sorted(URLS) == sorted(event.canonical_url for event in events)
    assert [page.url for page in (*first.pages, *then.pages)] == world.source.pages_asked()[1:]
    assert dict.fromkeys(URLS, "published") == await fetches(world)
    assert [None] == [row.lease_id for row in await world.hosts()]


async def test_two_processes_share_a_host_without_meeting(pair: Pair) -> None:
    """Whoever is faster: every page is asked for once, and recorded once."""
    world, second = pair

    async def work(ports: FetcherPorts) -> None:
        for _ in range(100):
            found = await leased(ports, run_max=3)
            if isinstance(found, PageLease | PageRun):
                await work_on(found, ports)

    await asyncio.gather(work(world.ports), work(second))
    asked = [url for url in world.source.pages_asked() if url in URLS]

    assert sorted(URLS) == sorted(asked)
    assert 20 == len(await world.events(PageFetched))


async def test_what_was_not_asked_waits_where_it_stood(pair: Pair) -> None:
    """No attempt is counted, no event is told, and nothing of its fetch is left."""
    world, second = pair
    run = await run_of(world.ports)
    now = world.clock.now()
    gone = PageResult(lease=run.pages[0], time=now, what=GoneReason.GONE)
    release = Release(next_allowed_time=now, backoff=0)
    assert await world.ports.results.record([gone], rest=run.pages[1:], release=release, now=now)
    again = await run_of(second)

    assert [run.pages[0].url] == [event.canonical_url for event in await world.events()]
    assert [page.url for page in run.pages[1:]] == [page.url for page in again.pages[:15]]
    assert {0} == {page.attempts for page in again.pages}
    assert {page.fetch_id for page in run.pages[1:]}.isdisjoint(
        {page.fetch_id for page in again.pages}
    )


async def test_results_recorded_twice_count_once(pair: Pair) -> None:
    """Also where one of the run was recorded before, or given back."""
    world, _ = pair
    run = await run_of(world.ports)
    now = world.clock.now()
    gone = [PageResult(lease=page, time=now, what=GoneReason.GONE) for page in run.pages]
    release = Release(next_allowed_time=now, backoff=0)
    await world.ports.results.record(gone[3:4], release=None, now=now)
    for _ in range(2):
        await world.ports.results.record(gone[:8], rest=run.pages[8:], release=release, now=now)

    assert 8 == len(await world.events(PageGone))
    assert dict.fromkeys([page.url for page in run.pages[:8]], "published") == await fetches(world)


async def test_a_page_that_was_given_up_is_not_held_again(pair: Pair) -> None:
    """One that was held before it came to that is not given up, and counts once."""
    world, second = pair
    run = await run_of(world.ports)
    held, lost = run.pages[3:5]
    world.clock.advance(3 * SETTINGS.lease_seconds)
    now = world.clock.now()
    before = now - timedelta(seconds=2 * SETTINGS.lease_seconds)
    await world.ports.frontier.extend(run.host, fetch_id=held.fetch_id, now=now)
    await second.ledger.give_up_unrecorded(leased_before=before, now=now)
    await world.ports.frontier.extend(run.host, fetch_id=held.fetch_id, now=now)
    with pytest.raises(LeaseLost):
        await world.ports.frontier.extend(run.host, fetch_id=lost.fetch_id, now=now)
    gone = [PageResult(lease=page, time=now, what=GoneReason.GONE) for page in (held, lost)]
    await world.ports.results.record(
        gone, release=Release(next_allowed_time=now, backoff=0), now=now
    )

    assert [held.url] == [event.canonical_url for event in await world.events(PageGone)]


async def test_after_a_crash_each_page_is_fetched_again_by_itself(pair: Pair) -> None:
    """What has ended its worker ends nobody else's page with the next one."""
    world, second = pair
    run = await run_of(world.ports)
    world.clock.advance(3 * SETTINGS.lease_seconds)
    now = world.clock.now()
    before = now - timedelta(seconds=2 * SETTINGS.lease_seconds)
    other = await leased(second, run_max=1)
    assert isinstance(other, PageLease)
    await second.ledger.give_up_unrecorded(leased_before=before, now=now)
    rows = {row.canonical_url: row for row in await world.rows_of_pages()}
    assert {1} == {rows[page.url].attempts for page in run.pages}
    await work_on(other, second)
    alone = []
    found = await leased(second)
    while not isinstance(found, Idle):
        assert isinstance(found, PageLease | PageRun)
        if isinstance(found, PageLease):
            alone.append(found.url)
        else:
            assert {0} == {page.attempts for page in found.pages}
        await work_on(found, second)
        found = await leased(second)

    assert {page.url for page in run.pages} <= {*alone, other.url}
    assert sorted(URLS) == sorted(url for url in world.source.pages_asked() if url in URLS)
