"""What each caller may spend in a day."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput, NotPermitted, ResourceExhausted
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.crawl import CancelJob, JobCounts
from scops.common.contract.messages.explanation import (
    AnswerMode,
    AnswerRequest,
    AnswerResponse,
    ModelUse,
    Revalidate,
)
from scops.common.db.outbox import relay
from scops.common.query.ports import ANSWER
from scops.common.scope.limits import PAGE_LIMIT_DEFAULT
from scops.gateway.adapters.sql.tables import outbox
from scops.gateway.calls import failure_of
from scops.gateway.handlers import jobs as job_requests
from scops.gateway.handlers import search, spending
from scops.gateway.jobs.job import ApiJobState, Job
from scops.gateway.jobs.ledger import note_progress
from scops.gateway.quotas.daily import MILLION, DailyQuotas, next_day
from scops.gateway.quotas.held import HeldQuotas
from tests.fakes.bus import RecordingPublisher
from tests.fakes.clock import ManualClock
from tests.fakes.worlds.gateway import DOCS, GatewayWorld, gateway_world

ANN, BOB, LOCAL = "user:ann", "user:bob", "local"
PAGES = tuple(f"{DOCS}{number}" for number in range(4))


def bounded(world: GatewayWorld, **quotas: int) -> GatewayWorld:
    ports = replace(world.ports, daily_quotas=DailyQuotas(**quotas))
    return replace(world, ports=ports)


async def crawl(
    world: GatewayWorld,
    caller: str = ANN,
    *,
    urls: tuple[str, ...] = (),
    page_limit: int = 0,
    request_id: str = "",
) -> Job:
    return await job_requests.create_job(
        world.ports,
        world.call(caller),
        scope_id=ScopeId(f"docs-{caller.rpartition(':')[2]}"),
        urls=urls,
        page_limit=page_limit,
        request_id=request_id,
    )


async def scopes_of_all(world: GatewayWorld, **fields: Any) -> None:
    for owner in (ANN, BOB, LOCAL):
        await world.create_scope(f"docs-{owner.rpartition(':')[2]}", owner=owner, **fields)


async def heard(world: GatewayWorld, job: Job, *, fetched_bytes: int) -> None:
    """Has the gateway hear what a job has taken by now."""
    counts = JobCounts(open=1, fetched_bytes=fetched_bytes)
    await note_progress(world.ports, job.job_id, counts, at=world.clock.now())


async def cancelled(world: GatewayWorld, *jobs: Job) -> list[Job]:
    """Returns those of some jobs, as they were, that are to be cancelled."""
    stored = [await world.ports.jobs.get(job.job_id) for job in jobs]
    found = zip(jobs, stored, strict=True)
    return [job for job, now in found if now is not None and now.cancel_requested]


async def used(world: GatewayWorld, caller: str = ANN, principal: str = "") -> dict[str, int]:
    found = await spending.get_quotas(world.ports, world.call(caller), principal=principal)
    return {one.name: one.used for one in found if one.reset_time is not None and one.used}


async def answered(world: GatewayWorld, caller: str = ANN, **question: Any) -> AnswerResponse:
    kept = await search.answer(
        world.ports,
        world.call(caller),
        question=AnswerRequest(query="how much", **question),
        scopes=(f"scopes/docs-{caller.rpartition(':')[2]}",),
    )
    return kept.answer


async def test_a_crawl_gets_what_is_left_of_the_day() -> None:
    """One that names its own limit, or its pages, is told that there is no room."""
    async with gateway_world() as opened:
        world = bounded(opened, fetches=10)
        await scopes_of_all(world, page_limit=8)

        assert 8 == (await crawl(world)).page_limit
        for wanted in ({"page_limit": 3}, {"urls": PAGES[:3]}):
            with pytest.raises(ResourceExhausted, match="no room for 3 more"):
                await crawl(world, **wanted)
        assert 2 == (await crawl(world)).page_limit
        with pytest.raises(ResourceExhausted) as raised:
            await crawl(world, urls=PAGES[:1])

        assert 8 == (await crawl(world, BOB)).page_limit
        assert [0, 0] == [(await crawl(world, LOCAL)).page_limit for _ in range(2)]
        assert {"fetches": 10} == await used(world)

    failure = failure_of(raised.value)
    until_tomorrow = (next_day(world.clock.now()) - world.clock.now()).total_seconds()
    assert ("RESOURCE_EXHAUSTED", "DAILY_QUOTA_REACHED", until_tomorrow) == (
        failure.code,
        failure.reason,
        failure.retry_after_seconds,
    )
    assert {"quota": "fetches", "limit": "10", "held": "10"} == failure.metadata


async def test_what_a_crawl_did_not_take_is_there_again() -> None:
    """At its end; a day later everything is."""
    async with gateway_world() as opened:
        world = bounded(opened, fetches=10)
        await scopes_of_all(world, page_limit=10)
        job = await crawl(world)
        with pytest.raises(ResourceExhausted):
            await crawl(world, urls=PAGES[:1])
        counts = JobCounts(indexed=2, gone=1, blocked=40)
        now = world.clock.now()
        await world.ports.jobs.finish(job.job_id, ApiJobState.COMPLETED, counts, at=now)

        assert {"fetches": 3} == await used(world)
        assert 7 == (await crawl(world)).page_limit
        world.clock.advance(86_400)
        assert 10 == (await crawl(world)).page_limit


async def test_a_request_that_is_repeated_costs_once() -> None:
    """It gets the job that it created."""
    request = "3f8e2c54-7e0d-4a55-9a3a-6f6d4a4f0b11"
    async with gateway_world() as opened:
        world = bounded(opened, fetches=10)
        await scopes_of_all(world)
        first, again = [await crawl(world, urls=PAGES, request_id=request) for _ in range(2)]

        assert first == again
        assert {"fetches": len(PAGES)} == await used(world)


async def test_after_its_bytes_somebody_starts_no_job() -> None:
    """Whether they came with news of a job, or with its end."""
    async with gateway_world() as opened:
        world = bounded(opened, bytes=1_000)
        await scopes_of_all(world, page_limit=5)
        job = await crawl(world)
        await crawl(world)
        await heard(world, job, fetched_bytes=600)
        assert {"fetches": 10, "bytes": 600} == await used(world)
        counts = JobCounts(indexed=5, fetched_bytes=1_000)
        now = world.clock.now()
        await world.ports.jobs.finish(job.job_id, ApiJobState.COMPLETED, counts, at=now)
        with pytest.raises(ResourceExhausted, match="1000 bytes to fetch are used"):
            await crawl(world, urls=PAGES[:1])
        await crawl(world, BOB)


async def test_after_its_bytes_the_jobs_of_somebody_are_cancelled() -> None:
    """Each as soon as it is heard of again; others go on, and a new day has bytes of its own."""
    async with gateway_world() as opened:
        world = bounded(opened, bytes=1_000)
        await scopes_of_all(world, page_limit=5)
        mine = [await crawl(world) for _ in range(2)]
        others = [await crawl(world, BOB), await crawl(world, LOCAL)]
        for job in (mine[0], *others):
            await heard(world, job, fetched_bytes=999)
        assert [] == await cancelled(world, *mine, *others)
        await heard(world, mine[1], fetched_bytes=1)
        assert [mine[1]] == await cancelled(world, *mine, *others)
        world.clock.advance(86_400)
        await heard(world, mine[0], fetched_bytes=1_998)
        assert [mine[1]] == await cancelled(world, *mine, *others)
        for job in (mine[0], others[1]):
            await heard(world, job, fetched_bytes=1_999)

        assert mine == await cancelled(world, *mine, *others)
        assert {"bytes": 1_000} == await used(world)
        stored = await world.ports.jobs.get(mine[0].job_id)
        assert stored is not None
        assert "DAILY_QUOTA_REACHED" == stored.cancel_reason
        publisher = RecordingPublisher()
        await relay(world.database, outbox, publisher, clock=ManualClock())
    sent = [one.job_id for one in publisher.messages if isinstance(one, CancelJob)]
    assert [job.job_id for job in reversed(mine)] == sent


async def test_nothing_is_bounded_where_no_operator_says_so() -> None:
    """And counted all the same, by the limit that the fetcher takes."""
    async with gateway_world() as world:
        await scopes_of_all(world)
        assert 0 == (await crawl(world)).page_limit

        assert {"fetches": PAGE_LIMIT_DEFAULT} == await used(world)


@pytest.mark.parametrize("policy", [Revalidate.ALWAYS, Revalidate.IF_RISKY])
async def test_answers_whose_pages_are_checked_first(policy: Revalidate) -> None:
    """So many a day; others are answered on."""
    async with gateway_world() as opened:
        world = bounded(opened, checked_answers=2)
        await scopes_of_all(world)
        world.says(ANSWER, AnswerResponse())
        for _ in range(2):
            await answered(world, revalidate=policy)
        with pytest.raises(ResourceExhausted, match="ask without revalidation"):
            await answered(world, revalidate=policy)
        await answered(world)
        await answered(world, BOB, revalidate=policy)
        for _ in range(3):
            await answered(world, LOCAL, revalidate=policy)

        assert {"checked_answers": 2} == await used(world)


async def test_after_its_money_pages_are_quoted() -> None:
    """Unless a model is asked for by name: that is refused."""
    async with gateway_world() as opened:
        world = bounded(opened, model_cost=MILLION // 2)
        await scopes_of_all(world)
        asked = world.says(ANSWER, AnswerResponse(model=ModelUse(model="m", cost=0.3)))
        for _ in range(2):
            await answered(world)
        world.says(ANSWER, AnswerResponse())
        asked = world.says(ANSWER, AnswerResponse())
        quoted = await answered(world)
        with pytest.raises(ResourceExhausted, match=r"Today's 0\.5 to spend on language models"):
            await answered(world, mode=AnswerMode.MODEL)
        await answered(world, BOB)
        await answered(world, mode=AnswerMode.EXTRACTIVE)

        assert {"model_cost": 600_000} == await used(world)
    modes = [AnswerMode.EXTRACTIVE, AnswerMode.UNSPECIFIED, AnswerMode.EXTRACTIVE]
    assert modes == [one.mode for one in asked]
    assert quoted.model is not None
    assert "used up" in quoted.model.fallback_reason


async def test_whose_quotas_may_be_looked_at() -> None:
    """One's own; those of others by operators and administrators, as `local` is."""
    async with gateway_world() as opened:
        world = bounded(opened, fetches=10)
        held = HeldQuotas(scopes=7)
        world = replace(world, ports=replace(world.ports, held_quotas=held))
        await scopes_of_all(world, page_limit=3)
        await crawl(world)
        with pytest.raises(NotPermitted, match="read_quotas"):
            await used(world, BOB, ANN)
        with pytest.raises(InvalidInput):
            await used(world, LOCAL, "nobody")

        assert {"fetches": 3} == await used(world, LOCAL, ANN)
        found = await spending.get_quotas(world.ports, world.call(ANN), principal=ANN)
    assert {"scopes": (7, 1), "pages": (0, 3), "fetches": (10, 3)} == {
        one.name: (one.limit, one.used) for one in found if one.used and one.name != "rules"
    }
    assert {None, next_day(world.clock.now())} == {one.reset_time for one in found}


def test_a_day_is_utc_s() -> None:
    """However the clock shows it."""
    late = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)

    assert next_day(late) == late + timedelta(minutes=1)
