"""One page under two URLs: believed only where both give the same content."""

import pytest

from scops.common.contract.messages.content import Link, LinkList
from scops.common.contract.messages.crawl import GoneReason, PageGone, PagePlanRequest
from scops.fetcher import queries
from scops.fetcher.discovery.links import followed_urls
from scops.fetcher.discovery.twins import twin_urls
from tests.fakes.page_source import Hop, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"


@pytest.mark.parametrize(
    ("path", "stated", "expected"),
    [
        ("docs/index.html", "", ["docs/"]),
        ("docs/Default.aspx?x=1", "", ["docs/?x=1"]),
        ("docs", "", ["docs/"]),
        ("docs/", "", ["docs"]),
        ("docs/", "docs/main", ["docs/main", "docs"]),
        ("docs/", "docs/", ["docs"]),
        ("", "", []),
        (
            "#/docs",
            "",
            [
                "",
            ],
        ),
        ("#!/docs?id=fees", "", ["#!/docs", ""]),
        ("app/#/docs", "", ["app#/docs", "app/"]),
    ],
)
def test_twins_of_a_url(path: str, stated: str, expected: list[str]) -> None:
    """What the page calls its own comes first, then index page and slash."""
    found = twin_urls(ROOT + path, stated_url=ROOT + stated if stated else "")

    assert [ROOT + each for each in expected] == list(found)


async def test_own_url_and_other_languages_are_links() -> None:
    """A page that names another URL as its own, or its translations, leads there."""
    links = LinkList(
        links=(Link(url=f"{ROOT}x"),), canonical_url=f"{ROOT}own", alternate_urls=(f"{ROOT}de",)
    )

    expected = (f"{ROOT}own", f"{ROOT}x", f"{ROOT}de")
    assert expected == await followed_urls(links)


async def crawl(
    world: FetcherWorld, job_id: str, *, rule: str = "a.test", seed: str = ROOT, revision: int = 1
) -> list[PageGone]:
    """Crawls to the end; returns the pages that closed."""
    world.clock.advance(3600)
    world.scopes.apply(scope(rule, seeds=[seed], revision=revision))
    await world.crawl(job_id)
    return [event for event in await world.run() if isinstance(event, PageGone)]


def serve(world: FetcherWorld, *, one: str, other: str, stated: bool, same: bool) -> None:
    """Serves a page behind another one, which it may name as its own; that is met first."""
    world.source.serve(ROOT, page_answer("root"))
    world.links[ROOT], world.links[other] = (other,), (one,)
    world.source.serve(one, page_answer("text"))
    world.source.serve(other, page_answer("text" if same else "another"))
    if stated:
        world.stated[one] = other


@pytest.mark.parametrize(
    ("one", "other", "stated"),
    [
        ("a/index.html", "a/", False),
        ("a/", "a", False),
        ("a", "a/", False),
        ("print?page=a", "a", True),
    ],
)
async def test_same_content_is_one_page(
    world: FetcherWorld, one: str, other: str, stated: bool
) -> None:
    """The second URL becomes an alias of the first page; its own page closes as moved."""
    one, other = ROOT + one, ROOT + other
    serve(world, one=one, other=other, stated=stated, same=True)
    closed = [*await crawl(world, "first"), *await crawl(world, "second")]
    kept = await world.page(other)

    assert [(GoneReason.MOVED, kept.page_id)] == [(gone.reason, gone.moved_to) for gone in closed]
    assert kept.page_id == (await world.page(one)).page_id
    assert other == kept.canonical_url


@pytest.mark.parametrize(
    ("one", "other", "stated"),
    [("a/index.html", "a/", False), ("a/", "a", False), ("print?page=a", "a", True)],
)
async def test_other_content_is_another_page(
    world: FetcherWorld, one: str, other: str, stated: bool
) -> None:
    """What a page says of itself is not believed against what it holds."""
    one, other = ROOT + one, ROOT + other
    serve(world, one=one, other=other, stated=stated, same=False)

    assert [] == [*await crawl(world, "first"), *await crawl(world, "second")]
    assert (await world.page(one)).page_id != (await world.page(other)).page_id


async def test_job_and_page_say_to_which_page_another_was_joined(world: FetcherWorld) -> None:
    """It is no loss, so it is not counted as gone; who owns the URL is named, also later on."""
    one, other, last = f"{ROOT}a/index.html", f"{ROOT}a/", f"{ROOT}b"
    serve(world, one=one, other=other, stated=False, same=True)
    # Met at once: neither is confirmed when the other comes.
    world.links[ROOT] = (other, one)
    await crawl(world, "first")
    (gone,) = await crawl(world, "second")
    job = await world.job("second")
    joined = [row for row in job.outcomes if row.outcome == "joined"]
    world.source.serve(other, Hop(last))
    world.source.serve(last, page_answer("text"))
    await crawl(world, "third")
    plan = await queries.page_plan(PagePlanRequest(page_id=gone.page_id), world.ports)

    assert [(one, "same_content", other)] == [(r.url, r.reason, r.joined_url) for r in joined]
    assert (2, 1, 0) == (job.counts.unchanged, job.counts.joined, job.counts.gone)
    assert plan.page is not None
    assert ("joined", "same_content") == (plan.page.status, plan.page.last_reason)
    assert last == plan.page.joined_url
    (kept,) = (row for row in job.outcomes if row.url == other)
    assert "" == kept.joined_url


async def test_page_is_not_lost_to_one_outside_the_scope(world: FetcherWorld) -> None:
    """A scope that holds only one of two URLs keeps it."""
    one, other = f"{ROOT}in/a", f"{ROOT}out/a"
    serve(world, one=one, other=other, stated=True, same=True)
    await crawl(world, "wide")

    assert [] == await crawl(world, "narrow", rule="a.test/in", seed=one, revision=2)
    assert {one: "unchanged"} == await world.outcomes("narrow")
    assert one == (await world.page(one)).canonical_url


async def test_feed_that_a_seed_names_is_read(world: FetcherWorld) -> None:
    """A feed is a source of pages and of times, again after a 304."""
    feed = f"{ROOT}feed"
    entry = f"{ROOT}new"
    world.source.serve(ROOT, page_answer("root", etag='"1"'))
    world.source.serve(entry, page_answer("entry"))
    world.feeds[ROOT] = (feed,)
    world.source.serve(feed, page_answer("<rss><channel/></rss>"))
    await crawl(world, "first")
    listed = f"<rss><channel><item><link>{entry}</link></item></channel></rss>"
    world.source.serve(feed, page_answer(listed))
    await crawl(world, "second")

    assert {ROOT: "unchanged", entry: "indexed"} == await world.outcomes("second")
