"""Runs of a host: how long they are, when they end, and what becomes of what was not asked."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from scops.common.archive.ports import Archive, NewBlob
from scops.common.contract.errors import StoreBusy, StoreUnavailable
from scops.common.contract.ids import JobId, ScopeId
from scops.common.contract.messages.crawl import CrawlScope, PageFetched
from scops.common.contract.messages.types import BodyRef, RuleKind, Scope, ScopeRef, ScopeRule
from scops.common.contract.service_table import Lane
from scops.common.observe.trail import Trail, following, from_text
from scops.fetcher.adapters.sql import tables
from scops.fetcher.frontier.leases import HostLease, PageLease, PageRun
from scops.fetcher.frontier.runs import BYTES_MAX, PAUSE_SECONDS_MAX, RUN_PAGES_MAX, run_length
from scops.fetcher.frontier.scheduler import BOTH_LANES, lease_some, work_on
from scops.fetcher.handlers import handle_crawl_scope
from scops.fetcher.upkeep import give_up_unrecorded
from tests.fakes.clock import ManualClock
from tests.fakes.page_source import failure, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope
from tests.fakes.worlds.runs import DELAY, SETTINGS, URLS, BusyWeb, host_of_pages, run_of, waiting


@pytest.fixture
async def world() -> AsyncIterator[FetcherWorld]:
    """Six pages of a host with a short pause."""
    async with host_of_pages() as opened:
        yield opened


def host(**values: float) -> HostLease:
    now = ManualClock().now()
    held = HostLease(
        lease_id="lease",
        host_key="a.test",
        delay_seconds=0.0,
        free_before=now,
        backoff=0,
        send_before=now,
    )
    return replace(held, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "pages"),
    [
        ({}, RUN_PAGES_MAX),
        ({"delay_seconds": 0.1, "response_seconds": 0.1}, 11),
        ({"delay_seconds": 0.1, "response_seconds": 1.9}, 2),
        ({"response_seconds": 3.0}, 1),
        ({"delay_seconds": PAUSE_SECONDS_MAX + 0.01}, 1),
        ({"backoff": 1}, 1),
    ],
)
def test_a_run_is_as_long_as_its_time(values: dict[str, float], pages: int) -> None:
    """Its requests begin within two seconds; a host that rests or is strained has none."""
    assert pages == run_length(host(**values))


async def test_pages_are_asked_in_turn_with_the_pause_between_them(world: FetcherWorld) -> None:
    """Under one lease, and each is observed when it was answered."""
    world.source.response_seconds = 0.01
    run = await run_of(world)
    assert await work_on(run, world.ports)
    events = await world.events(PageFetched)
    gaps = world.source.gaps_seconds()
    times = [event.observed_time for event in events]

    assert [page.url for page in run.pages] == world.source.pages_asked()
    assert all(gap >= DELAY + 0.01 - 1e-6 for gap in gaps)
    assert sorted(times) == times
    assert all(later - time >= timedelta(seconds=DELAY) for time, later in pairwise(times))


async def test_a_person_waits_for_one_request_at_most(world: FetcherWorld) -> None:
    """The run ends before its next page, and the host is free for what the person wants."""
    run = await run_of(world)
    wanted = "https://a.test/wanted"
    world.source.serve(wanted, page_answer(wanted))

    async def ask() -> None:
        await world.fetch(wanted, run.pages[4].url, job_id="asked")

    busy = replace(world.ports, source=BusyWeb(world.source, ask, before=2))
    assert await work_on(run, busy)
    assert [page.url for page in run.pages[:2]] == world.source.pages_asked()
    world.clock.advance(DELAY)
    (lease,) = await lease_some(world.ports, count=1, run_max=RUN_PAGES_MAX)

    assert isinstance(lease, PageLease)
    assert Lane.NOW is lease.lane
    assert lease.url in {wanted, run.pages[4].url}
    assert {page.url for page in run.pages[2:]} <= {lease.url, *await waiting(world)}


async def test_a_person_who_joins_a_run_waits_for_one_request_at_most(
    world: FetcherWorld,
) -> None:
    """Also where what the person wants was leased by the run after the person had asked."""
    run = await run_of(world)
    wanted = run.pages[4].url

    async def ask() -> None:
        assert world.clock.now() == run.pages[0].due_time + timedelta(seconds=1)
        await world.fetch(wanted, job_id="asked")

    # Its job is as old as the lease, so that it shares the fetch.
    busy = replace(world.ports, source=BusyWeb(world.source, ask, before=1))
    assert await work_on(run, busy)
    assert [run.pages[0].url] == world.source.pages_asked()
    world.clock.advance(DELAY)
    (lease,) = await lease_some(world.ports, count=1)

    assert isinstance(lease, PageLease)
    assert (Lane.NOW, wanted) == (lease.lane, lease.url)


async def test_a_person_does_not_wait_for_the_disk(world: FetcherWorld) -> None:
    """A page that the run did not come to waits again as soon as its host is free."""
    run = await run_of(world)
    wanted = run.pages[4].url

    async def ask() -> None:
        world.clock.advance(0.001)
        await world.fetch(wanted, job_id="asked")

    archive = HeldArchive(world.ports.archive)
    busy = replace(world.ports, archive=archive, source=BusyWeb(world.source, ask, before=2))
    working = asyncio.create_task(work_on(run, busy))
    await asyncio.wait_for(archive.asked.wait(), 10)
    while [row for row in await world.hosts() if row.lease_id is not None]:
        await asyncio.sleep(0)
    world.clock.advance(DELAY)
    (lease,) = await lease_some(world.ports, count=1)

    assert isinstance(lease, PageLease)
    assert (Lane.NOW, wanted) == (lease.lane, lease.url)
    archive.keeping.set()
    assert await working
    told = [event.canonical_url for event in await world.events(PageFetched)]
    assert [page.url for page in run.pages[:2]] == told


class HeldArchive:
    """Keeps bodies when it is told to."""

    def __init__(self, inner: Archive) -> None:
        self._inner = inner
        self.asked, self.keeping = asyncio.Event(), asyncio.Event()

    async def put_many(
        self, blobs: Sequence[NewBlob], *, patient: bool = False
    ) -> Sequence[BodyRef]:
        self.asked.set()
        await self.keeping.wait()
        return await self._inner.put_many(blobs, patient=patient)

    async def get(self, ref: BodyRef) -> bytes:
        return await self._inner.get(ref)


async def test_a_page_that_fails_with_a_bug_ends_no_other(world: FetcherWorld) -> None:
    """What was answered before it is kept, what comes after it waits, and it counts an attempt."""
    run = await run_of(world)
    urls = [page.url for page in run.pages]
    world.source.serve(urls[2], raising(RuntimeError("a bug")))
    with pytest.raises(RuntimeError, match="a bug"):
        await work_on(run, world.ports)
    (row,) = await world.hosts()

    assert urls[:3] == world.source.pages_asked()
    assert urls[:2] == [event.canonical_url for event in await world.events(PageFetched)]
    assert urls[3:] == await waiting(world)
    assert row.lease_id is None
    world.clock.advance(3 * SETTINGS.lease_seconds)
    await give_up_unrecorded(world.ports)
    assert [*urls[3:], urls[2]] == await waiting(world)
    attempts = {row.canonical_url: row.attempts for row in await world.rows_of_pages()}
    assert [0, 0, 1, 0, 0, 0] == [attempts[url] for url in urls]


@pytest.mark.parametrize("error", [RuntimeError("a bug"), StoreUnavailable("It is away.")])
async def test_a_host_rests_after_a_request_that_brought_no_answer(
    world: FetcherWorld, error: Exception
) -> None:
    """It was asked, whatever became of that."""
    run = await run_of(world)
    world.source.serve(run.pages[2].url, raising(error))
    with pytest.raises(type(error)):
        await work_on(run, world.ports)
    (row,) = await world.hosts()

    assert row.lease_id is None
    assert world.source.asked[-1].time + timedelta(seconds=DELAY) == row.next_allowed_time


def raising(error: Exception) -> Callable[[], None]:
    """Returns an answer that is none."""

    def answer() -> None:
        raise error

    return answer


async def test_a_run_ends_when_its_time_is_up(world: FetcherWorld) -> None:
    """A host that has become slow keeps nobody waiting for longer; the rest keeps its place."""
    run = await run_of(world)
    world.source.response_seconds = 0.9
    before = [page.url for page in run.pages]
    assert await work_on(run, world.ports)

    assert before[:3] == world.source.pages_asked()
    assert before[3:] == await waiting(world)
    assert {0} == {row.attempts for row in await world.rows_of_pages()}


async def test_a_strained_host_ends_the_run(world: FetcherWorld) -> None:
    """It rests as long as it would after a page alone."""
    run = await run_of(world)
    world.source.serve(run.pages[1].url, failure("HTTP_503", retryable=True, host_fault=True))
    assert await work_on(run, world.ports)
    (row,) = await world.hosts()

    assert 2 == len(world.source.pages_asked())
    assert 1 == row.backoff
    assert row.next_allowed_time - world.clock.now() >= timedelta(seconds=4.9)
    assert row.lease_id is None


async def test_a_run_holds_no_more_bodies_than_a_few(world: FetcherWorld) -> None:
    """They lie in memory until all are recorded."""
    run = await run_of(world)
    world.source.serve(run.pages[0].url, page_answer("x" * (BYTES_MAX + 1)))
    assert await work_on(run, world.ports)

    assert [run.pages[0].url] == world.source.pages_asked()


async def test_an_archive_that_is_away_costs_no_page(world: FetcherWorld) -> None:
    """All pages of the run wait again, and none has failed."""
    run = await run_of(world)
    world.ports = replace(world.ports, archive=AwayArchive())  # type: ignore[arg-type]
    with pytest.raises(StoreUnavailable):
        await work_on(run, world.ports)
    (row,) = await world.hosts()

    assert sorted(URLS) == sorted(await waiting(world))
    assert {0} == {row.attempts for row in await world.rows_of_pages()}
    assert row.lease_id is None


class AwayArchive:
    """Takes nothing."""

    async def put_many(
        self, blobs: Sequence[NewBlob], *, patient: bool = False
    ) -> Sequence[BodyRef]:
        raise StoreUnavailable("The archive is away.")


async def test_where_somebody_is_in_the_way_each_page_is_recorded_alone(
    world: FetcherWorld,
) -> None:
    """What two transactions that wait for each other give up is done in small."""
    run = await run_of(world)
    results = world.ports.results
    world.ports = replace(world.ports, results=CrowdedResults(results))
    assert await work_on(run, world.ports)
    (row,) = await world.hosts()

    assert sorted(URLS) == sorted(e.canonical_url for e in await world.events(PageFetched))
    assert row.lease_id is None


class CrowdedResults:
    """Refuses to record several at once."""

    def __init__(self, inner: object) -> None:
        self._inner = inner

    async def record(self, results: Sequence[object], **values: object) -> bool:
        if len(results) > 1:
            raise StoreBusy("Somebody is in the way.")
        return bool(await self._inner.record(results, **values))  # type: ignore[attr-defined]


async def test_only_pages_in_lane_bulk_run(world: FetcherWorld) -> None:
    """A person's pages are recorded one by one, as each comes."""
    await world.fetch(*URLS, job_id="asked")
    world.clock.advance(1.0)
    (found,) = await lease_some(world.ports, lanes=BOTH_LANES, count=1, run_max=RUN_PAGES_MAX)
    assert isinstance(found, PageLease)


