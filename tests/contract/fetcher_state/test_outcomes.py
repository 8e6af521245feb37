"""Of a job with more pages than an answer holds, what is told first, in every fetcher state."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from scops.common.db.address import Address
from scops.fetcher.adapters.sql.pages.catalogue import OUTCOMES_MAX
from scops.fetcher.adapters.sql.tables import job_page
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
# In the order in which they are told; those of one line by their URLs.
TOLD = (("dead", "blocked"), ("",), ("indexed", "unchanged", "gone", "joined", "cancelled"))
OUTCOMES = tuple(outcome for some in TOLD for outcome in some)
# Of pages with the same URL, by their ids.
TWINS = 10


@pytest.fixture
async def world(address: str | Address) -> AsyncIterator[FetcherWorld]:
    """A fetcher with one page, and a job of it."""
    async with FetcherWorld.opened(address) as opened:
        opened.scopes.apply(scope("a.test", seeds=[ROOT]))
        opened.source.serve(ROOT, page_answer(ROOT))
        await opened.crawl()
        await opened.run()
        yield opened


def rows(count: int) -> list[dict[str, Any]]:
    """Returns pages of the job, in no order."""
    return [
        {
            "job_id": "job",
            "page_id": f"page-{number:06d}",
            "url": f"https://b.test/{number * 7919 % count // TWINS:06d}",
            "depth": 0,
            "state": "closed" if outcome else "open",
            "links_taken": False,
            "outcome": outcome,
            "reason": "",
        }
        for number in range(count)
        for outcome in [OUTCOMES[number * 31 % len(OUTCOMES)]]
    ]


async def give(world: FetcherWorld, pages: list[dict[str, Any]]) -> None:
    async with world.database.transaction() as connection:
        await connection.execute(job_page.delete())
        await connection.execute(job_page.insert(), pages)


def order(row: dict[str, Any]) -> tuple[Any, ...]:
    weight = next(place for place, some in enumerate(TOLD) if row["outcome"] in some)
    return weight, row["url"], row["page_id"]


@pytest.mark.parametrize("count", [40, OUTCOMES_MAX + 500], ids=["few", "many"])
async def test_what_went_wrong_is_told_first_then_what_is_open(
    world: FetcherWorld, count: int
) -> None:
    """A cut answer lacks the least of what matters."""
    pages = rows(count)
    await give(world, pages)
    told = (await world.job()).outcomes

    expected = [
        (row["page_id"], row["url"], row["outcome"] or "open") for row in sorted(pages, key=order)
    ]
    assert expected[:OUTCOMES_MAX] == [(one.page_id, one.url, one.outcome) for one in told]


async def test_a_page_that_was_joined_is_told_with_where_it_went(world: FetcherWorld) -> None:
    """Others that have the URL of a page are not."""
    joined, indexed = rows(2)
    given = [{**joined, "url": ROOT, "outcome": "joined"}, {**indexed, "url": ROOT}]
    await give(world, given)
    told = {one.page_id: one.joined_url for one in (await world.job()).outcomes}

    assert {joined["page_id"]: ROOT, indexed["page_id"]: ""} == told
