"""Scopes of research runs: kept as long as the longest wish, then deleted, unless taken over.

The answer stays its owner's.
"""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.crawl import (
    PageLinksResponse,
    PagePlanResponse,
    SiteSearchResponse,
)
from scops.common.contract.messages.types import Scope
from scops.common.query.ports import PAGE_LINKS, PAGE_PLAN, SITE_SEARCH
from scops.gateway.audit.entry import AuditFilter
from scops.gateway.handlers import scopes
from scops.gateway.handlers.chats import reading
from scops.gateway.handlers.research import asking
from scops.gateway.handlers.research.asking import ResearchWithAnswer
from scops.gateway.handlers.research.dropping import drop_due
from scops.gateway.research.research import Research, ResearchState
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world
from tests.unit.gateway.handlers.test_research import ANN, answers, begun, covered, fetches, worked

DAY = timedelta(days=1).total_seconds()


@pytest.fixture
async def world() -> AsyncIterator[GatewayWorld]:
    """A gateway without scopes, whose pages are fetched at once and answer."""
    async with gateway_world() as opened:
        opened.says(PAGE_PLAN, PagePlanResponse())
        opened.says(SITE_SEARCH, SiteSearchResponse())
        opened.says(PAGE_LINKS, PageLinksResponse())
        fetches(opened)
        answers(opened, covered(0.9))
        yield opened


async def asked(world: GatewayWorld, keep_days: int | None) -> Research:
    """A run of Ann on a host, after it has ended."""
    run = await begun(world, scope="", uri=DOCS, keep_days=keep_days)
    return await worked(world, run)


async def seen(world: GatewayWorld, run: Research) -> ResearchWithAnswer:
    return await asking.get_research(world.ports, world.call(ANN), run.research_id)


async def scope_of(world: GatewayWorld, run: Research) -> Scope | None:
    stored = await world.ports.scopes.get("main", run.scope_id)
    return None if stored is None else stored.scope


async def test_a_scope_is_dropped_after_its_days(world: GatewayWorld) -> None:
    """Not before; the run says until when and when, and the audit why."""
    run = await asked(world, 2)
    told = await seen(world, run)
    (listed,), _ = await asking.list_researches(
        world.ports, world.call(ANN), page_size=9, page_token=""
    )
    world.clock.advance(2 * DAY - 1)
    await drop_due(world.ports)
    before = await scope_of(world, run)
    world.clock.advance(1)
    await drop_due(world.ports)
    await drop_due(world.ports)
    after = await seen(world, run)
    entries = await world.ports.audit.newest("main", AuditFilter(), before=0, limit=9)

    assert run.ended_time is not None
    assert run.ended_time + timedelta(days=2) == told.kept_until == listed.kept_until
    assert before is not None
    assert await scope_of(world, run) is None
    assert (None, world.clock.now()) == (after.kept_until, after.run.dropped_time)
    assert [("OK", ANN), ("BEGUN", ANN)] == [(one.outcome, one.principal) for one in entries]
    assert f"scopes/{run.scope_id}" == entries[0].resource
    assert "no research used it for 2 days" == entries[0].facts[0].value


async def test_a_run_that_keeps_nothing_still_answers(world: GatewayWorld) -> None:
    """Its scope is gone at its end; its owner reads the answer, in the run and in the chat."""
    run = await asked(world, 0)
    told = await seen(world, run)
    turns, _ = await reading.list_turns(
        world.ports, world.call(ANN), chat_id=run.chat_id, share="", page_size=9, page_token=""
    )

    assert ResearchState.ENDED is run.state
    assert run.dropped_time is not None
    assert await scope_of(world, run) is None
    assert told.answer is not None
    assert ["It costs 14 euros."] == [one.text for one in told.answer.statements]
    assert 0 == told.withheld_statements == turns[0].withheld_statements


