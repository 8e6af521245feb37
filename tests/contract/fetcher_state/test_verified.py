"""What verified fetches do in every fetcher state: leave together, settle once, never get lost.

Run on SQLite in memory, on a file and on PostgreSQL, these with two pools as two processes have.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import insert

from scops.common.bus.publish.publisher import MESSAGE_BYTES_MAX
from scops.common.contract import wire
from scops.common.contract.ids import FetchId, PurgeId
from scops.common.contract.messages.crawl import (
    ConfirmedPage,
    CrawlFinished,
    PagesVerified,
    PageUnmodified,
)
from scops.common.contract.messages.index import IndexOutcome
from scops.common.contract.messages.purge import PurgePages, PurgeSelector
from scops.common.contract.service_table import Lane
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.common.scope.urls import URL_CHARACTERS_MAX
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.recrawl.schedule_tables import schedule
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.purging import handle_purge_pages, purge_some
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.upkeep import VERIFIED_PAGES_MAX, publish_verified
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

URLS = [f"https://a.test/{number}" for number in range(5)]
SETTINGS = FetcherSettings(host_delay_seconds=0.0)
Pair = tuple[FetcherWorld, FetcherPorts]


@pytest.fixture
async def pair(address: str | Address) -> AsyncIterator[Pair]:
    """Five pages that the index has, and a crawl that has just found all of them unchanged."""
    async with FetcherWorld.opened(address, settings=SETTINGS) as world:
        for url in URLS:
            world.source.serve(url, page_answer(url, etag='"1"'))
        world.scopes.apply(scope("a.test", seeds=URLS))
        await world.crawl()
        await world.run()
        world.clock.advance(60.0)
        await world.crawl("again")
        await world.steps()
        if address == "sqlite://":
            yield world, world.new_ports(seed=1)
            return
        second = Database(address, name="second")
        yield world, world.new_ports(seed=1, database=second)
        await second.close()


async def seen_pages(world: FetcherWorld) -> list[ConfirmedPage]:
    return [page for event in await world.events(PagesVerified) for page in event.pages]


async def states_of(world: FetcherWorld) -> list[str]:
    rows = await world.rows(tables.fetch)
    return sorted(row.state for row in rows if row.kind == "unmodified")


async def test_pages_leave_together_and_end_with_the_answer(pair: Pair) -> None:
    """They wait until they are sent; a row ends when the index has answered, and not before."""
    world, _ = pair
    assert ["verified"] * 5 == await states_of(world)
    (event,) = await world.events(PagesVerified)
    assert ["published"] * 5 == await states_of(world)
    assert dict.fromkeys(URLS, "open") == await world.outcomes("again")
    await world.verify(*event.pages)

    assert dict.fromkeys(URLS, "unchanged") == await world.outcomes("again")
    counts = (await world.job("again")).counts
    assert (0, 5) == (counts.open, counts.unchanged)
    assert 1 == len(await world.events(CrawlFinished))
    assert [None] * 5 == [row.awaiting_fetch_id for row in await world.rows_of_pages()]


async def test_two_processes_send_each_page_once(pair: Pair) -> None:
    """In messages of two, whoever is faster."""
    world, second = pair
    for _ in range(3):
        await asyncio.gather(publish_verified(world.ports, limit=2), publish_verified(second))
    events = await world.events(PagesVerified)
    sent = [page.fetch_id for event in events for page in event.pages]

    assert 5 == len(sent) == len(set(sent))


async def test_pages_with_long_urls_leave_in_events_that_the_bus_takes(pair: Pair) -> None:
    """What does not fit goes in the next event: no page is lost, and the order stays."""
    world, _ = pair
    (row, *_) = [row for row in await world.rows(tables.fetch) if row.kind == "unmodified"]
    event = wire.decode(PageUnmodified, row.event_data)
    url = "https://a.test/".ljust(URL_CHARACTERS_MAX, "x")
    async with world.database.transaction() as connection:
        await connection.execute(tables.fetch.update().values(state="settled"))
        for number in range(VERIFIED_PAGES_MAX):
            fetch_id = FetchId(f"{row.fetch_id[:-4]}{number:04}")
            data = wire.encode(replace(event, fetch_id=fetch_id, canonical_url=url))
            values = {**row._mapping, "fetch_id": fetch_id, "event_data": data}
            await connection.execute(insert(tables.fetch).values(values))
    events = await world.events(PagesVerified)
    sent = [page.fetch_id for event in events for page in event.pages]

    assert [f"{row.fetch_id[:-4]}{number:04}" for number in range(VERIFIED_PAGES_MAX)] == sent
    assert 2 == len(events)
    assert max(len(wire.encode(event)) for event in events) < MESSAGE_BYTES_MAX - 4096


async def test_answers_that_overlap_count_once(pair: Pair) -> None:
    """Two deliveries at once, in parts and other orders, end each row and the job once."""
    world, _ = pair
    pages = await seen_pages(world)
    await asyncio.gather(
        world.verify(*pages), world.verify(*pages[2:]), world.verify(*reversed(pages))
    )
    await world.verify(*pages)

    assert dict.fromkeys(URLS, "unchanged") == await world.outcomes("again")
    assert 5 == (await world.job("again")).counts.unchanged
    assert 1 == len(await world.events(CrawlFinished))


async def test_what_is_not_plain_is_published_alone_once(pair: Pair) -> None:
    """However often it is named, and its own answer ends it."""
    world, _ = pair
    pages = await seen_pages(world)
    for _ in range(2):
        await world.verify(*pages[1:], unsettled=pages[:1])
    alone = await world.event(PageUnmodified)
    assert (pages[0].fetch_id, 2) == (alone.fetch_id, alone.attempt)
    await world.index(alone, IndexOutcome.REFRESHED)
    await world.verify(unsettled=pages)

    assert [] == await world.events(PageUnmodified)
    assert dict.fromkeys(URLS, "unchanged") == await world.outcomes("again")


async def test_a_lost_message_is_repeated_page_by_page(pair: Pair) -> None:
    """The ledger still knows what each page was, and publishes it as it always was."""
    world, _ = pair
    pages = await seen_pages(world)
    world.clock.advance(7200.0)
    before = world.clock.now() - timedelta(seconds=60)
    lost = await world.ports.ledger.unsettled(published_before=before, limit=100)
    for fetch in lost:
        await world.ports.ledger.republish(
            fetch.fetch_id, published_before=before, may_end=True, now=world.clock.now()
        )
    repeated = await world.events(PageUnmodified)

    assert {page.fetch_id for page in pages} == {event.fetch_id for event in repeated}


async def test_a_purge_ends_what_waits_to_be_sent(pair: Pair) -> None:
    """Nothing is told of a page that was observed before the mark."""
    world, _ = pair
    purge = PurgePages(
        purge_id=PurgeId("purge"),
        attempt=1,
        selector=PurgeSelector(url_prefixes=("a.test/0",)),
        before_time=world.clock.now() + timedelta(seconds=1),
    )
    await handle_purge_pages(purge, world.cause(), world.ports)
    while await purge_some(world.ports):
        pass
    async with world.database.transaction() as connection:
        # They speak of another matter.
        await connection.execute(tables.outbox.delete())
    purged = (await world.page(URLS[0])).page_id
    pages = await seen_pages(world)

    assert 4 == len(pages)
    assert purged not in {page.page_id for page in pages}
    assert "cancelled(purged)" == (await world.outcomes("again"))[URLS[0]]


async def test_a_person_does_not_wait_for_others(pair: Pair) -> None:
    """In lane now a page leaves with the transaction that records it."""
    world, _ = pair
    await world.verify(*await seen_pages(world))
    await world.events()
    world.clock.advance(60.0)
    await world.fetch_at_once(URLS[0], job_id="asked")
    rows = await world.rows(tables.outbox)

    assert [("PagesVerified", Lane.NOW.value)] == [(row.message_type, row.lane) for row in rows]


async def test_schedules_learn_once_that_pages_are_as_they_were(pair: Pair) -> None:
    """Each check counts once, however often and by whom it is told."""
    world, _ = pair
    pages = await seen_pages(world)
    for _ in range(2):
        await world.verify(*pages)
    first = {row.page_id: row for row in await world.rows(schedule)}
    world.clock.advance(3600.0)
    await world.crawl("later")
    await world.run()
    rows = {row.page_id: row for row in await world.rows(schedule)}

    assert 5 == len(first) == len(rows)
    assert {1 + row.observed_count for row in first.values()} == {
        row.observed_count for row in rows.values()
    }
    assert all(rows[page].checked_time > row.checked_time for page, row in first.items())
