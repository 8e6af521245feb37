"""Sitemaps: read by the scheduler, counted as open, never a reason to hang."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from scops.common.contract.messages.crawl import CrawlFinished, PageFetched
from scops.common.processes.pool import ChildPool
from scops.fetcher.adapters.child_listings import ChildListings
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.discovery import listing_tables
from scops.fetcher.frontier.leases import TaskLease
from scops.fetcher.frontier.scheduler import BOTH_LANES
from scops.fetcher.metrics import LISTINGS
from scops.fetcher.settings import FetcherSettings
from tests.fakes.fetcher_steps import lease_next
from tests.fakes.page_source import Hop, failure, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope
from tests.unit.common.processes.children import limits
from tests.unit.fetcher.discovery.test_hostile_listings import HOSTILE

ROOT = "https://a.test/"
MAP = "https://a.test/sitemap.xml"
HEAD = '<?xml version="1.0"?><{0} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def dated(url: str, lastmod: str) -> str:
    """Returns a urlset of one page with its time."""
    entry = f"<url><loc>{url}</loc><lastmod>{lastmod}</lastmod></url>"
    return HEAD.format("urlset") + entry + "</urlset>"


def sitemap(*urls: str) -> str:
    """Returns a urlset."""
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return HEAD.format("urlset") + entries + "</urlset>"


def index(*urls: str) -> str:
    """Returns a sitemap index."""
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return HEAD.format("sitemapindex") + entries + "</sitemapindex>"


def serve(world: FetcherWorld, *urls: str) -> None:
    for url in urls:
        world.source.serve(url, page_answer(url))


async def crawled(world: FetcherWorld) -> dict[str, str]:
    await world.crawl()
    finished = [event for event in await world.run() if isinstance(event, CrawlFinished)]
    assert 1 == len(finished)
    return await world.outcomes()


async def test_robots_names_a_sitemap(world: FetcherWorld) -> None:
    """Pages of a sitemap that robots.txt names are crawled, inside the rules."""
    world.source.serve("https://a.test/robots.txt", page_answer(f"Sitemap: {MAP}"))
    world.source.serve(MAP, page_answer(sitemap("https://a.test/1", "https://b.test/")))
    serve(world, ROOT, "https://a.test/1")
    world.scopes.apply(scope("a.test", seeds=[ROOT]))

    assert {ROOT: "indexed", "https://a.test/1": "indexed"} == await crawled(world)


async def test_scope_names_a_sitemap_index(world: FetcherWorld) -> None:
    """A scope without seeds starts from its sitemap, through an index, each file once."""
    world.source.serve(MAP, page_answer(index("https://a.test/s1", "https://a.test/s2", MAP)))
    world.source.serve("https://a.test/s1", page_answer(sitemap("https://a.test/1")))
    world.source.serve("https://a.test/s2", page_answer(sitemap("https://a.test/2")))
    serve(world, "https://a.test/1", "https://a.test/2")
    world.scopes.apply(scope("a.test", sitemaps=(MAP,)))

    assert {"https://a.test/1", "https://a.test/2"} == set(await crawled(world))
    assert 1 == world.source.pages_asked().count(MAP)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        failure("TIMEOUT", retryable=True),
        page_answer("<html>no sitemap</html>"),
        page_answer('<!DOCTYPE x [<!ENTITY a "b">]><urlset/>'),
        Hop("https://a.test/loop"),
    ],
)
async def test_unreadable_sitemap_does_not_hold_the_job(
    world: FetcherWorld, answer: object
) -> None:
    """A job ends though a sitemap is missing, broken, hostile or never answers."""
    world.source.answers[MAP] = answer  # type: ignore[assignment]
    world.source.serve("https://a.test/loop", Hop(MAP))
    serve(world, ROOT)
    world.scopes.apply(scope("a.test", seeds=[ROOT], sitemaps=(MAP,)))

    assert {ROOT: "indexed"} == await crawled(world)


async def test_forbidden_sitemap_is_not_read(world: FetcherWorld) -> None:
    """robots.txt holds for sitemaps too."""
    robots = page_answer("User-agent: *\nDisallow: /sitemap.xml")
    world.source.serve("https://a.test/robots.txt", robots)
    world.source.serve(MAP, page_answer(sitemap("https://a.test/1")))
    world.scopes.apply(scope("a.test", sitemaps=(MAP,)))

    assert {} == await crawled(world)
    assert [] == world.source.pages_asked()


async def test_sitemaps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more files are read than the bound allows, and indexes no deeper."""
    monkeypatch.setattr("scops.fetcher.adapters.sql.frontier.tasks.SITEMAPS_PER_JOB_MAX", 3)
    monkeypatch.setattr("scops.fetcher.discovery.sitemap_read.SITEMAPS_PER_JOB_MAX", 3)
    monkeypatch.setattr("scops.fetcher.adapters.sql.frontier.tasks.SITEMAP_DEPTH_MAX", 1)
    async with FetcherWorld.opened() as world:
        names = [f"https://a.test/s{number}" for number in range(10)]
        world.source.serve(MAP, page_answer(index(*names)))
        for name in names:
            world.source.serve(name, page_answer(index("https://a.test/deeper")))
        world.scopes.apply(scope("a.test", sitemaps=(MAP,)))
        await crawled(world)

        assert [MAP, *names[:2]] == world.source.pages_asked()


