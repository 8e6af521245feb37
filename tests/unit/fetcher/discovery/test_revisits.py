"""What a crawl looks at again of the last one is taken up some pages at a time, whole and once."""

from typing import Any

import pytest

from scops.common.contract.messages.crawl import JobState, PagesVerified, PageUnmodified
from scops.common.contract.messages.index import IndexOutcome
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.ledger import revisits
from scops.fetcher.upkeep import forget_due, take_up_revisits
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
PAGES = [f"https://a.test/{number}" for number in range(9)]
UNCHANGED = dict.fromkeys([ROOT, *PAGES], "unchanged")


@pytest.fixture(autouse=True)
def some_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two pages a transaction."""
    monkeypatch.setattr(revisits, "REVISITED_AT_ONCE", 2)


def serve(world: FetcherWorld, url: str, *links: str) -> None:
    world.source.serve(url, page_answer(url, etag='"1"'))
    world.links[url] = links


@pytest.fixture
async def site(world: FetcherWorld) -> FetcherWorld:
    """Nine pages in a row, each two deeper than the one two before it, crawled once."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    serve(world, ROOT, *PAGES[:2])
    for url, *links in zip(PAGES, PAGES[2:], strict=False):
        serve(world, url, *links)
    for url in PAGES[-2:]:
        serve(world, url)
    await crawl(world, "first")
    return world


async def crawl(world: FetcherWorld, job_id: str, *, page_limit: int = 0) -> dict[str, str]:
    world.clock.advance(60.0)
    await world.crawl(job_id, page_limit=page_limit)
    await world.run()
    return await world.outcomes(job_id)


async def job_row(world: FetcherWorld, job_id: str) -> Any:
    return next(row for row in await world.rows(tables.job) if row.job_id == job_id)


async def test_all_pages_are_taken_up_in_the_end(site: FetcherWorld) -> None:
    """The crawl holds every page, rests on the last one, and nothing of it is left."""
    assert UNCHANGED == await crawl(site, "second")
    row = await job_row(site, "second")

    assert ("first", False, JobState.COMPLETED) == (row.rests_on, row.revisits, row.state)
    assert [] == await site.rows(tables.revisit)


async def test_a_crawl_goes_on_until_it_has_them_all(site: FetcherWorld) -> None:
    """Though all it holds so far is done, it has not ended."""
    site.clock.advance(60.0)
    await site.crawl("second")
    await site.steps()
    for event in await site.events(PageUnmodified):
        await site.index(event, IndexOutcome.REFRESHED)
    for event in await site.events(PagesVerified):
        await site.verify(*event.pages)

    assert JobState.RUNNING == (await job_row(site, "second")).state
    await site.run()
    assert UNCHANGED == await site.outcomes("second")
    assert JobState.COMPLETED == (await job_row(site, "second")).state


async def test_what_is_near_the_seeds_comes_under_a_lower_limit(site: FetcherWorld) -> None:
    """However the pages' ids fall."""
    found = await crawl(site, "second", page_limit=5)

    assert {ROOT, *PAGES[:4]} == found.keys()
    assert (await job_row(site, "second")).rests_on is None


async def test_a_limit_that_all_come_under_is_none(site: FetcherWorld) -> None:
    """The crawl rests on the last one, though there is room for nothing else."""
    assert UNCHANGED == await crawl(site, "second", page_limit=len(UNCHANGED))

    assert "first" == (await job_row(site, "second")).rests_on


async def test_a_cancelled_crawl_takes_up_nothing_more(site: FetcherWorld) -> None:
    """What it had of the last one is let go of, and the next crawl begins with the whole."""
    site.clock.advance(60.0)
    await site.crawl("second")
    await site.cancel("second")
    held = await site.outcomes("second")
    await site.run()

    assert held == await site.outcomes("second")
    assert [] == await site.rows(tables.revisit)
    assert not (await job_row(site, "second")).revisits


async def test_two_crawls_at_once_each_take_up_the_last_whole_one(site: FetcherWorld) -> None:
    """One that is not through with its pages is nothing to begin with; they have turns."""
    site.clock.advance(60.0)
    await site.crawl("second")
    site.clock.advance(1.0)
    await site.crawl("third")
    bases = {row.job_id: row.base_job_id for row in await site.rows(tables.revisit)}
    await site.run()

    assert {"second": "first", "third": "first"} == bases
    assert [UNCHANGED] * 2 == [await site.outcomes(job) for job in ("second", "third")]


async def test_the_pages_of_a_crawl_are_kept_while_they_are_taken_up(site: FetcherWorld) -> None:
    """Though a newer one has pages, and nobody asks about it any more."""
    site.clock.advance(400 * 86_400.0)
    await site.crawl("second")
    await forget_due(site.ports)
    assert await site.outcomes("first")
    while await take_up_revisits(site.ports):
        pass
    await forget_due(site.ports)

    assert {"second"} == {row.job_id for row in await site.rows(tables.job)}
