"""Research runs whose gateway is killed before or after any of its effects, one after another.

Whatever was done is done once: pages are fetched by one job, the answer is kept once, and the
scope of a run that keeps nothing is dropped.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import PagePlanResponse, SearchedPage, SiteSearchResponse
from scops.common.query.ports import PAGE_PLAN, SITE_SEARCH
from scops.gateway.handlers.chats import reading
from scops.gateway.handlers.research import running
from scops.gateway.handlers.research.dropping import CLAIM, drop_due
from scops.gateway.ports import JobFilter
from scops.gateway.research.research import Research, ResearchState
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world
from tests.unit.gateway.handlers.test_research import (
    ANN,
    SIGNER,
    answers,
    begun,
    covered,
    fetches,
    links,
)

# What a run does to the state, by store; and what it asks of other services.
EFFECTS = {
    "research": ("save", "begin_drop", "end_drop", "fruitless"),
    "chats": ("append",),
    "jobs": ("accept",),
    "scopes": ("replace",),
    "audit": ("append",),
    "query_client": ("call",),
}
Effect = Callable[..., Awaitable[Any]]


class Kill:
    """Ends what works on a run at one of its effects.

    Attributes:
        seen: effects so far.
        done: whether it has.
    """

    def __init__(self, place: int, *, after: bool) -> None:
        self._place, self._after = place, after
        self.seen: list[str] = []
        self.done = False

    def around(self, name: str, effect: Effect) -> Effect:
        """Returns an effect that may end its caller before it, or once it is done."""

        async def killed(*given: Any, **named: Any) -> Any:
            self.seen.append(name)
            is_here = len(self.seen) == self._place and not self.done
            if is_here and not self._after:
                self._end()
            found = await effect(*given, **named)
            if is_here:
                self._end()
            return found

        return killed

    def _end(self) -> None:
        self.done = True
        raise RuntimeError("killed")


async def finished(monkeypatch: pytest.MonkeyPatch, kill: Kill) -> tuple[Research, GatewayWorld]:
    """Returns a run that keeps nothing, once it has ended and its scope is dropped, and checks."""
    async with gateway_world() as world:
        world.says(PAGE_PLAN, PagePlanResponse())
        found = SearchedPage(url=f"{DOCS}c", title="Costs", score=0.5)
        index = {"index_url": f"{DOCS}searchindex.js", "named_by": DOCS, "outcome": "searched"}
        world.says(SITE_SEARCH, SiteSearchResponse(**index, pages=(found,)))
        fetches(world)
        answers(world, covered(0.1), covered(0.2), covered(0.9, page="b"))
        links(world, "a", "b")
        run = await begun(world, scope="", uri=DOCS, keep_days=0, pages=5, seconds=1800)
        with monkeypatch.context() as patched:
            for store, names in EFFECTS.items():
                held = getattr(world.ports, store)
                for name in names:
                    effect = kill.around(f"{store}.{name}", getattr(held, name))
                    patched.setattr(held, name, effect)
            for _ in range(3):
                await _one_life(world, run, kill)
        ended = await world.ports.research.get(run.research_id)
        assert ended is not None
        await _check(world, ended)
        return ended, world


async def _one_life(world: GatewayWorld, run: Research, kill: Kill) -> None:
    """Has a gateway do what it finds to do, until it is killed or nothing is left."""
    world.clock.advance(max(CLAIM, running.CLAIM).total_seconds())
    now = world.clock.now()
    try:
        for one in await world.ports.research.claim(now=now, until=now + running.CLAIM, limit=1):
            await running.work_on(world.ports, one, SIGNER)
        await drop_due(world.ports)
    except RuntimeError:
        assert kill.done


async def _check(world: GatewayWorld, run: Research) -> None:
    assert ResearchState.ENDED is run.state
    jobs = await world.ports.jobs.newest(
        JobFilter(organisation_id="main", owner=ANN, scope_ids=(run.scope_id,)),
        before=JobId(""),
        limit=99,
    )
    fetched = Counter(url for job in jobs for url in job.urls)
    assert {1} == set(fetched.values())
    assert {page.url for page in run.pages if page.outcome == "indexed"} == set(fetched)
    turns, _ = await reading.list_turns(
        world.ports, world.call(ANN), chat_id=run.chat_id, share="", page_size=9, page_token=""
    )
    assert [1] == [turn.number for turn in turns] == [run.turn]
    assert ["It costs 14 euros."] == [one.text for one in turns[0].answer.statements]
    assert run.dropped_time is not None
    assert await world.ports.scopes.get("main", run.scope_id) is None


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_kill_at_any_effect_does_nothing_twice(
    monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    """The first life has each effect; the same run is then ended at every one of them."""
    whole = Kill(0, after=after)
    await finished(monkeypatch, whole)
    assert {f"{store}.{name}" for store, names in EFFECTS.items() for name in names} == set(
        whole.seen
    )
    for place in range(1, len(whole.seen) + 1):
        kill = Kill(place, after=after)
        await finished(monkeypatch, kill)
        assert kill.done