async def test_sitemap_pages_stay_under_the_page_limit(world: FetcherWorld) -> None:
    """A sitemap of more pages than the limit fills it and no more, in batches."""
    urls = [f"https://a.test/{number}" for number in range(1200)]
    world.source.serve(MAP, page_answer(sitemap(*urls)))
    world.scopes.apply(scope("a.test", sitemaps=(MAP,), page_limit=700))
    await world.crawl()
    await world.step()
    world.clock.advance(2)
    await world.step()

    assert 700 == (await world.job()).counts.open


async def test_sitemap_survives_a_crash(world: FetcherWorld) -> None:
    """A sitemap whose worker died is read again when the lease has run out."""
    world.source.serve(MAP, page_answer(sitemap("https://a.test/1")))
    serve(world, "https://a.test/1")
    world.scopes.apply(scope("a.test", sitemaps=(MAP,)))
    await world.crawl()
    await world.ports.frontier.lease_some(
        lanes=BOTH_LANES, lease_ids=["crashed"], now=world.clock.now()
    )
    await world.run()

    assert {"https://a.test/1": "indexed"} == await world.outcomes()


async def test_listing_that_ends_its_worker_each_time_is_given_up(world: FetcherWorld) -> None:
    """Each crash counts as an attempt, so that the job ends without it."""
    world.scopes.apply(scope("a.test", sitemaps=(MAP,)))
    await world.crawl()
    crashes = 0
    for _ in range(2 * world.settings.attempts_max):
        leased = await lease_next(world.ports)
        crashes += isinstance(leased, TaskLease) and leased.url == MAP
        world.clock.advance(seconds=2 * world.settings.lease_seconds)

    assert world.settings.attempts_max == crashes
    assert 1 == len(await world.events(CrawlFinished))


async def test_lastmod_is_a_signal_and_travels_with_the_fetch(world: FetcherWorld) -> None:
    """The newest lastmod of a page is kept with when it was seen, and told with the body."""
    url = "https://a.test/1"
    serve(world, url)
    world.scopes.apply(scope("a.test", sitemaps=(MAP,)))
    world.source.serve(MAP, page_answer(dated(url, "2026-02-03")))
    first_seen = world.clock.now()
    await world.crawl()
    (fetched,) = [event for event in await world.run() if isinstance(event, PageFetched)]
    stated = datetime(2026, 2, 3, tzinfo=UTC)

    assert stated == fetched.sitemap_time
    (row,) = await world.rows(tables.signal)
    assert ("sitemap", stated) == (row.kind, row.value_time)
    assert first_seen <= row.seen_time < world.clock.now()


