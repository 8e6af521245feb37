"""Pages are kept fresh without anybody asking: what is learned, when they are due, who pays."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import (
    ChangeSettled,
    Verdict,
    VersionAdded,
    VersionClosed,
)
from scops.common.contract.messages.crawl import PageSchedule
from scops.common.contract.messages.explanation import CitedPage, PageCited
from scops.common.contract.messages.types import ChangeSummary, OrderKey
from scops.fetcher import handlers
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.recrawl import schedule_tables
from scops.fetcher.discovery.sitemap import SignalKind
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.upkeep import recrawl_due
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
CHILD = "https://a.test/child"
FRESH = "https://a.test/new"
DAY = 86_400.0
SETTINGS = FetcherSettings(recrawl_per_day=240, recrawl_stale_min=0.0, recrawl_hours_min=0.0)


@pytest.fixture
async def world() -> AsyncIterator[FetcherWorld]:
    """A fetcher with a budget, and two pages of a scope that were crawled and checked."""
    async with FetcherWorld.opened(settings=SETTINGS) as opened:
        opened.scopes.apply(scope("a.test", seeds=[ROOT, CHILD]))
        opened.scopes.complete = True
        for url in (ROOT, CHILD):
            opened.source.serve(url, page_answer(url))
        await opened.crawl()
        await opened.run()
        for url in (ROOT, CHILD):
            await check(opened, url)
        yield opened


async def check(
    world: FetcherWorld,
    url: str,
    *,
    semantic: bool = False,
    pipeline_changed: bool = False,
    closed: bool = False,
    times: int = 1,
) -> None:
    """Lets the change-detector say something about a page, as often as it is delivered."""
    page = await world.page(url)
    verdict = Verdict(
        page_id=page.page_id,
        order_key=OrderKey(observed_from=world.clock.now()),
        verified_time=world.clock.now(),
        observed_time=world.clock.now(),
        summary=ChangeSummary(semantic=semantic),
        pipeline_changed=pipeline_changed,
        closed=closed,
    )
    cause = world.cause()
    message = VersionClosed(verdict=verdict) if closed else VersionAdded(verdict=verdict)
    for _ in range(times):
        await handlers.handle_verdict(message, cause, world.ports)


async def plan(world: FetcherWorld, url: str) -> PageSchedule:
    page = await world.page(url)
    found = await world.ports.schedule.read(page.page_id, now=world.clock.now())
    assert found is not None
    return found


async def due(world: FetcherWorld, url: str) -> datetime:
    time = (await plan(world, url)).due_time
    assert time is not None
    return time


async def counts(world: FetcherWorld, url: str) -> tuple[int, int]:
    page_id = (await world.page(url)).page_id
    rows = await world.rows(schedule_tables.schedule)
    (row,) = [row for row in rows if row.page_id == page_id]
    return row.observed_count, row.semantic_count


async def test_redelivered_verdict_counts_once(world: FetcherWorld) -> None:
    """The rate learns from each event once."""
    world.clock.advance(DAY)
    await check(world, ROOT, semantic=True, times=2)

    assert (2, 1) == await counts(world, ROOT)


async def test_change_that_settles_counts_at_its_check_and_once(world: FetcherWorld) -> None:
    """As if its verdict had been one of a change; an unknown page has nothing to learn."""
    for number in range(4):
        world.clock.advance(DAY)
        await check(world, ROOT)
        await check(world, CHILD, semantic=number == 0)
    page, now = await world.page(ROOT), world.clock.now()
    came = now - timedelta(days=3)
    settled = ChangeSettled(
        page_id=page.page_id, change_time=came, changed_after_time=came - timedelta(days=1)
    )
    cause = world.cause()
    for _ in range(2):
        await handlers.handle_change_settled(settled, cause, world.ports)
    unknown = replace(settled, page_id=PageId("unknown"))
    await handlers.handle_change_settled(unknown, world.cause(), world.ports)
    late, at_once = await plan(world, ROOT), await plan(world, CHILD)

    assert (5, 1) == await counts(world, ROOT) == await counts(world, CHILD)
    assert late.change_rate == pytest.approx(at_once.change_rate)
    assert came == late.changed_time == at_once.changed_time


async def test_change_of_our_pipeline_is_no_observation(world: FetcherWorld) -> None:
    """A rechunk's verdict moves neither the counts nor the rate."""
    world.clock.advance(DAY)
    before = (await plan(world, ROOT)).change_rate
    await check(world, ROOT, semantic=True, pipeline_changed=True)

    assert (1, 0) == await counts(world, ROOT)
    assert before == (await plan(world, ROOT)).change_rate


