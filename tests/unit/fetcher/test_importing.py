"""What pages showed elsewhere becomes fetches whose results are known."""

from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.contract import ids
from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import (
    GoneReason,
    ImportedObservation,
    ImportPagesRequest,
    ImportState,
    PageFetched,
    PageGone,
    PageUnmodified,
)
from scops.common.contract.messages.index import IndexOutcome
from scops.common.contract.messages.types import BodyRef
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.adapters.sql import tables
from scops.fetcher.importing import import_pages
from scops.fetcher.upkeep import republish_lost
from tests.fakes.clock import START
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

FIRST, NOW = "https://a.test/old", "https://a.test/new"
INDEX = "https://a.test/new/index.html"
PAGE = ids.page_id("main", PUBLIC, FIRST)
BODY = BodyRef(digest="d" * 64, size=9)
LONG_AGO = START - timedelta(days=400)
TEXT = ImportedObservation(
    page_id=PAGE, canonical_url=NOW, aliases=(FIRST,), observed_time=LONG_AGO, body=BODY
)
AGAIN = replace(
    TEXT, body=None, observed_time=LONG_AGO + timedelta(days=1), confirmed_time=LONG_AGO
)
GONE = replace(
    TEXT,
    body=None,
    observed_time=LONG_AGO + timedelta(days=2),
    gone_reason=GoneReason.NOT_FOUND,
)


async def taken(world: FetcherWorld, *seen: ImportedObservation) -> list[ImportState]:
    answer = await import_pages(ImportPagesRequest(observations=seen), world.ports)
    return [one.state for one in answer.outcomes]


async def test_a_page_keeps_the_id_that_one_of_its_urls_gives(world: FetcherWorld) -> None:
    """And all of its names; its event says that it was imported, and when it was seen."""
    assert [ImportState.ACCEPTED] == await taken(world, TEXT)
    event = await world.event(PageFetched)
    page = await world.page(FIRST)

    assert (PAGE, NOW) == (page.page_id, page.canonical_url)
    assert page == await world.page(NOW)
    assert (PAGE, LONG_AGO, BODY, True) == (
        event.page_id,
        event.observed_time,
        event.body,
        event.imported,
    )


async def test_an_id_that_no_url_gives_is_not_believed(world: FetcherWorld) -> None:
    """Such as one of another organisation, or one that somebody made up."""
    await taken(world, replace(TEXT, page_id=PageId("made-up"), aliases=()))

    assert ids.page_id("main", PUBLIC, NOW) == (await world.page(NOW)).page_id


async def test_one_observation_of_a_page_is_on_its_way(world: FetcherWorld) -> None:
    """The next waits for its outcome; what is known changes nothing."""
    assert [ImportState.ACCEPTED] == await taken(world, TEXT)
    text = await world.event(PageFetched)
    assert [ImportState.KNOWN] == await taken(world, TEXT)
    assert [ImportState.BUSY] == await taken(world, AGAIN)
    assert [] == await world.events()

    await world.extract(text, pipeline_version="elsewhere-1")
    await world.index(text)
    assert [ImportState.ACCEPTED] == await taken(world, AGAIN)
    again = await world.event(PageUnmodified)
    assert text.fetch_id == again.confirmed_fetch_id
    await world.index(again, IndexOutcome.REFRESHED)
    assert [ImportState.ACCEPTED] == await taken(world, GONE)
    gone = await world.event(PageGone)
    await world.index(gone, IndexOutcome.CLOSED)
    page = await world.page(NOW)

    assert GONE.observed_time == gone.observed_time == page.last_observed_time
    assert ("gone", None) == (page.status, page.awaiting_fetch_id)
    assert [] == await world.rows(tables.pipeline)


async def test_what_was_lost_is_published_again(world: FetcherWorld) -> None:
    """As any fetch without an outcome is."""
    await taken(world, TEXT)
    first = await world.event(PageFetched)
    world.clock.advance(7200)

    assert 1 == await republish_lost(world.ports)
    assert replace(first, attempt=2) == await world.event(PageFetched)


async def test_the_past_of_a_known_page_leaves_its_present_alone(world: FetcherWorld) -> None:
    """That it was gone once says nothing of now."""
    world.source.serve(NOW, page_answer(NOW))
    world.scopes.apply(scope("a.test"))
    await world.fetch(NOW)
    await world.run()
    before = await world.page(NOW)
    elsewhere = replace(GONE, page_id=before.page_id, aliases=())
    assert [ImportState.ACCEPTED] == await taken(world, elsewhere)
    gone = await world.event(PageGone)
    await world.index(gone, IndexOutcome.ADDED)
    after = await world.page(NOW)

    assert ("fetched", None) == (after.status, after.awaiting_fetch_id)
    assert before.last_observed_time == after.last_observed_time


