"""How long scopes of research runs are kept, with two replicas, on SQLite and PostgreSQL."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import MetaData

from scops.common.contract.ids import ScopeId
from scops.common.db.database import Database
from scops.gateway.adapters.sql.research import SqlResearch
from scops.gateway.adapters.sql.tables import metadata
from scops.gateway.research.keeping import HELD, ScopeKeeping
from scops.gateway.research.research import Research, ResearchId, ResearchState, StopReason
from tests.contract.gateway_state.test_research import AT, DAY, research

OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]
Stores = tuple[SqlResearch, SqlResearch]
SCOPE = ScopeId("s")
CLAIM = timedelta(minutes=1)
WISH = ScopeKeeping(
    organisation_id="main",
    scope_id=SCOPE,
    principal_id="user:ann",
    keep_days=1,
    due_time=AT + HELD,
)


@pytest.fixture
async def stores(open_pair: OpenPair) -> Stores:
    """The stores of two replicas on one state."""
    first, second = await open_pair("gateway", metadata)
    return SqlResearch(first), SqlResearch(second)


async def begun(store: SqlResearch, name: str, keep_days: int | None) -> Research:
    run = research(name, keep_days=keep_days)
    return await store.create(run, key=None, open_max=9, is_own=True)


async def ended(store: SqlResearch, run: Research, at: datetime) -> None:
    over = replace(run, state=ResearchState.ENDED, stopped=StopReason.COVERED, ended_time=at)
    assert await store.save(over, until=None)


async def due_of(store: SqlResearch) -> datetime | None:
    kept = (await store.keepings("main", (SCOPE,))).get(SCOPE)
    return None if kept is None else kept.due_time


async def test_the_longest_wish_counts_from_the_last_end(stores: Stores) -> None:
    """Of runs that share a scope; while one goes on it is not dropped."""
    first, second = stores
    assert await first.wish(WISH)
    assert not await second.wish(replace(WISH, keep_days=9))
    one, two = await begun(first, "a", 3), await begun(second, "b", 0)
    await ended(second, two, AT + DAY)
    assert () == await first.due(now=AT + 9 * DAY, limit=9)
    await ended(first, one, AT + 2 * DAY)

    assert AT + 5 * DAY == await due_of(second)
    assert () == await first.due(now=AT + 5 * DAY - CLAIM, limit=9)
    assert 1 == len(await first.due(now=AT + 5 * DAY, limit=9))


async def test_a_run_without_a_wish_keeps_it_for_good(stores: Stores) -> None:
    """Nothing is noted any more; a later wish of a scope that stands notes nothing."""
    first, second = stores
    await first.wish(WISH)
    await begun(first, "a", 1)
    await begun(second, "b", None)
    await begun(first, "c", 0)

    assert await due_of(first) is None


async def test_a_run_that_is_cancelled_has_ended(stores: Stores) -> None:
    """The days are counted from then."""
    first, second = stores
    await first.wish(WISH)
    run = await begun(first, "a", 1)
    await second.cancel(run.research_id, now=AT + DAY)

    assert AT + 2 * DAY == await due_of(first)


async def test_one_gateway_drops_a_scope(stores: Stores) -> None:
    """Until its claim has run out; then its runs say when, once."""
    first, second = stores
    await first.wish(WISH)
    await ended(first, await begun(first, "a", 0), AT)
    (due,), now = await first.due(now=AT + DAY, limit=9), AT + DAY
    taken = await asyncio.gather(
        *(one.begin_drop(due, now=now, until=now + CLAIM) for one in stores)
    )
    assert [False, True] == sorted(taken)
    assert () == await second.due(now=now, limit=9)
    held = await second.hold("main", SCOPE, until=now + DAY)
    (again,) = await second.due(now=now + CLAIM, limit=9)
    await second.end_drop(again, now=now)
    await first.end_drop(due, now=now + DAY)
    run = await first.get(ResearchId("a"))

    assert held is not None
    assert (True, True) == (held.is_dropping, again.is_dropping)
    assert run is not None
    assert now == run.dropped_time
    assert await due_of(first) is None


async def test_a_scope_that_is_asked_for_is_held(stores: Stores) -> None:
    """So that it is there for the run that is about to begin."""
    first, second = stores
    await first.wish(replace(WISH, keep_days=0))
    await ended(first, await begun(first, "a", 0), AT)
    (due,) = await second.due(now=AT, limit=9)
    await first.hold("main", SCOPE, until=AT + DAY)

    assert not await second.begin_drop(due, now=AT, until=AT + CLAIM)
    assert AT + DAY == await due_of(second)
    await first.let_stand(due)
    assert await first.hold("main", SCOPE, until=AT + DAY) is None