@pytest.mark.parametrize(("wishes", "days"), [((0, 5, 1), 5), ((0, None, 0), None)])
async def test_the_longest_wish_of_runs_that_share_a_scope_counts(
    world: GatewayWorld, wishes: tuple[int | None, ...], days: int | None
) -> None:
    """All of them go on at once; without a wish it is kept for good."""
    runs = [await begun(world, scope="", uri=DOCS, keep_days=one) for one in wishes]
    for run in runs:
        run = await worked(world, run)
    told = await seen(world, run)
    world.clock.advance(5 * DAY - 1)
    await drop_due(world.ports)
    before = await scope_of(world, run)
    world.clock.advance(1)
    await drop_due(world.ports)

    assert 1 == len({run.scope_id for run in runs})
    assert (told.kept_until is None) == (days is None)
    assert before is not None
    assert (await scope_of(world, run) is None) == (days is not None)


async def test_a_scope_that_stood_before_is_kept(world: GatewayWorld) -> None:
    """It was made by a run that wished for nothing."""
    await asked(world, None)
    run = await asked(world, 0)

    assert await scope_of(world, run) is not None
    assert (await seen(world, run)).kept_until is None


async def test_a_scope_that_somebody_changed_is_theirs(world: GatewayWorld) -> None:
    """Its wish counts no more."""
    run = await asked(world, 1)
    world.clock.advance(1)
    await scopes.update_scope(
        world.ports,
        world.call(ANN),
        scope_id=run.scope_id,
        wanted=Scope(recrawl_per_day=50),
        mask=("recrawl_per_day",),
        etag="",
    )
    told = await seen(world, run)
    world.clock.advance(2 * DAY)
    await drop_due(world.ports)

    assert told.kept_until is None
    assert await scope_of(world, run) is not None
    assert (await seen(world, run)).run.dropped_time is None


async def test_a_drop_goes_on_after_a_kill(world: GatewayWorld) -> None:
    """Whether the scope is gone by then or not; a run that comes first ends it, and begins anew."""
    run = await asked(world, 1)
    world.clock.advance(DAY)
    end, ports = world.ports.research.end_drop, world.ports

    async def killed(*_: Any, **__: Any) -> None:
        raise RuntimeError("killed after the scope was deleted")

    ports.research.end_drop = killed  # type: ignore[method-assign]
    with pytest.raises(RuntimeError):
        await drop_due(ports)
    ports.research.end_drop = end  # type: ignore[method-assign]
    between = await seen(world, run)
    assert between.run.dropped_time is None
    assert (True, 0) == (between.answer is not None, between.withheld_statements)
    again = await asked(world, 3)
    first, second = await seen(world, run), await seen(world, again)

    assert first.run.dropped_time is not None
    assert again.scope_id == run.scope_id
    assert (None, None) == (first.kept_until, second.run.dropped_time)
    assert again.ended_time is not None
    assert again.ended_time + timedelta(days=3) == second.kept_until
    world.clock.advance(DAY)
    await drop_due(ports)
    assert await scope_of(world, again) is not None


async def test_a_run_takes_the_scope_that_is_due(world: GatewayWorld) -> None:
    """It is not dropped under it, and its days are counted anew."""
    run = await asked(world, 1)
    world.clock.advance(DAY)
    again = await begun(world, scope="", uri=DOCS, keep_days=0)
    await drop_due(world.ports)
    held = await scope_of(world, run)
    again = await worked(world, again)
    told = await seen(world, again)

    assert held is not None
    assert again.ended_time is not None
    assert again.ended_time + timedelta(days=1) == told.kept_until


async def test_a_cancelled_run_drops_its_scope(world: GatewayWorld) -> None:
    """As one that has ended does."""
    run = await begun(world, scope="", uri=DOCS, keep_days=0)
    await asking.cancel_research(world.ports, world.call(ANN), run.research_id)

    assert await scope_of(world, run) is None


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"scope": "scopes/docs", "keep_days": 1}, "KEEP_DAYS_WITH_SCOPE"),
        ({"scope": "", "uri": DOCS, "keep_days": -1}, "LIMIT_OUT_OF_RANGE"),
        ({"scope": "", "uri": DOCS, "keep_days": 10_000}, "LIMIT_OUT_OF_RANGE"),
    ],
)
async def test_a_wish_that_cannot_be_used_is_told(
    world: GatewayWorld, wanted: dict[str, Any], reason: str
) -> None:
    """A named scope is its owner's."""
    with pytest.raises(InvalidInput) as raised:
        await begun(world, **wanted)

    assert reason == raised.value.reason