async def test_a_job_that_joins_a_run_gets_the_links(world: FetcherWorld) -> None:
    """A page whose links it turns out to wait for holds up none of the others."""
    found = "https://a.test/found"
    world.scopes.apply(scope("a.test", seeds=URLS, revision=2))
    world.links[URLS[0]] = (found,)
    for url in (*URLS, found):
        world.source.serve(url, page_answer(url, etag='"1"'))
    await world.crawl("first crawl")
    await world.run()
    world.clock.advance(60.0)
    accepted = world.clock.now()
    await world.crawl("second crawl")
    world.clock.advance(1.0)
    (run,) = await lease_some(world.ports, count=1, run_max=RUN_PAGES_MAX)
    assert isinstance(run, PageRun)
    assert {True} == {page.links_given for page in run.pages}
    rule = ScopeRule(kind=RuleKind.PREFIX, pattern="a.test")
    other = Scope(scope_id=ScopeId("other"), revision=1, rules=(rule,), seeds=(URLS[0],))
    world.scopes.apply(other)
    command = CrawlScope(
        job_id=JobId("other"),
        scope=ScopeRef(scope_id=other.scope_id, revision=1),
        accepted_time=accepted,
    )
    await handle_crawl_scope(command, world.cause(), world.ports)
    assert await work_on(run, world.ports)
    await world.run()

    assert {URLS[0]: "unchanged", found: "unchanged"} == await world.outcomes("other")
    assert {"unchanged"} == set((await world.outcomes("second crawl")).values())
    assert 7 == len(await world.outcomes("second crawl"))


async def test_what_comes_of_a_page_inherits_the_trail_of_who_asked(world: FetcherWorld) -> None:
    """Although it is recorded with others, after the last of them was asked for."""
    asked = Trail(request_id="r-1")
    with following(asked):
        run = await run_of(world)
    gone, *_ = run.pages
    world.source.serve(gone.url, None)
    await work_on(run, world.ports)
    rows = await world.rows(tables.outbox)

    assert {"PageFetched", "PageGone"} == {row.message_type for row in rows}
    assert {("r-1", "job")} == {
        (from_text(row.trail).request_id, from_text(row.trail).job_id) for row in rows
    }