async def test_changing_page_is_due_sooner_than_a_quiet_one(world: FetcherWorld) -> None:
    """The schedule follows what the checks found."""
    for _ in range(6):
        world.clock.advance(DAY)
        await check(world, ROOT, semantic=True)
        await check(world, CHILD)
    changing, quiet = await plan(world, ROOT), await plan(world, CHILD)

    assert changing.change_rate > 10 * quiet.change_rate
    assert await due(world, ROOT) < await due(world, CHILD)
    assert changing.change_rate_low < changing.change_rate < changing.change_rate_high


async def test_cited_page_is_due_sooner_and_a_citation_counts_once(world: FetcherWorld) -> None:
    """Demand raises the worth of a page's fetch."""
    await world.ports.schedule.pool(now=world.clock.now())
    world.clock.advance(120)
    before = await due(world, ROOT)
    page = await world.page(ROOT)
    now = world.clock.now()
    event = PageCited(pages=(CitedPage(page_id=page.page_id, count=3),), from_time=now, to_time=now)
    cause = world.cause()
    await handlers.handle_page_cited(event, cause, world.ports)
    once = await plan(world, ROOT)
    await handlers.handle_page_cited(event, cause, world.ports)
    # Cited for what it said once.
    none = replace(event, pages=(CitedPage(page_id=page.page_id, count=0),))
    await handlers.handle_page_cited(none, world.cause(), world.ports)

    assert await due(world, ROOT) < before
    assert once.importance == (await plan(world, ROOT)).importance > 1.0


async def test_due_page_is_fetched_without_being_asked_for(world: FetcherWorld) -> None:
    """A job of the recrawl in lane bulk ends like any other."""
    world.clock.advance(60 * DAY)
    taken = await recrawl_due(world.ports)
    await world.run()
    (job,) = [row for row in await world.rows(tables.job) if row.kind == "recrawl"]

    assert 2 == taken
    assert ("bulk", "completed", 2) == (job.lane, job.state, job.unchanged_count)


async def test_taken_page_is_not_taken_again_at_once(world: FetcherWorld) -> None:
    """Until its verdict comes, a page taken up is due later by itself."""
    world.clock.advance(60 * DAY)
    await recrawl_due(world.ports)
    world.clock.advance(3600)

    assert await due(world, ROOT) > world.clock.now()


async def test_unknown_page_that_a_recrawl_finds_is_taken_up(world: FetcherWorld) -> None:
    """New pages of a scope are found; known ones keep their own due time."""
    world.source.serve(FRESH, page_answer("new"))
    world.source.serve(ROOT, page_answer("links"))
    world.links[ROOT] = (FRESH, CHILD)
    await check(world, CHILD)
    world.clock.advance(DAY)
    await check(world, CHILD)
    world.clock.advance(3600)
    await set_due(world, CHILD, days=9)
    world.ports = world.new_ports()
    await recrawl_one(world)
    await world.run()
    (job,) = [row for row in await world.rows(tables.job) if row.kind == "recrawl"]
    rows = {row.url for row in await world.rows(tables.job_page) if row.job_id == job.job_id}

    assert {ROOT, FRESH} == rows


async def test_budget_pays_for_so_many_fetches_and_no_more(world: FetcherWorld) -> None:
    """One fetch a day is one fetch a day, however many pages are due."""
    world.scopes.apply(scope("a.test", seeds=[ROOT], revision=2, recrawl_per_day=1))
    for url in (ROOT, CHILD):
        world.clock.advance(1)
        await check(world, url)
    taken = 0
    for _ in range(40):
        world.clock.advance(DAY / 2)
        taken += await recrawl_due(world.ports)
        await world.run()
        for url in (ROOT, CHILD):
            await check(world, url)

    assert 20 == taken


