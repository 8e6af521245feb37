"""What principals spend, with two replicas, on SQLite and PostgreSQL."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import MetaData

from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import JobCounts
from scops.common.db.database import Database
from scops.gateway.adapters.sql.jobs import SqlJobs
from scops.gateway.adapters.sql.tables import metadata
from scops.gateway.adapters.sql.usage import DAYS_KEPT, SqlUsage
from scops.gateway.jobs.job import ApiJobState, Job, start_command
from scops.gateway.quotas.daily import Charge, Spending
from tests.contract.gateway_state.test_gateway_state import AT, KEY, job

OpenPair = Callable[[str, MetaData], Awaitable[tuple[Database, Database]]]
Stores = tuple[SqlUsage, SqlUsage, SqlJobs, SqlJobs]
DAY = date(2026, 3, 1)
LIMIT = 10


@pytest.fixture
async def stores(open_pair: OpenPair) -> Stores:
    """The stores of two replicas on one state."""
    first, second = await open_pair("gateway", metadata)
    return SqlUsage(first), SqlUsage(second), SqlJobs(first), SqlJobs(second)


def charge(
    amount: int = 1, *, kind: Spending = Spending.FETCHES, limit: int = LIMIT, day: date = DAY
) -> Charge:
    return Charge(
        organisation_id="main", principal_id="ada", day=day, kind=kind, amount=amount, limit=limit
    )


async def spent(usage: SqlUsage, day: date = DAY) -> dict[Spending, int]:
    return dict(await usage.spent("main", "ada", day))


async def accepted(jobs: SqlJobs, name: str, amount: int, *, limit: int = LIMIT) -> Job | None:
    one = job(name)
    return await jobs.accept(one, start_command(one), key=None, charge=charge(amount, limit=limit))


async def test_a_bound_holds_whoever_comes_at_once(stores: Stores) -> None:
    """Of twice as many charges as there is room for, by both replicas, half are taken."""
    first, second, *_ = stores
    taken = await asyncio.gather(
        *(replica.spend(charge()) for replica in (first, second) for _ in range(LIMIT))
    )

    assert LIMIT == sum(taken)
    assert {Spending.FETCHES: LIMIT} == await spent(second)


async def test_a_charge_has_room_as_a_whole_or_not_at_all(stores: Stores) -> None:
    """The first one too; what is given back leaves room again, and no bound is none."""
    usage, *_ = stores

    assert not await usage.spend(charge(LIMIT + 1))
    assert {} == await spent(usage)
    assert await usage.spend(charge(LIMIT - 1))
    assert not await usage.spend(charge(2))
    assert await usage.spend(charge(-3, limit=0))
    assert await usage.spend(charge(2))
    assert await usage.spend(charge(1_000, limit=0))
    assert {Spending.FETCHES: LIMIT - 2 + 1_000} == await spent(usage)


async def test_days_kinds_and_principals_are_apart(stores: Stores) -> None:
    """Each has rows of its own."""
    usage, *_ = stores
    for other in (
        charge(2, day=DAY + timedelta(days=1)),
        charge(3, kind=Spending.BYTES),
        replace(charge(4), principal_id="bob"),
        replace(charge(5), organisation_id="other"),
    ):
        assert await usage.spend(other)

    assert {Spending.BYTES: 3} == await spent(usage)
    assert {Spending.FETCHES: 2} == await spent(usage, DAY + timedelta(days=1))


async def test_an_ended_job_has_cost_what_it_took(stores: Stores) -> None:
    """Pages on the day that it was accepted, bytes when it ended, once, whoever hears of that."""
    usage, _, first, second = stores
    assert await accepted(first, "job", 8)
    assert {Spending.FETCHES: 8} == await spent(usage)

    counts = JobCounts(indexed=2, unchanged=1, blocked=5, cancelled=9, fetched_bytes=7_000)
    end = AT + timedelta(days=2)
    for jobs in (first, second):
        await jobs.finish(JobId("job"), ApiJobState.COMPLETED, counts, at=end)

    assert {Spending.FETCHES: 3} == await spent(usage)
    assert {Spending.BYTES: 7_000} == await spent(usage, end.date())
    kept = await second.get(JobId("job"))
    assert kept is not None
    assert counts == kept.counts


async def test_bytes_are_spent_when_they_are_heard_of(stores: Stores) -> None:
    """Once, whoever hears how often of what, each on its day."""
    usage, _, first, second = stores
    assert await accepted(first, "job", 8)
    heard = [
        JobCounts(open=1, indexed=number, fetched_bytes=1_000 * number) for number in range(1, 9)
    ]
    told = await asyncio.gather(
        *(
            jobs.progress(JobId("job"), counts, at=AT + timedelta(seconds=counts.indexed))
            for counts in heard
            for jobs in (first, second)
        )
    )

    assert heard[-1] == max((one.counts for one in told if one), key=lambda counts: counts.indexed)
    assert {Spending.FETCHES: 8, Spending.BYTES: 8_000} == await spent(usage)

    next_day = AT + timedelta(days=1)
    late = JobCounts(open=1, fetched_bytes=1)
    assert await second.progress(JobId("job"), late, at=AT) is None
    end = JobCounts(indexed=8, fetched_bytes=8_500)
    assert await second.finish(JobId("job"), ApiJobState.COMPLETED, end, at=next_day)
    assert await first.progress(JobId("job"), heard[-1], at=next_day) is None
    assert {Spending.FETCHES: 8, Spending.BYTES: 8_000} == await spent(usage)
    assert {Spending.BYTES: 500} == await spent(usage, next_day.date())


async def test_a_job_without_room_leaves_nothing(stores: Stores) -> None:
    """Neither a job nor its request: the same request is accepted once there is room."""
    usage, _, jobs, other = stores
    one = job("job")
    costs = charge(LIMIT + 1)
    assert await jobs.accept(one, start_command(one), key=KEY, charge=costs) is None
    assert await jobs.get(one.job_id) is None

    costs = charge(LIMIT)
    made = await jobs.accept(one, start_command(one), key=KEY, charge=costs)
    again = await other.accept(job("again"), start_command(one), key=KEY, charge=costs)
    assert made == again
    assert {Spending.FETCHES: LIMIT} == await spent(usage)


async def test_a_job_that_nobody_pays_for_costs_nobody(stores: Stores) -> None:
    """One of `local`."""
    usage, _, jobs, _ = stores
    one = job("job")
    await jobs.accept(one, start_command(one), key=None)
    await jobs.finish(one.job_id, ApiJobState.COMPLETED, JobCounts(indexed=3), at=AT)

    assert {} == await spent(usage)


async def test_days_are_forgotten_when_jobs_are_accepted(stores: Stores) -> None:
    """Those that are long past."""
    usage, _, jobs, _ = stores
    now = datetime.now(UTC)
    for days in (DAYS_KEPT + 1, DAYS_KEPT - 1):
        await usage.spend(charge(day=(now - timedelta(days=days)).date()))
    one = replace(job("job"), created_time=now)
    await jobs.accept(one, start_command(one), key=None)

    assert {} == await spent(usage, (now - timedelta(days=DAYS_KEPT + 1)).date())
    assert await spent(usage, (now - timedelta(days=DAYS_KEPT - 1)).date())
