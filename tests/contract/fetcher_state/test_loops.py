"""What the fetcher's loops ask now and then, in every fetcher state."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from scops.common.contract.messages.purge import PurgePreviewRequest, PurgeSelector
from scops.common.contract.service_table import Lane
from scops.common.db.address import Address
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.upkeep import recrawl_due, seek_lost
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

URLS = [f"https://h{number}.test/" for number in range(4)]
DAY = 86_400.0
SETTINGS = FetcherSettings(
    host_delay_seconds=0.0, recrawl_per_day=240, recrawl_stale_min=0.0, recrawl_hours_min=0.0
)


@pytest.fixture
async def world(address: str | Address) -> AsyncIterator[FetcherWorld]:
    async with FetcherWorld.opened(address, settings=SETTINGS) as opened:
        opened.scopes.apply(scope(*(f"h{number}.test" for number in range(4)), seeds=URLS))
        opened.scopes.complete = True
        for url in URLS:
            opened.source.serve(url, page_answer(url))
        yield opened


async def test_sizes_tell_what_waits_and_what_runs(world: FetcherWorld) -> None:
    """The oldest job that runs, pages whose outcome is awaited, and hosts that may be asked."""
    empty = await world.ports.catalogue.sizes(now=world.clock.now())
    begin = world.clock.now()
    await world.crawl()
    world.clock.advance(60)
    await world.crawl(job_id="second")
    waiting = await world.ports.catalogue.sizes(now=world.clock.now())
    await world.run()
    done = await world.ports.catalogue.sizes(now=world.clock.now())

    assert (0, None, 0, 0) == (
        empty.open_jobs,
        empty.oldest_open_time,
        empty.awaited_fetches,
        empty.ready_hosts,
    )
    assert (2, begin) == (waiting.open_jobs, waiting.oldest_open_time)
    assert waiting.ready_hosts == len(URLS) <= sum(waiting.queued[Lane.BULK])
    assert (0, None, 0) == (done.open_jobs, done.oldest_open_time, done.awaited_fetches)


async def test_what_has_waited_in_the_outbox_is_unsent(world: FetcherWorld) -> None:
    ledger, begin = world.ports.ledger, world.clock.now()
    empty = await ledger.unsent(created_before=begin + timedelta(days=1))
    await world.crawl()
    await world.steps()
    world.clock.advance(60)
    early = await ledger.unsent(created_before=begin)
    late = await ledger.unsent(created_before=world.clock.now())

    assert (False, False, True) == (empty, early, late)


async def test_pages_that_are_due_are_taken_up(world: FetcherWorld) -> None:
    """With nothing due before; what the loops seek and forget meanwhile is nothing."""
    await world.crawl()
    fetched = await world.run()
    await world.ports.schedule.observe_unchanged(
        [event.fetch_id for event in fetched if hasattr(event, "fetch_id")], now=world.clock.now()
    )
    early = await recrawl_due(world.ports)
    await world.ports.schedule.pool(now=world.clock.now())
    world.clock.advance(60 * DAY)
    await seek_lost(world.ports)
    due = await recrawl_due(world.ports)

    assert (0, len(URLS)) == (early, due)


async def test_what_a_purge_would_take_is_counted(world: FetcherWorld) -> None:
    await world.crawl()
    await world.run()
    world.clock.advance(60)
    request = PurgePreviewRequest(
        selector=PurgeSelector(url_prefixes=("h1.test/",)), before_time=world.clock.now()
    )
    found = await world.ports.purges.preview(request, organisation_id="main")

    assert (URLS[1],) == found.urls