async def test_a_url_of_another_page_is_left_to_it(world: FetcherWorld) -> None:
    """Two histories never become one."""
    other = ImportedObservation(
        page_id=ids.page_id("main", PUBLIC, NOW),
        canonical_url=NOW,
        observed_time=LONG_AGO,
        body=BODY,
    )
    await taken(world, other)

    assert [ImportState.TAKEN] == await taken(world, TEXT)
    assert await world.page(FIRST) is None


@pytest.mark.parametrize("joined_first", [True, False])
async def test_a_joined_page_comes_with_its_history_and_leaves_its_urls_to_the_other(
    world: FetcherWorld, joined_first: bool
) -> None:
    """In whatever order the two come; what was imported is known the second time."""
    repeated = ids.page_id("main", PUBLIC, INDEX)
    text = replace(TEXT, page_id=repeated, canonical_url=INDEX, aliases=(), joined=True)
    moved = replace(text, body=None, observed_time=GONE.observed_time, gone_reason=GoneReason.MOVED)
    other = replace(TEXT, aliases=(FIRST, INDEX))
    both = [text, other] if joined_first else [other, text]

    assert [ImportState.ACCEPTED] * 2 == await taken(world, *both)
    for event in await world.events(PageFetched):
        await world.index(event)
    assert [ImportState.ACCEPTED] == await taken(world, moved)
    gone = await world.event(PageGone)
    await world.index(gone, IndexOutcome.CLOSED)
    assert [ImportState.KNOWN] * 3 == await taken(world, moved, *both)

    assert PAGE == (await world.page(INDEX)).page_id
    rows = {row.page_id: row for row in await world.rows(tables.page)}
    assert ("joined", INDEX) == (rows[repeated].status, rows[repeated].canonical_url)
    assert ("fetched", NOW) == (rows[PAGE].status, rows[PAGE].canonical_url)


SERVED = ImportedObservation(
    canonical_url=NOW,
    observed_time=LONG_AGO,
    body=BODY,
    as_served=True,
    robots_tag="noarchive",
    content_language="en",
    came_by="warc:a.warc.gz",
)


async def test_what_a_server_sent_is_extracted_here(world: FetcherWorld) -> None:
    """With the headers that the extractor reads, and what the record was in."""
    assert [ImportState.ACCEPTED] == await taken(world, SERVED)
    event = await world.event(PageFetched)

    assert (False, "noarchive", "en", "warc:a.warc.gz", "") == (
        event.imported,
        event.robots_tag,
        event.content_language,
        event.came_by,
        event.captured_by,
    )


async def test_who_asks_is_told_what_became_of_it(world: FetcherWorld) -> None:
    """And nothing is taken in by asking."""
    asking = replace(SERVED, body=None, asks=True)
    assert [ImportState.NEW] == await taken(world, asking)
    assert await world.page(NOW) is None
    await taken(world, SERVED)
    assert [ImportState.ACCEPTED] == await taken(world, asking)
    event = await world.event(PageFetched)
    await world.extract(event)
    await world.index(event)
    (known,) = (
        await import_pages(ImportPagesRequest(observations=(asking,)), world.ports)
    ).outcomes

    assert (ImportState.KNOWN, "indexed") == (known.state, known.outcome)


async def test_a_body_that_was_sent_before_verifies_its_page_and_is_another_s(
    world: FetcherWorld,
) -> None:
    """Of the same page it is unmodified; of another page it is fetched with the same body."""
    again = replace(
        SERVED,
        body=None,
        as_served=False,
        observed_time=AGAIN.observed_time,
        confirmed_time=LONG_AGO,
        confirmed_url=NOW,
    )
    assert [ImportState.MISSING] == await taken(world, again)
    await taken(world, SERVED)
    first = await world.event(PageFetched)
    await world.extract(first)
    await world.index(first)
    await taken(world, again, replace(again, canonical_url=FIRST))
    confirmed, other = await world.event(PageUnmodified), await world.event(PageFetched)

    assert first.fetch_id == confirmed.confirmed_fetch_id
    assert (FIRST, BODY, False) == (other.canonical_url, other.body, other.imported)


async def test_what_is_called_nothing_is_the_page_that_its_url_names(world: FetcherWorld) -> None:
    """By whatever name it is known; a redirect of one of its names does not close it."""
    await taken(world, replace(SERVED, canonical_url=NOW, aliases=(INDEX,)))
    event = await world.event(PageFetched)
    await world.extract(event)
    await world.index(event)
    later = replace(SERVED, canonical_url=INDEX, observed_time=AGAIN.observed_time)
    assert [ImportState.ACCEPTED] == await taken(world, later)
    second = await world.event(PageFetched)
    moved = replace(later, body=None, as_served=False, gone_reason=GoneReason.MOVED, asks=True)

    assert (event.page_id, NOW) == (second.page_id, second.canonical_url)
    assert [ImportState.KNOWN] == await taken(world, moved)
