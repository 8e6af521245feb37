"""What every fetcher state must hold when workers and handlers meet on it.

Run on SQLite in memory, on a file and on PostgreSQL, these with two pools as two processes have.
"""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial

import pytest

from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import (
    CrawlFinished,
    FetchFailed,
    GoneReason,
    JobState,
    PageFetched,
)
from scops.common.contract.messages.index import IndexOutcome, VersionIndexed
from scops.common.contract.messages.types import OrderKey
from scops.common.contract.service_table import Lane
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.fetcher import handlers
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.ledger.ending import ENDED_AT_ONCE
from scops.fetcher.discovery.taken_listings import TAKEN_KEPT, TakenListing
from scops.fetcher.frontier.leases import Idle, PageLease, Release, TaskLease
from scops.fetcher.frontier.outcomes import Ending, Outcome
from scops.fetcher.frontier.scheduler import BOTH_LANES, work_on
from scops.fetcher.politeness.plain_files import PLAIN_BYTES_MAX, KeptFile
from scops.fetcher.politeness.validator_trust import SiteCounts, ValidatorVerdict
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.frontier import PageResult
from scops.fetcher.settings import FetcherSettings
from tests.fakes.fetcher_steps import fetch_next, lease_next
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
SETTINGS = FetcherSettings(host_delay_seconds=0.0)


@pytest.fixture
async def pair(address: str | Address) -> AsyncIterator[tuple[FetcherWorld, FetcherPorts]]:
    """Two processes on one state: (world of the first, ports of the second)."""
    if address == "sqlite://":
        async with FetcherWorld.opened(settings=SETTINGS) as world:
            yield world, world.new_ports(seed=1)
        return
    async with FetcherWorld.opened(address, settings=SETTINGS) as world:
        second = Database(address, name="second")
        yield world, world.new_ports(seed=1, database=second)
        await second.close()


Pair = tuple[FetcherWorld, FetcherPorts]


def serve(world: FetcherWorld, count: int, *, hosts: int = 1) -> list[str]:
    urls = [f"https://h{number % hosts}.test/{number}" for number in range(count)]
    for url in urls:
        world.source.serve(url, page_answer(url))
    return urls


def indexed(event: PageFetched) -> VersionIndexed:
    return VersionIndexed(
        page_id=event.page_id,
        fetch_id=event.fetch_id,
        outcome=IndexOutcome.ADDED,
        order_key=OrderKey(observed_from=event.observed_time),
    )


async def fetched(world: FetcherWorld, count: int) -> list[PageFetched]:
    """Fetches a job's pages and returns their events; nothing has answered yet."""
    urls = serve(world, count)
    world.scopes.apply(scope("h0.test", seeds=urls))
    await world.crawl()
    await world.steps()
    return [event for event in await world.events() if isinstance(event, PageFetched)]


async def test_two_workers_insert_one_link(pair: Pair) -> None:
    """A URL found by two pages at once gets one identity and one row."""
    world, second = pair
    events = await fetched(world, 2)
    link = "https://h0.test/linked"
    extracted = [await world.extracted(event, [link]) for event in events]
    await asyncio.gather(
        handlers.handle_page_extracted(extracted[0], world.cause(), world.ports),
        handlers.handle_page_extracted(extracted[1], world.cause(), second),
    )

    assert 3 == len(await world.rows_of_pages())
    assert 3 == (await world.job()).counts.open
    assert "open" == (await world.outcomes())[link]


async def test_two_jobs_mint_one_page(pair: Pair) -> None:
    """Two commands that name a URL at once share its identity."""
    world, second = pair
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await asyncio.gather(world.crawl("one"), world.crawl("two", ports=second))

    assert 1 == len(await world.rows_of_pages())
    (first,), (other,) = (await world.job("one")).outcomes, (await world.job("two")).outcomes
    assert first.page_id == other.page_id


