"""Sitemaps: read by the scheduler, counted as open, never a reason to hang."""

import pytest

from scops.common.messages.crawl import CrawlFinished
from scops.fetcher.scheduler import BOTH_LANES
from scops.fetcher.settings import FetcherSettings
from tests.fakes.fetcher_world import FetcherWorld, scope
from tests.fakes.page_source import Hop, failure, page_answer

ROOT = "https://a.test/"
MAP = "https://a.test/sitemap.xml"
HEAD = '<?xml version="1.0"?><{0} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


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


async def test_sitemaps_are_bounded() -> None:
    """No more files are read than the setting allows, and indexes no deeper."""
    settings = FetcherSettings(sitemaps_per_job_max=3, sitemap_depth_max=1)
    async with FetcherWorld.opened(settings=settings) as world:
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
    await world.ports.frontier.lease(lanes=BOTH_LANES, lease_id="crashed", now=world.clock.now())
    await world.run()

    assert {"https://a.test/1": "indexed"} == await world.outcomes()
