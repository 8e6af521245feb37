"""Links that a crawl was given are not given again, and nothing is missed by that."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from scops.common.contract.errors import BlobMissing
from scops.common.contract.ids import JobId, ScopeId
from scops.common.contract.messages.crawl import CrawlScope, PageFetched
from scops.common.contract.messages.types import BodyRef, RuleKind, Scope, ScopeRef, ScopeRule
from scops.fetcher import handlers
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.ledger.revisits import LINKS_KEPT
from scops.fetcher.frontier.scheduler import work_on
from scops.fetcher.ports.ledger import NewJob
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import SCOPE, FetcherWorld, scope

ROOT = "https://a.test/"
ONE, TWO, THREE = (f"https://a.test/{name}" for name in ("one", "two", "three"))
UNCHANGED = {ROOT: "unchanged", ONE: "unchanged", TWO: "unchanged"}


def serve(world: FetcherWorld, url: str, *links: str, text: str = "1") -> None:
    world.source.serve(url, page_answer(f"{url} {text}", etag=f'"{text}"'))
    world.links[url] = links


async def crawl(world: FetcherWorld, job_id: str, *, page_limit: int = 0) -> dict[str, str]:
    """Crawls to the end, a minute after what came before; returns the outcomes."""
    world.clock.advance(60.0)
    await world.crawl(job_id, page_limit=page_limit)
    await world.run()
    return await world.outcomes(job_id)


async def rests_on(world: FetcherWorld, job_id: str) -> str | None:
    (row,) = [row for row in await world.rows(tables.job) if row.job_id == job_id]
    found: str | None = row.rests_on
    return found


async def forget_links(world: FetcherWorld) -> None:
    """Takes every list of links out of the archive: who reads one has to fetch its page anew."""
    for row in await world.rows_of_pages():
        if row.links_digest:
            await world.archive.set_aside(row.links_digest)
            await world.archive.drop_aside(row.links_digest)


@pytest.fixture
async def site(world: FetcherWorld) -> FetcherWorld:
    """Three pages in a row, crawled once."""
    world.scopes.apply(scope("a.test", "!a.test/three", seeds=[ROOT]))
    serve(world, ROOT, ONE)
    serve(world, ONE, TWO, THREE, "https://b.test/")
    serve(world, TWO, ROOT)
    serve(world, THREE)
    await crawl(world, "first")
    return world


async def test_links_that_were_given_are_not_even_read(site: FetcherWorld) -> None:
    """A crawl, the one after it and a recrawl of pages that are as they were need no lists."""
    await forget_links(site)
    assert UNCHANGED == await crawl(site, "second")
    assert UNCHANGED == await crawl(site, "third")
    site.clock.advance(60.0)
    await site.ports.ledger.accept(recrawl_of(site, [ONE]), now=site.clock.now())
    await site.run()

    assert {ONE: "unchanged"} == await site.outcomes("recrawl")
    assert ["first", "second"] == [await rests_on(site, job) for job in ("second", "third")]
    with pytest.raises(BlobMissing):
        await site.archive.get(BodyRef(digest=(await site.page(ONE)).links_digest))


def recrawl_of(world: FetcherWorld, urls: Sequence[str]) -> NewJob:
    return NewJob(
        job_id=JobId("recrawl"),
        organisation_id="main",
        access_context="public",
        scope=SCOPE,
        kind="recrawl",
        lane=world.cause().lane,
        accepted_time=world.clock.now(),
        page_limit=100,
        depth_limit=20,
        follow_links=True,
        urls=urls,
        refused={},
    )


async def test_other_rules_are_asked_of_every_link(site: FetcherWorld) -> None:
    """A page that was outside before the edit is found, though what links to it is as it was."""
    site.scopes.apply(scope("a.test", seeds=[ROOT], revision=2))

    assert {**UNCHANGED, THREE: "indexed"} == await crawl(site, "second")
    assert await rests_on(site, "second") is None
    assert {**UNCHANGED, THREE: "unchanged"} == await crawl(site, "third")
    assert "second" == await rests_on(site, "third")


async def test_rules_may_change_under_a_crawl(site: FetcherWorld) -> None:
    """What comes after the edit is judged by the new rules, as ever; so is the next crawl."""
    site.clock.advance(60.0)
    await site.crawl("second")
    site.scopes.apply(scope("a.test", seeds=[ROOT], revision=2))
    await site.run()
    assert {**UNCHANGED, THREE: "indexed"} == await site.outcomes("second")

    site.scopes.apply(scope("a.test", "!a.test/three", seeds=[ROOT], revision=3))
    assert UNCHANGED == await crawl(site, "third")
    site.scopes.apply(scope("a.test", seeds=[ROOT], revision=4))
    assert {**UNCHANGED, THREE: "unchanged"} == await crawl(site, "fourth")


async def test_an_edit_of_something_else_costs_nothing(site: FetcherWorld) -> None:
    """Links are judged by rules, not by budgets or seeds."""
    edited = scope("a.test", "!a.test/three", seeds=[ROOT, TWO], revision=2, recrawl_per_day=7)
    site.scopes.apply(edited)
    assert UNCHANGED == await crawl(site, "second")
    assert "first" == await rests_on(site, "second")


async def test_a_cancelled_crawl_is_nothing_to_rest_on(world: FetcherWorld) -> None:
    """What it had not come to is found by the next one."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    serve(world, ROOT, ONE)
    serve(world, ONE)
    await world.crawl("first")
    await world.step()
    (event,) = [e for e in await world.events() if isinstance(e, PageFetched)]
    await world.extract(event, [ONE])
    await world.index(event)
    await world.cancel("first")

    assert {ROOT: "unchanged", ONE: "indexed"} == await crawl(world, "second")
    assert await rests_on(world, "second") is None