async def test_the_last_two_pages_finish_their_job_once(pair: Pair) -> None:
    """Two handlers that end a job's last pages at once publish one CrawlFinished."""
    world, second = pair
    events = await fetched(world, 2)
    for event in events:
        await world.extract(event)
    await world.events()
    await asyncio.gather(
        handlers.handle_version_indexed(indexed(events[0]), world.cause(), world.ports),
        handlers.handle_version_indexed(indexed(events[1]), world.cause(), second),
    )
    (finished,) = await world.events(CrawlFinished)

    assert (0, 2) == (finished.counts.open, finished.counts.indexed)


async def test_one_message_handled_twice_at_once_counts_once(pair: Pair) -> None:
    """A redelivery that overlaps its first delivery changes nothing."""
    world, second = pair
    (event,) = await fetched(world, 1)
    extracted = await world.extracted(event, ["https://h0.test/linked"])
    cause = world.cause()
    await asyncio.gather(
        handlers.handle_page_extracted(extracted, cause, world.ports),
        handlers.handle_page_extracted(extracted, cause, second),
        handlers.handle_version_indexed(indexed(event), cause, world.ports),
        handlers.handle_version_indexed(indexed(event), cause, second),
    )

    assert (1, 1) == ((await world.job()).counts.open, (await world.job()).counts.indexed)


async def test_two_workers_never_lease_one_host(pair: Pair) -> None:
    """Whoever comes second finds another host, or nothing."""
    world, second = pair
    urls = serve(world, 6, hosts=2)
    world.scopes.apply(scope("h0.test", "h1.test", seeds=urls))
    await world.crawl()
    leases = await asyncio.gather(
        *(lease_next(ports) for ports in (world.ports, second, world.ports, second))
    )
    held = [lease.host.host_key for lease in leases if isinstance(lease, PageLease | TaskLease)]

    assert ["h0.test", "h1.test"] == sorted(held)


async def test_two_workers_crawl_a_host_without_overlap(pair: Pair) -> None:
    """However two workers interleave, each page is fetched once, one after the other."""
    world, second = pair
    urls = serve(world, 10)
    world.scopes.apply(scope("h0.test", seeds=urls))
    await world.crawl()
    open_requests: list[str] = []
    overlaps: list[str] = []
    inner = world.source._ask

    async def watched(url, *sent):  # type: ignore[no-untyped-def]
        overlaps.extend(open_requests)
        open_requests.append(url)
        await asyncio.sleep(0)
        answer = await inner(url, *sent)
        open_requests.remove(url)
        return answer

    world.source._ask = watched  # type: ignore[method-assign]

    async def work(ports: FetcherPorts) -> None:
        for _ in range(30):
            await fetch_next(ports)

    await asyncio.gather(work(world.ports), work(second))

    assert [] == overlaps
    assert sorted(urls) == sorted(world.source.pages_asked())


async def test_cancel_meets_the_last_outcome(pair: Pair) -> None:
    """A job that is cancelled while its last page ends finishes once, whoever wins."""
    world, second = pair
    (event,) = await fetched(world, 1)
    await world.extract(event)
    await world.events()
    await asyncio.gather(
        world.cancel(),
        handlers.handle_version_indexed(indexed(event), world.cause(), second),
    )
    (finished,) = await world.events(CrawlFinished)

    assert 1 == finished.counts.cancelled + finished.counts.indexed
    assert 0 == finished.counts.open


async def test_a_long_job_is_cancelled_some_rows_at_a_time(pair: Pair) -> None:
    """From the first on nothing comes in; an outcome meanwhile counts; it ends once, cancelled."""
    world, second = pair
    (event,) = await fetched(world, 1)
    links = [f"https://h0.test/linked/{number}" for number in range(ENDED_AT_ONCE + 10)]
    extracted = await world.extracted(event, links)
    await handlers.handle_page_extracted(extracted, world.cause(), world.ports)
    await world.events()
    end = partial(
        world.ports.ledger.end_job,
        JobId("job"),
        Ending(outcome=Outcome.CANCELLED),
        organisation_id="main",
        lane=Lane.NOW,
        now=world.clock.now(),
    )

    assert not await end()
    half = await world.job()
    assert (JobState.RUNNING, ENDED_AT_ONCE, 11) == (
        half.state,
        half.counts.cancelled,
        half.counts.open,
    )
    again = await world.extracted(event, ["https://h0.test/late"])
    await handlers.handle_page_extracted(again, world.cause(), second)
    await handlers.handle_version_indexed(indexed(event), world.cause(), second)
    await world.cancel()
    assert await end()

    (finished,) = await world.events(CrawlFinished)
    counts = finished.counts
    assert (JobState.CANCELLED, 0) == (finished.state, counts.open)
    assert len(links) + 1 == counts.cancelled + counts.indexed
    assert "https://h0.test/late" not in await world.outcomes()
    assert [] == await world.rows(tables.queue)


