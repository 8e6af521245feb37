"""A listing that a scope has taken up whole, and that comes as it was, tells it nothing."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from scops.common.contract.messages.change import Verdict, VersionAdded
from scops.common.contract.messages.types import ChangeSummary, OrderKey
from scops.fetcher import handlers
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.discovery import listing_tables
from scops.fetcher.adapters.sql.recrawl import schedule_tables
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.upkeep import recrawl_due
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
MAP = "https://a.test/sitemap.xml"
PART = "https://a.test/part.xml"
FIRST, SECOND = "https://a.test/1", "https://a.test/2"
DAY = timedelta(days=1)
SETTINGS = FetcherSettings(recrawl_per_day=240, recrawl_stale_min=0.0, recrawl_hours_min=0.0)
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@pytest.fixture
async def world() -> AsyncIterator[FetcherWorld]:
    """A fetcher with a budget, whose scope has a sitemap."""
    async with FetcherWorld.opened(settings=SETTINGS) as opened:
        opened.scopes.apply(scope("a.test", seeds=[ROOT], sitemaps=(MAP,)))
        opened.scopes.complete = True
        for url in (ROOT, FIRST, SECOND):
            opened.source.serve(url, page_answer(url))
        yield opened


def serve(world: FetcherWorld, url: str, *named: str, tag: str = "url", **values: str) -> None:
    """Serves a listing of URLs, each with the same time if one is given."""
    last = f"<lastmod>{values['stated']}</lastmod>" if "stated" in values else ""
    entries = "".join(f"<{tag}><loc>{each}</loc>{last}</{tag}>" for each in named)
    root = "urlset" if tag == "url" else "sitemapindex"
    body = f'<{root} xmlns="{NAMESPACE}">{entries}</{root}>'
    world.source.serve(url, page_answer(body, etag=values.get("etag", "")))


async def crawled(world: FetcherWorld) -> None:
    """Crawls, and has the root judged, so that it is due some time."""
    await world.crawl()
    await world.run()
    page, now = await world.page(ROOT), world.clock.now()
    verdict = Verdict(
        page_id=page.page_id,
        order_key=OrderKey(observed_from=now),
        verified_time=now,
        observed_time=now,
        summary=ChangeSummary(semantic=False),
    )
    await handlers.handle_verdict(VersionAdded(verdict=verdict), world.cause(), world.ports)


async def recrawled(world: FetcherWorld, *, after: timedelta) -> set[str]:
    """Lets the root fall due some time later; returns the pages of the recrawl."""
    world.clock.advance(after.total_seconds())
    now = world.clock.now()
    async with world.database.transaction() as connection:
        budget, schedule = schedule_tables.budget, schedule_tables.schedule
        await connection.execute(update(budget).values(tokens=1.0, refilled_time=now))
        await connection.execute(update(schedule).values(due_time=now))
    known = {row.job_id for row in await world.rows(tables.job)}
    assert 1 == await recrawl_due(world.ports)
    await world.run()
    (job,) = [row for row in await world.rows(tables.job) if row.job_id not in known]
    return {row.url for row in await world.rows(tables.job_page) if row.job_id == job.job_id}


async def read_whole(world: FetcherWorld, url: str) -> datetime | None:
    """Returns when a listing was last taken up whole."""
    rows: list[Any] = [
        row for row in await world.rows(listing_tables.taken_listing) if row.url == url
    ]
    return rows[0].taken_time if rows else None


@pytest.mark.parametrize("etag", ['"1"', ""])
async def test_unchanged_listing_is_not_taken_up_again(world: FetcherWorld, etag: str) -> None:
    """Whether by a 304 or by the same bytes: it is asked for, and that is all."""
    serve(world, MAP, FIRST, etag=etag)
    await crawled(world)
    before = await read_whole(world, MAP)
    pages = await recrawled(world, after=2 * DAY)

    assert [False, bool(etag)] == [
        asked.conditional for asked in world.source.asked if asked.url == MAP
    ]
    assert {ROOT} == pages
    assert before is not None
    assert before == await read_whole(world, MAP)


async def test_file_that_is_confirmed_counts_as_asked_for(world: FetcherWorld) -> None:
    """It is not forgotten for having stayed the same."""
    serve(world, MAP, FIRST, etag='"1"')
    await crawled(world)
    await recrawled(world, after=2 * DAY)
    (held,) = [row for row in await world.rows(tables.plain_file) if row.url == MAP]

    assert world.clock.now() - held.tried_time < DAY


async def test_changed_listing_is_taken_up(world: FetcherWorld) -> None:
    """Its new page belongs to the recrawl."""
    serve(world, MAP, FIRST, etag='"1"')
    await crawled(world)
    serve(world, MAP, FIRST, SECOND, etag='"2"')

    assert {ROOT, SECOND} == await recrawled(world, after=2 * DAY)


async def test_listing_below_an_unchanged_index_is_read(world: FetcherWorld) -> None:
    """An index may stay the same while what it names changes."""
    serve(world, MAP, PART, tag="sitemap", etag='"1"')
    serve(world, PART, FIRST, etag='"1"')
    await crawled(world)
    serve(world, PART, FIRST, SECOND, etag='"2"')

    assert {ROOT, SECOND} == await recrawled(world, after=2 * DAY)


async def test_time_that_an_unchanged_page_list_changes_is_a_signal(world: FetcherWorld) -> None:
    """Another lastmod is another body."""
    serve(world, MAP, FIRST, etag='"1"', stated="2020-01-01")
    await crawled(world)
    serve(world, MAP, FIRST, etag='"2"', stated="2020-02-02")
    await recrawled(world, after=2 * DAY)
    (signal,) = await world.rows(tables.signal)

    assert (2020, 2, 2) == signal.value_time.timetuple()[:3]


async def test_new_crawl_takes_every_page_of_an_unchanged_listing(world: FetcherWorld) -> None:
    """The pages are its own, whatever an earlier job has made of them."""
    serve(world, MAP, FIRST, etag='"1"')
    await crawled(world)
    async with world.database.transaction() as connection:
        gone = update(tables.page).where(tables.page.c.canonical_url == FIRST)
        await connection.execute(gone.values(status="gone"))
    await world.crawl("second")
    await world.run()

    assert {ROOT, FIRST} == set(await world.outcomes("second"))


async def test_other_revision_of_the_scope_reads_for_itself(world: FetcherWorld) -> None:
    """What the rules let in is another set of pages."""
    serve(world, MAP, FIRST, SECOND, etag='"1"')
    narrow = scope("a.test", "!a.test/2", seeds=[ROOT], sitemaps=(MAP,), revision=2)
    world.scopes.apply(narrow)
    await crawled(world)
    world.scopes.apply(scope("a.test", seeds=[ROOT], sitemaps=(MAP,), revision=3))

    assert {ROOT, SECOND} == await recrawled(world, after=2 * DAY)


async def test_reading_of_a_full_job_does_not_count(world: FetcherWorld) -> None:
    """What found no room is taken up by the next."""
    serve(world, MAP, FIRST, SECOND, etag='"1"')
    world.scopes.apply(scope("a.test", seeds=[ROOT], sitemaps=(MAP,), page_limit=2, revision=2))
    await crawled(world)

    assert await read_whole(world, MAP) is None
    assert {ROOT, SECOND} == await recrawled(world, after=2 * DAY)


async def test_reading_counts_for_a_week(world: FetcherWorld) -> None:
    """Then the whole is read again, for what was learned of its pages elsewhere."""
    serve(world, MAP, FIRST, etag='"1"')
    await crawled(world)
    before = await read_whole(world, MAP)
    await recrawled(world, after=8 * DAY)
    after = await read_whole(world, MAP)

    assert before is not None
    assert after is not None
    assert before < after


async def test_listing_that_speaks_of_later_is_read_again(world: FetcherWorld) -> None:
    """A time ahead is heard when it has come."""
    serve(world, MAP, FIRST, etag='"1"', stated=f"{(world.clock.now() + 3 * DAY):%Y-%m-%d}")
    await crawled(world)
    early = len(await world.rows(tables.signal))
    await recrawled(world, after=4 * DAY)

    assert (0, 1) == (early, len(await world.rows(tables.signal)))