async def test_a_limit_that_cut_links_off_is_asked_again(world: FetcherWorld) -> None:
    """Where the next crawl has more room, the links of a page that is as it was fill it."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    serve(world, ROOT, ONE, TWO)
    serve(world, ONE)
    serve(world, TWO)
    assert {ROOT: "indexed", ONE: "indexed"} == await crawl(world, "first", page_limit=2)
    assert {ROOT: "unchanged", ONE: "unchanged"} == await crawl(world, "second", page_limit=2)

    found = await crawl(world, "third", page_limit=3)
    assert {ROOT: "unchanged", ONE: "unchanged", TWO: "indexed"} == found


async def test_a_deeper_crawl_goes_on_where_the_last_one_stopped(world: FetcherWorld) -> None:
    """The links of pages at the limit were given to nobody."""
    world.scopes.apply(scope("a.test", seeds=[ROOT], depth_limit=1))
    serve(world, ROOT, ONE)
    serve(world, ONE, TWO)
    serve(world, TWO)
    await crawl(world, "first")
    assert {ROOT: "unchanged", ONE: "unchanged"} == await crawl(world, "second")

    world.scopes.apply(scope("a.test", seeds=[ROOT], depth_limit=2, revision=2))
    found = await crawl(world, "third")
    assert {ROOT: "unchanged", ONE: "unchanged", TWO: "indexed"} == found


async def test_templates_have_a_budget_in_each_crawl(world: FetcherWorld) -> None:
    """Links beyond the budget of their shape are taken up by the next crawl's."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    days = [f"https://a.test/2020/{month}/{day}" for month in range(1, 4) for day in range(1, 19)]
    serve(world, ROOT, *days)
    for url in days:
        serve(world, url)
    first = await crawl(world, "first")
    second = await crawl(world, "second")

    assert 1 + 50 == len(first)
    assert {ROOT, *days} == second.keys()


async def test_a_page_that_changed_gives_its_new_links(site: FetcherWorld) -> None:
    """Only what is as it was has nothing new to say."""
    four = "https://a.test/four"
    serve(site, four)
    serve(site, TWO, ROOT, four, text="2")
    expected = {**UNCHANGED, TWO: "indexed", four: "indexed"}

    assert expected == await crawl(site, "second")
    assert {**UNCHANGED, four: "unchanged"} == await crawl(site, "third")
    assert "second" == await rests_on(site, "third")


async def test_links_that_a_recrawl_found_are_new_to_the_crawl(site: FetcherWorld) -> None:
    """They were given to the recrawl alone, whose pages are none of the next crawl's."""
    four = "https://a.test/four"
    serve(site, four)
    serve(site, TWO, ROOT, four, text="2")
    site.clock.advance(60.0)
    await site.ports.ledger.accept(recrawl_of(site, [TWO]), now=site.clock.now())
    await site.run()
    assert {TWO: "indexed", four: "indexed"} == await site.outcomes("recrawl")

    assert {**UNCHANGED, four: "unchanged"} == await crawl(site, "second")