async def test_a_job_whose_last_rows_others_close_ends_as_it_was_told(pair: Pair) -> None:
    """The process that cancelled it broke off, and its pages came to their outcome."""
    world, _ = pair
    (event,) = await fetched(world, 1)
    links = [f"https://h0.test/linked/{number}" for number in range(ENDED_AT_ONCE)]
    extracted = await world.extracted(event, links)
    await handlers.handle_page_extracted(extracted, world.cause(), world.ports)
    await world.events()
    await world.ports.ledger.end_job(
        JobId("job"),
        Ending(outcome=Outcome.CANCELLED),
        organisation_id="main",
        lane=Lane.NOW,
        now=world.clock.now(),
    )
    for name in links:
        world.source.serve(name, page_answer(name))
    await handlers.handle_version_indexed(indexed(event), world.cause(), world.ports)
    for late in await world.steps() and await world.events(PageFetched):
        await world.extract(late)
        await world.index(late)

    (finished,) = await world.events(CrawlFinished)
    assert JobState.CANCELLED is finished.state
    assert ENDED_AT_ONCE + 1 == finished.counts.cancelled + finished.counts.indexed


async def test_a_transaction_that_fails_leaves_nothing(pair: Pair) -> None:
    """Rows, counts and events come together or not at all."""
    world, _ = pair
    world.scopes.apply(scope("a.test", seeds=[ROOT]))

    async def crash(name: str) -> None:
        if name.endswith(".begin"):
            return
        raise AssertionError("the process ended after the commit")

    world.database._effect = crash
    with pytest.raises(AssertionError):
        await world.crawl()
    world.database._effect = calm
    await world.crawl()

    assert 1 == (await world.job()).counts.open
    assert 1 == len(await world.rows(tables.job))


async def calm(name: str) -> None:
    return None


async def test_a_lease_is_seen_by_the_other_process_before_the_request(pair: Pair) -> None:
    """The second process sees the host taken as soon as the first has its lease."""
    world, second = pair
    urls = serve(world, 2)
    world.scopes.apply(scope("h0.test"))
    await world.fetch(*urls)
    lease = await lease_next(world.ports)
    assert isinstance(lease, PageLease)
    (blocked,) = await second.frontier.lease_some(
        lanes=BOTH_LANES, lease_ids=["second"], now=world.clock.now()
    )
    await work_on(lease, world.ports)
    (free,) = await second.frontier.lease_some(
        lanes=(Lane.NOW,), lease_ids=["third"], now=world.clock.now()
    )

    assert isinstance(blocked, Idle)
    assert isinstance(free, PageLease)


async def test_a_page_freed_and_never_recorded_waits_again(pair: Pair) -> None:
    """Its host was free at once; the worker that died is noticed later, by any process."""
    world, second = pair
    urls = serve(world, 2)
    world.scopes.apply(scope("h0.test"))
    await world.fetch(*urls)
    lost, held = await lease_next(world.ports), None
    assert isinstance(lost, PageLease)
    release = Release(next_allowed_time=world.clock.now(), backoff=0)
    await world.ports.frontier.give_back(lost.host, release=release, now=world.clock.now())
    held = await lease_next(second)
    assert isinstance(held, PageLease)
    world.clock.advance(1)
    later = world.clock.now()

    await second.ledger.give_up_unrecorded(leased_before=later, now=later)
    await second.ledger.give_up_unrecorded(leased_before=later, now=later)
    await world.ports.results.record(
        [PageResult(lease=lost, time=later, what=GoneReason.GONE)], release=release, now=later
    )
    await work_on(held, second)
    again = await lease_next(world.ports)

    assert isinstance(again, PageLease)
    assert (lost.url, 1) == (again.url, again.attempts)
    failures = await world.events(FetchFailed)
    assert ["LEASE_EXPIRED"] == [event.reason for event in failures]
    assert [held.url] == [event.url for event in await world.events(PageFetched)]