async def test_nothing_is_fetched_without_a_budget(world: FetcherWorld) -> None:
    """A scope may keep its pages as they are; so may an organisation."""
    world.scopes.apply(scope("a.test", seeds=[ROOT], revision=2, recrawl_per_day=-1))
    await check(world, ROOT)
    world.clock.advance(DAY)
    await check(world, ROOT)
    await check(world, CHILD)
    world.clock.advance(300 * DAY)

    assert 0 == await recrawl_due(world.ports)
    assert (await plan(world, ROOT)).due_time is None


async def test_scope_with_a_budget_of_its_own_pays_for_its_pages(world: FetcherWorld) -> None:
    """Its fetches are not the organisation's."""
    world.scopes.apply(scope("a.test", seeds=[ROOT], revision=2, recrawl_per_day=48))
    world.clock.advance(DAY)
    await check(world, ROOT)
    found = await plan(world, ROOT)

    assert ("scope", 48) == (found.budget_scope_id, found.budget_per_day)


async def test_page_that_no_scope_holds_any_more_is_left_alone(world: FetcherWorld) -> None:
    """Rules are those at the time of the fetch."""
    world.scopes.apply(scope("b.test", revision=2))
    world.clock.advance(60 * DAY)

    assert 0 == await recrawl_due(world.ports)
    assert (await plan(world, ROOT)).due_time is None


async def test_floor_brings_every_page_back(world: FetcherWorld) -> None:
    """A page not worth its fetch is due by the longest wait, and says so."""
    now = world.clock.now()
    longest = timedelta(days=SETTINGS.recrawl_days_max)

    assert await due(world, ROOT) <= now + longest


async def test_page_that_is_gone_waits_the_longest(world: FetcherWorld) -> None:
    """Nothing is answered from it; that it vanished is a change."""
    world.clock.advance(DAY)
    await check(world, ROOT, closed=True)
    longest = timedelta(days=SETTINGS.recrawl_days_max)

    assert world.clock.now() + longest == await due(world, ROOT)
    assert (2, 1) == await counts(world, ROOT)


async def test_signal_newer_than_the_check_ages_a_page(world: FetcherWorld) -> None:
    """What a sitemap says counts once the site has been right before."""
    page_id = (await world.page(ROOT)).page_id
    for _ in range(4):
        world.clock.advance(DAY)
        await tell(world, page_id)
        world.clock.advance(60)
        await check(world, ROOT, semantic=True)
    await world.ports.schedule.pool(now=world.clock.now())
    world.clock.advance(120)
    before = await plan(world, ROOT)
    await tell(world, page_id)
    after = await plan(world, ROOT)

    assert after.signals == (SignalKind.SITEMAP.value,)
    assert after.stale_probability > 0.4 > before.stale_probability


async def tell(world: FetcherWorld, page_id: PageId) -> None:
    """Lets a sitemap state that a page has just changed."""
    now = world.clock.now()
    async with world.database.transaction() as connection:
        values = {"value_time": now, "seen_time": now}
        key = {"page_id": page_id, "kind": SignalKind.SITEMAP.value}
        table = tables.signal
        await connection.execute(table.delete().where(table.c.page_id == page_id))
        await connection.execute(table.insert().values(**key, **values))
    frontier = world.ports.frontier
    async with frontier._write(now) as tx:  # type: ignore[attr-defined]
        await frontier._planner.signal(tx, [page_id], SignalKind.SITEMAP.value)  # type: ignore[attr-defined]


async def set_due(world: FetcherWorld, url: str, *, days: float) -> None:
    page_id = (await world.page(url)).page_id
    table = schedule_tables.schedule
    async with world.database.transaction() as connection:
        await connection.execute(
            table.update()
            .where(table.c.page_id == page_id)
            .values(due_time=world.clock.now() + timedelta(days=days))
        )


async def recrawl_one(world: FetcherWorld) -> None:
    """Lets the budget pay for a single page: the one that is due first."""
    table = schedule_tables.budget
    async with world.database.transaction() as connection:
        await connection.execute(table.update().values(tokens=1.0, refilled_time=world.clock.now()))
    await set_due(world, ROOT, days=0)
    assert 1 == await recrawl_due(world.ports)
