"""The contract of the `RechunkQueue` port: which pages another chunker made, and their turn."""

import pytest

from scops.change_detector.adapters import sql_rechunks
from scops.change_detector.ports import RechunkQueue
from scops.common.contract.ids import PageId
from scops.common.db.database import Database
from tests.fakes.worlds.change import PAGE, ChangeWorld, at, database_world

TEXT = "The fee is 5 euros."
# In the order of their ids.
PAGES = (PAGE, *(PageId(f"00000000-0000-7000-8000-00000000001{number}") for number in range(4)))
GONE = PAGE


@pytest.fixture
async def world(database: Database, monkeypatch: pytest.MonkeyPatch) -> ChangeWorld:
    """Five pages, of which some are looked at by each statement; the first is gone."""
    monkeypatch.setattr(sql_rechunks, "PAGES_AT_ONCE", 2)
    made = database_world(database)
    for place, page_id in enumerate(PAGES):
        url = f"https://example.org/{place}"
        await made.see(f"of-{place}", TEXT, place, page_id=page_id, url=url)
    await made.gone("gone", 100)
    return made


@pytest.fixture
def rechunks(world: ChangeWorld) -> RechunkQueue:
    return world.ports.rechunks


async def outdated(rechunks: RechunkQueue, chunking: str, *, limit: int = 10) -> list[PageId]:
    return [one.page_id for one in await rechunks.outdated("main", chunking, limit=limit)]


async def test_what_another_chunker_made_is_outdated(
    world: ChangeWorld, rechunks: RechunkQueue
) -> None:
    """In the order of their ids, of every page that stands, and of this organisation's alone."""
    chunking = (await world.ports.chunker()).chunking

    assert [] == await outdated(rechunks, chunking)
    assert [page for page in PAGES if page != GONE] == await outdated(rechunks, "other")
    assert () == await rechunks.outdated("other", "other", limit=10)


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_no_more_are_named_than_are_asked_for(rechunks: RechunkQueue, limit: int) -> None:
    assert list(PAGES[1 : 1 + limit]) == await outdated(rechunks, "other", limit=limit)


async def test_pages_have_their_turn_in_order_and_once(rechunks: RechunkQueue) -> None:
    """Who asks for a page again does not double it."""
    await rechunks.ask(PAGES[1:3])
    await rechunks.ask(PAGES[1:2])
    asked = [one.page_id for one in await rechunks.next(limit=10)]
    waiting = await rechunks.waiting()
    await rechunks.done(PAGES[1])

    assert (list(PAGES[1:3]), 2, 1) == (asked, waiting, await rechunks.waiting())


async def test_the_newest_observation_is_that_of_the_last_fetch(rechunks: RechunkQueue) -> None:
    found = await rechunks.newest_observation(PAGE)

    assert found is not None
    assert at(100) == found.observed_time
    assert await rechunks.newest_observation(PageId("unknown")) is None