async def test_a_page_that_vanished_comes_back(site: FetcherWorld) -> None:
    """It is looked at again though what links to it has not changed."""
    site.source.serve(TWO, None)
    assert {**UNCHANGED, TWO: "gone(gone)"} == await crawl(site, "second")
    assert {**UNCHANGED, TWO: "gone(gone)"} == await crawl(site, "third")
    serve(site, TWO, ROOT, text="2")

    assert {**UNCHANGED, TWO: "indexed"} == await crawl(site, "fourth")
    assert "third" == await rests_on(site, "fourth")


async def test_a_page_that_is_gone_and_unlinked_drops_out(site: FetcherWorld) -> None:
    """At the latest when links have been kept for so long that all are given anew."""
    site.source.serve(TWO, None)
    serve(site, ONE, text="2")
    await crawl(site, "second")
    assert TWO in await crawl(site, "third")
    site.clock.advance(LINKS_KEPT.total_seconds())

    assert {ROOT: "unchanged", ONE: "unchanged"} == await crawl(site, "fourth")
    assert await rests_on(site, "fourth") is None


async def test_pages_that_are_gone_leave_room_for_what_is_new(world: FetcherWorld) -> None:
    """Where the limit is near, they are left out, and all links are given."""
    pages = [f"https://a.test/{number}" for number in range(4)]
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    serve(world, ROOT, *pages)
    await crawl(world, "first", page_limit=6)
    serve(world, ROOT, ONE, TWO, THREE, text="2")
    for url in (ONE, TWO, THREE):
        serve(world, url)

    found = await crawl(world, "second", page_limit=6)
    assert {ONE, TWO, THREE} <= found.keys()
    assert await rests_on(world, "second") is None


async def test_a_page_that_moved_out_of_the_rules_may_come_back(site: FetcherWorld) -> None:
    """Who links to it is asked again as long as it lives elsewhere."""
    away = "https://a.test/three/two"
    async with site.database.transaction() as connection:
        moved = tables.page.update().where(tables.page.c.canonical_url == TWO)
        await connection.execute(moved.values(canonical_url=away))
    assert {ROOT: "unchanged", ONE: "unchanged"} == await crawl(site, "second")
    assert {ROOT: "unchanged", ONE: "unchanged"} == await crawl(site, "third")
    async with site.database.transaction() as connection:
        moved = tables.page.update().where(tables.page.c.canonical_url == away)
        await connection.execute(moved.values(canonical_url=TWO))

    assert UNCHANGED == await crawl(site, "fourth")


async def test_feeds_of_seeds_are_read_by_each_crawl(world: FetcherWorld) -> None:
    """A feed tells of new pages though the page that names it is as it was."""
    feed = "https://a.test/feed.xml"
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    serve(world, ROOT)
    world.feeds[ROOT] = (feed,)
    world.source.serve(feed, page_answer(rss(ONE), media_type="application/rss+xml"))
    for url in (ONE, TWO):
        serve(world, url)
    assert {ROOT: "indexed", ONE: "indexed"} == await crawl(world, "first")
    world.source.serve(feed, page_answer(rss(ONE, TWO), media_type="application/rss+xml"))

    expected = {ROOT: "unchanged", ONE: "unchanged", TWO: "indexed"}
    assert expected == await crawl(world, "second")
    assert "first" == await rests_on(world, "second")


def rss(*urls: str) -> str:
    items = "".join(f"<item><link>{url}</link></item>" for url in urls)
    return f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'


async def test_a_job_that_joins_the_fetch_meanwhile_gets_the_links(site: FetcherWorld) -> None:
    """They are read for it, although those that the lease was for need none."""
    other = ScopeRef(scope_id=ScopeId("other"), revision=1)
    rule = ScopeRule(kind=RuleKind.PREFIX, pattern="a.test")
    site.scopes.apply(Scope(scope_id=other.scope_id, revision=1, rules=(rule,), seeds=(ONE,)))
    site.clock.advance(60.0)
    accepted = site.clock.now()
    await site.crawl("second")
    lease = await site.lease()
    assert (ONE, True) == (lease.url, lease.links_given)
    command = CrawlScope(
        job_id=JobId("other"), scope=other, accepted_time=accepted - timedelta(seconds=1)
    )
    await handlers.handle_crawl_scope(command, site.cause(), site.ports)
    await work_on(lease, site.ports)
    await site.run()

    assert {**UNCHANGED, THREE: "indexed"} == await site.outcomes("other")
    assert UNCHANGED == await site.outcomes("second")