@pytest.mark.parametrize(
    ("lastmod", "kept"),
    [
        ("2026-02-02", datetime(2026, 2, 3, tzinfo=UTC)),
        ("2026-02-03", datetime(2026, 2, 3, tzinfo=UTC)),
        ("2026-02-04", datetime(2026, 2, 4, tzinfo=UTC)),
        ("2099-01-01", datetime(2026, 2, 3, tzinfo=UTC)),
    ],
)
async def test_only_a_newer_statement_is_news(
    world: FetcherWorld, lastmod: str, kept: datetime
) -> None:
    """What is stated again, or of the future, leaves the signal and when it was seen alone."""
    url = "https://a.test/1"
    serve(world, url)
    world.scopes.apply(scope("a.test", sitemaps=(MAP,)))
    world.source.serve(MAP, page_answer(dated(url, "2026-02-03")))
    await world.crawl()
    await world.run()
    (before,) = await world.rows(tables.signal)
    world.source.serve(MAP, page_answer(dated(url, lastmod)))
    await world.crawl("again")
    await world.run()
    (after,) = await world.rows(tables.signal)

    assert kept == after.value_time
    assert (kept > before.value_time) == (after.seen_time > before.seen_time)


async def test_feed_is_another_signal(world: FetcherWorld) -> None:
    """A page may be named by a sitemap and by a feed."""
    url = "https://a.test/1"
    feed = (
        f"<rss><channel><item><link>{url}</link>"
        "<pubDate>Wed, 04 Feb 2026 00:00:00 GMT</pubDate></item></channel></rss>"
    )
    serve(world, url)
    world.source.serve(MAP, page_answer(dated(url, "2026-02-03")))
    world.source.serve("https://a.test/feed", page_answer(feed))
    world.scopes.apply(scope("a.test", sitemaps=(MAP, "https://a.test/feed")))
    await world.crawl()
    await world.run()

    assert {"sitemap": 3, "feed": 4} == {
        row.kind: row.value_time.day for row in await world.rows(tables.signal)
    }


async def test_llms_txt_is_a_source_of_pages(world: FetcherWorld) -> None:
    """What a seed's host recommends is crawled inside the rules, unless a setting forbids it."""
    llms = "# A\n- [One](/1)\n- [Elsewhere](https://b.test/)"
    world.source.serve("https://a.test/llms.txt", page_answer(llms, media_type="text/plain"))
    serve(world, ROOT, "https://a.test/1")
    world.scopes.apply(scope("a.test", seeds=[ROOT]))

    assert {ROOT: "indexed", "https://a.test/1": "indexed"} == await crawled(world)


async def test_llms_txt_can_be_left_alone() -> None:
    """`SCOPS_FETCHER_LLMS_TXT=false` asks for none."""
    async with FetcherWorld.opened(settings=FetcherSettings(llms_txt=False)) as world:
        serve(world, ROOT)
        world.scopes.apply(scope("a.test", seeds=[ROOT]))
        await crawled(world)

        assert [f"{ROOT}robots.txt", ROOT] == [asked.url for asked in world.source.asked]


async def test_listing_that_nobody_can_read_is_given_up(world: FetcherWorld) -> None:
    """It ends as read, so that the job does; a recrawl leaves it alone while it is as it was."""
    _, made = HOSTILE["entities by number"]
    world.source.serve(MAP, page_answer(made().decode()))
    world.source.serve("https://a.test/s2", page_answer(sitemap("https://a.test/2")))
    serve(world, ROOT, "https://a.test/2")
    world.scopes.apply(scope("a.test", seeds=[ROOT], sitemaps=(MAP, "https://a.test/s2")))
    pool = ChildPool(processes=1, limits=limits())
    world.ports = replace(world.ports, listing_reader=ChildListings(pool))
    before = LISTINGS.labels(outcome="given_up")._value.get()
    outcomes = await crawled(world)
    await pool.close()

    assert {ROOT: "indexed", "https://a.test/2": "indexed"} == outcomes
    assert 1 == LISTINGS.labels(outcome="given_up")._value.get() - before
    async with world.database.reading() as connection:
        kept = (
            (await connection.execute(select(listing_tables.taken_listing.c.url))).scalars().all()
        )
    assert MAP in kept
