"""Pages are checked now for somebody who waits; what cannot be said in time is unknown."""

from dataclasses import replace
from datetime import timedelta

from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import (
    PageRisksRequest,
    VerifiedPage,
    VerifyOutcome,
    VerifyRequest,
)
from scops.common.query.deadline import answering_until
from scops.fetcher import queries
from scops.fetcher.adapters.sql import tables
from scops.fetcher.queries import verify
from tests.fakes.clock import ManualClock
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope
from tests.unit.fetcher.recrawl.test_schedule import check

ROOT = "https://a.test/"
WAIT = timedelta(seconds=1)


async def crawled(world: FetcherWorld) -> PageId:
    """Crawls one page and returns its id."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    world.source.serve(ROOT, page_answer("root"))
    await world.crawl()
    await world.run()
    return PageId((await world.page(ROOT)).page_id)


class Beside(ManualClock):
    """While somebody sleeps, the fetcher and the pipeline work."""

    def __init__(self, world: FetcherWorld) -> None:
        super().__init__(world.clock.now())
        self._world = world

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        await self._world.run()


async def verified(
    world: FetcherWorld, *page_ids: str, age_seconds_max: float = 0.0, answers: bool = True
) -> list[VerifiedPage]:
    """Asks; where nobody answers, the deadline passes."""
    clock = Beside(world) if answers else world.clock
    request = VerifyRequest(page_ids=page_ids, age_seconds_max=age_seconds_max)
    token = answering_until.set(clock.now() + WAIT)
    response = await verify(request, replace(world.ports, clock=clock))
    answering_until.reset(token)
    return list(response.pages)


async def test_unmodified_page_is_unchanged(world: FetcherWorld) -> None:
    """A 304 that went through the index says so, and when."""
    page_id = await crawled(world)
    world.clock.advance(3600)
    (page,) = await verified(world, page_id)

    assert VerifyOutcome.UNCHANGED is page.outcome
    assert page.checked_time is not None


async def test_edited_page_is_changed(world: FetcherWorld) -> None:
    """By then the new text is in the index."""
    page_id = await crawled(world)
    world.source.serve(ROOT, page_answer("another root"))
    world.clock.advance(3600)
    (page,) = await verified(world, page_id)

    assert VerifyOutcome.CHANGED is page.outcome


async def test_page_checked_a_moment_ago_is_not_asked_again(world: FetcherWorld) -> None:
    """Politeness is for those who ask often."""
    page_id = await crawled(world)
    world.clock.advance(30)
    (page,) = await verified(world, page_id, age_seconds_max=60)

    assert VerifyOutcome.UNCHANGED is page.outcome
    assert not [row for row in await world.rows(tables.job) if row.kind == "verify"]


async def test_no_outcome_by_the_deadline_is_unknown(world: FetcherWorld) -> None:
    """The fetch goes on; whoever waits is told that nobody knows yet."""
    page_id = await crawled(world)
    world.clock.advance(3600)
    (page,) = await verified(world, page_id, answers=False)
    (job,) = [row for row in await world.rows(tables.job) if row.kind == "verify"]

    assert (VerifyOutcome.UNKNOWN, "deadline") == (page.outcome, page.reason)
    assert ("now", "running") == (job.lane, job.state)


async def test_unknown_page_and_page_of_no_scope_are_unknown(world: FetcherWorld) -> None:
    """Nobody fetches what no scope holds."""
    page_id = await crawled(world)
    world.scopes.apply(scope("b.test", revision=2))
    outcomes = [(page.outcome, page.reason) for page in await verified(world, "none", page_id)]

    assert [
        (VerifyOutcome.UNKNOWN, "unknown_page"),
        (VerifyOutcome.UNKNOWN, "out_of_scope"),
    ] == outcomes


async def test_risk_grows_with_time_and_a_page_never_checked_has_none(
    world: FetcherWorld,
) -> None:
    """The explainer asks for all cited pages at once."""
    page_id = await crawled(world)
    request = PageRisksRequest(page_ids=(page_id,))
    before = await queries.page_risks(request, world.ports)
    await check(world, ROOT)
    risks = []
    for _ in range(3):
        world.clock.advance(10 * 86_400)
        (risk,) = (await queries.page_risks(request, world.ports)).pages
        risks.append(risk.stale_probability)

    assert () == before.pages
    assert sorted(risks) == risks
    assert 0 < risks[0] < risks[-1] < 1