async def test_a_file_is_held_as_it_came_last(pair: Pair) -> None:
    """Each keeps the newest; one too large to be held leaves nothing to be confirmed."""
    world, second = pair
    now = world.clock.now()
    first = KeptFile(
        final_url=f"{ROOT}map", etag='"\0é"', body=b"\0text", tried_time=now, unreachable_since=now
    )
    incompressible = random.Random(1).randbytes(PLAIN_BYTES_MAX + 1)
    await world.ports.files.keep(ROOT, first)
    held = await second.files.held(ROOT)
    await second.files.keep(ROOT, KeptFile(etag='"2"', body=incompressible, tried_time=now))
    replaced = await world.ports.files.held(ROOT)
    world.clock.advance(500 * 24 * 3600)
    await world.ports.ledger.forget(now=world.clock.now())

    assert replace(first, etag='"\ufffdé"') == held
    assert KeptFile(etag='"2"', tried_time=now) == replaced
    assert await second.files.held(ROOT) is None


async def test_a_listing_is_taken_up_for_a_recrawl_of_its_scope(pair: Pair) -> None:
    """By whoever holds its lease, for the job of any process; a crawl hears nothing of it."""
    world, other = pair
    world.scopes.apply(scope("a.test", sitemaps=("https://a.test/sitemap.xml",)))
    await world.crawl()
    lease = await lease_next(world.ports)
    assert isinstance(lease, TaskLease)
    listing = TakenListing("digest", ("https://a.test/part.xml",))
    lost = replace(lease, host=replace(lease.host, lease_id="another"))
    await other.listings.keep(lost, TakenListing("lost", ()), now=world.clock.now())
    await world.ports.listings.keep(lease, TakenListing("before", ()), now=world.clock.now())
    await world.ports.listings.keep(lease, listing, now=world.clock.now())
    crawl = await other.listings.taken(lease, now=world.clock.now())
    async with world.database.transaction() as connection:
        await connection.execute(tables.job.update().values(kind="recrawl"))
    recrawl = await other.listings.taken(lease, now=world.clock.now())

    assert (None, listing) == (crawl, recrawl)
    assert await other.listings.taken(lease, now=world.clock.now() + TAKEN_KEPT) is None


async def test_what_validators_missed_is_counted_by_all(pair: Pair) -> None:
    """Each process adds to the same counts, and believes what both have seen."""
    world, second = pair
    missed = SiteCounts(host_key="a.test", verdict=ValidatorVerdict.MISSED)
    told = SiteCounts(host_key="a.test", verdict=ValidatorVerdict.TRUE)
    before = await second.validators.believed("a.test", now=world.clock.now())
    await asyncio.gather(world.ports.validators.count(missed), second.validators.count(missed))
    world.clock.advance(61)
    caught = await world.ports.validators.believed("a.test", now=world.clock.now())
    for _ in range(4):
        await second.validators.count(told)
    forgiven = await second.validators.believed("a.test", now=world.clock.now())

    assert (True, False, True) == (before, caught, forgiven)


async def test_a_job_counts_the_bytes_of_its_bodies(pair: Pair) -> None:
    """Of every fetch that it waited for, its last one too; one that was shared, in each."""
    world, second = pair
    events = await fetched(world, 2)
    bodies = [event.body.size for event in events]
    assert sum(bodies) == (await world.job()).counts.fetched_bytes

    for event in events:
        extracted = await world.extracted(event, [])
        await handlers.handle_page_extracted(extracted, world.cause(), world.ports)
    await asyncio.gather(
        *(
            handlers.handle_version_indexed(indexed(event), world.cause(), ports)
            for event, ports in zip(events, (world.ports, second), strict=True)
        )
    )
    (finished,) = await world.events(CrawlFinished)
    assert sum(bodies) == finished.counts.fetched_bytes
