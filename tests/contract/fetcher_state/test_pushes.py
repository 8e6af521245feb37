"""What every fetcher state makes of word that pages changed.

Run on SQLite in memory, on a file and on PostgreSQL.
"""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from scops.common.contract.errors import NotYetKnown
from scops.common.contract.messages.change import Verdict, VersionAdded
from scops.common.contract.messages.crawl import SignalPagesRequest, SignalState
from scops.common.contract.messages.types import ChangeSummary, OrderKey, ScopeRef
from scops.common.db.address import Address
from scops.fetcher import handlers
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.discovery import pushes
from scops.fetcher.adapters.sql.recrawl import schedule_tables
from scops.fetcher.discovery.sitemap import SignalKind
from scops.fetcher.signalling import signal_pages
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import SCOPE, FetcherWorld, scope

ROOT, OTHER, FRESH = "https://a.test/", "https://a.test/other", "https://a.test/new"
ELSEWHERE = "https://b.test/"


@pytest.fixture
async def world(address: str | Address) -> AsyncIterator[FetcherWorld]:
    """Two pages that were crawled an hour ago, and one that nobody knows."""
    async with FetcherWorld.opened(address) as opened:
        for url in (ROOT, OTHER, FRESH):
            opened.source.serve(url, page_answer(url))
        opened.scopes.apply(scope("a.test", seeds=[ROOT, OTHER]))
        await opened.crawl()
        await opened.run()
        await check(opened)
        opened.clock.advance(timedelta(hours=1).total_seconds())
        yield opened


async def check(world: FetcherWorld, *, semantic: bool = False) -> None:
    """Lets the change-detector say something about the page."""
    now = world.clock.now()
    verdict = Verdict(
        page_id=(await world.page(ROOT)).page_id,
        order_key=OrderKey(observed_from=now),
        verified_time=now,
        observed_time=now,
        summary=ChangeSummary(semantic=semantic),
    )
    await handlers.handle_verdict(VersionAdded(verdict=verdict), world.cause(), world.ports)


async def tell(world: FetcherWorld, *urls: str) -> dict[str, SignalState]:
    answer = await signal_pages(SignalPagesRequest(scope=SCOPE, urls=urls), world.ports)
    return {page.url: page.state for page in answer.pages}


async def test_what_is_told_of_is_fetched_at_its_hosts_pace(world: FetcherWorld) -> None:
    """Known pages and new ones are, others are not; the job says that it came of a signal."""
    asked = len(world.source.pages_asked())
    states = await tell(world, ROOT, FRESH, ELSEWHERE)
    began = world.clock.now()
    await world.run()
    urls = world.source.pages_asked()[asked:]
    signalled = [row for row in await world.rows(tables.job) if row.kind == "signal"]

    assert {
        ROOT: SignalState.DUE,
        FRESH: SignalState.NEW,
        ELSEWHERE: SignalState.OUTSIDE,
    } == states
    assert [ROOT, FRESH] == sorted(urls)
    assert world.clock.now() - began >= timedelta(seconds=world.settings.host_delay_seconds)
    assert [(2, 0, "now")] == [(row.admitted_count, row.open_count, row.lane) for row in signalled]


async def test_word_of_a_change_is_a_signal_that_checks_judge(world: FetcherWorld) -> None:
    """It ages the page until it is checked, and the check says whether it was true."""
    await tell(world, ROOT)
    page_id = (await world.page(ROOT)).page_id
    told = await world.ports.schedule.read(page_id, now=world.clock.now())
    world.clock.advance(60)
    await check(world, semantic=True)
    checked = await world.ports.schedule.read(page_id, now=world.clock.now())
    (counted,) = await world.rows(schedule_tables.site_signal)

    assert told is not None
    assert checked is not None
    assert ((SignalKind.PUSH.value,), ()) == (told.signals, checked.signals)
    assert (SignalKind.PUSH.value, 1, 0) == (counted.kind, counted.true_count, counted.false_count)


async def test_word_that_comes_twice_is_one_fetch(world: FetcherWorld) -> None:
    """While the page waits for its host."""
    asked = len(world.source.pages_asked())
    await tell(world, ROOT)
    await tell(world, ROOT)
    await world.run()

    assert [ROOT] == world.source.pages_asked()[asked:]


async def test_a_scope_is_told_of_so_many_pages_an_hour(
    world: FetcherWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is above it is not taken, and is an hour later."""
    monkeypatch.setattr(pushes, "PAGES_MAX", 2)
    first = await tell(world, ROOT, OTHER, FRESH)
    second = await tell(world, FRESH)
    world.clock.advance(timedelta(hours=1, seconds=1).total_seconds())

    assert [SignalState.DUE, SignalState.DUE, SignalState.LIMITED] == list(first.values())
    assert {FRESH: SignalState.LIMITED} == second
    assert {FRESH: SignalState.NEW} == await tell(world, FRESH)


async def test_a_scope_that_has_not_arrived_is_asked_for_again(world: FetcherWorld) -> None:
    """Its rules say which pages it holds."""
    later = ScopeRef(scope_id=SCOPE.scope_id, revision=9)

    with pytest.raises(NotYetKnown):
        await signal_pages(SignalPagesRequest(scope=later, urls=(ROOT,)), world.ports)
