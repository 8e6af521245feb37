"""What every fetcher state says of pages that a browser shows: which they are, and how many.

Run on SQLite in memory, on a file and on PostgreSQL.
"""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import PageFetched, ScopeUseRequest, ScopeUseResponse
from scops.common.contract.messages.types import Scope
from scops.common.db.address import Address
from scops.fetcher import queries
from scops.fetcher.adapters.sql import tables
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.upkeep import forget_due
from tests.fakes.browser import FakeBrowser
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import SCOPE, FetcherWorld, scope

APP = "https://a.test/"
DOCS, BLOG = (Scope(scope_id=ScopeId(name), revision=1) for name in ("docs", "blog"))


@pytest.fixture
async def world(address: str | Address) -> AsyncIterator[FetcherWorld]:
    """A page that is an app, and two renderings a day for each scope."""
    settings = FetcherSettings(rendered_per_day=2, host_delay_seconds=0.0)
    async with FetcherWorld.opened(address, settings=settings, browser=FakeBrowser()) as opened:
        opened.source.serve(APP, page_answer("<div id=root></div>"))
        opened.scopes.apply(scope("a.test", seeds=[APP]))
        yield opened


async def test_a_shell_waits_again_once(world: FetcherWorld) -> None:
    """Its rows hang on the second fetch, whose links are to come, whatever comes twice."""
    await world.fetch_at_once(APP)
    shell = await world.extracted(await world.event(PageFetched), kind=PageKind.APP_SHELL)
    await world.take(shell)
    row = await world.page(APP)
    (waiting,) = await world.ledger_rows(row.page_id)

    assert (True, None) == (row.by_browser, row.awaiting_fetch_id)
    assert ("open", None, False) == (waiting.state, waiting.fetch_id, waiting.links_taken)
    await world.steps()
    await world.take(shell)
    event = await world.event(PageFetched)
    await world.extract(event)
    await world.index(event)

    assert "browser" == event.came_by
    assert {APP: "indexed"} == await world.outcomes()


async def test_renderings_are_counted_by_scope_and_day(world: FetcherWorld) -> None:
    """Whoever comes at once takes what is left, and no more."""
    now, begin = world.clock.now(), world.ports.renderings.begin
    at_once = await asyncio.gather(*(begin([DOCS], now=now) for _ in range(5)))

    assert 2 == sum(at_once)
    assert await begin([DOCS, BLOG], now=now), "the second scope has some left"
    assert not await begin([], now=now)
    assert await begin([DOCS], now=now + timedelta(days=1))


async def test_a_scope_with_a_number_of_its_own_has_so_many(world: FetcherWorld) -> None:
    """More or fewer than the installation gives."""
    now, begin = world.clock.now(), world.ports.renderings.begin
    one, three = replace(DOCS, rendered_per_day=1), replace(BLOG, rendered_per_day=3)
    begun = [await begin([scope], now=now) for scope in (one, three) for _ in range(4)]

    assert [True, False, False, False, True, True, True, False] == begun
    assert (1, 3) == tuple(
        [await world.ports.renderings.begun(scope.scope_id, now=now) for scope in (one, three)]
    )


async def test_what_a_scope_used_is_told_with_what_it_may(world: FetcherWorld) -> None:
    """By its own number, or the installation's; tomorrow is another day."""
    request = ScopeUseRequest(scope=SCOPE)
    await world.ports.renderings.begin([world.scopes.get(SCOPE)], now=world.clock.now())
    today = await queries.scope_use(request, world.ports)
    world.scopes.apply(scope("a.test", seeds=[APP], revision=2, rendered_per_day=-1))
    world.clock.advance(timedelta(days=1).total_seconds())

    assert ScopeUseResponse(rendered_pages=1, rendered_per_day=2) == today
    assert ScopeUseResponse() == await queries.scope_use(request, world.ports)


async def test_a_scope_that_wants_none_leaves_a_shell_as_it_is(world: FetcherWorld) -> None:
    """Its row ends, and the page is not shown by a browser to others later on that account."""
    world.scopes.apply(scope("a.test", seeds=[APP], revision=2, rendered_per_day=-1))
    await world.fetch_at_once(APP)
    await world.extract(await world.event(PageFetched), kind=PageKind.APP_SHELL)

    assert {APP: "blocked(app_shell)"} == await world.outcomes()
    assert not (await world.page(APP)).by_browser


async def test_days_are_forgotten(world: FetcherWorld) -> None:
    """After a quarter."""
    await world.ports.renderings.begin([DOCS], now=world.clock.now())
    world.clock.advance(timedelta(days=92).total_seconds())
    await forget_due(world.ports)

    assert [] == await world.rows(tables.rendering)
