"""Sums over schedules that are made some rows at a time are those of the whole tables."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import func, select, update

from scops.common.db.address import Address
from scops.fetcher.adapters.sql.recrawl.pools import ROWS_AT_ONCE
from scops.fetcher.adapters.sql.recrawl.priors import EVERYWHERE
from scops.fetcher.adapters.sql.recrawl.schedule_tables import (
    budget,
    schedule,
    site_rate,
    site_signal,
)
from tests.fakes.worlds.fetcher import FetcherWorld

AT = datetime(2026, 3, 1, tzinfo=UTC)
# One host has more pages than one transaction sums up, and others few or one.
HOSTS = {"a.test": 1, "b.test": 2 * ROWS_AT_ONCE + 7, "c.test": 3} | {
    f"h{number:03d}.test": 1 for number in range(ROWS_AT_ONCE)
}
BUDGETS = ("", "news", "papers")
KINDS = ("link", "sitemap")


@pytest.fixture
async def world(address: str | Address) -> AsyncIterator[FetcherWorld]:
    async with FetcherWorld.opened(address) as opened:
        yield opened


def schedules() -> list[dict[str, Any]]:
    """Returns rows of the pages of `HOSTS`; of each host in no order of their budgets."""
    hosts = [host for host, count in HOSTS.items() for _ in range(count)]
    return [
        {
            "page_id": f"{number * 7919 % len(hosts):06d}",
            "host_key": host,
            "budget_id": BUDGETS[number % len(BUDGETS)],
            "checked_time": AT,
            "gone": False,
            "evidence": "[0.0, []]",
            "signals": "{}",
            "observed_count": number % 9,
            "semantic_count": number % 5,
            # Sums of these are the same in any order.
            "observed_days": number % 11 / 8,
            "demand": number % 13 / 16,
        }
        for number, host in enumerate(hosts)
    ]


def signals() -> list[dict[str, Any]]:
    return [
        {
            "host_key": host,
            "kind": kind,
            "true_count": float(number % 3),
            "false_count": float(number % 4),
            "missed_count": float(number % 5),
        }
        for number, host in enumerate(HOSTS)
        for kind in KINDS
    ]


async def write(world: FetcherWorld) -> None:
    budgets = [
        {
            "budget_id": budget_id,
            "threshold": 1.0,
            "tokens": 0.0,
            "refilled_time": AT,
            "page_count": 0,
            "demand_sum": 0.0,
        }
        for budget_id in BUDGETS
    ]
    tables = ((schedule, schedules()), (site_signal, signals()), (budget, budgets))
    async with world.database.transaction() as connection:
        for table, rows in tables:
            await connection.execute(table.insert(), rows)


async def asked(world: FetcherWorld, statement: Any) -> list[tuple[Any, ...]]:
    async with world.database.reading() as connection:
        return [tuple(row) for row in await connection.execute(statement)]


async def pooled(world: FetcherWorld) -> dict[str, list[tuple[Any, ...]]]:
    """Returns the sums as they are kept."""
    everywhere = site_signal.c.host_key == EVERYWHERE
    counts = (site_signal.c.true_count, site_signal.c.false_count, site_signal.c.missed_count)
    of_budget = (budget.c.budget_id, budget.c.page_count, budget.c.demand_sum)
    return {
        "sites": await asked(world, select(site_rate).order_by(site_rate.c.host_key)),
        "signals": await asked(
            world,
            select(site_signal.c.kind, *counts).where(everywhere).order_by(site_signal.c.kind),
        ),
        "budgets": await asked(world, select(*of_budget).order_by(budget.c.budget_id)),
    }


async def summed(world: FetcherWorld) -> dict[str, list[tuple[Any, ...]]]:
    """Returns what the sums over the whole tables are."""
    learned = (func.sum(schedule.c.semantic_count), func.sum(schedule.c.observed_days))
    by_site = select(schedule.c.host_key, *learned).group_by(schedule.c.host_key)
    (everywhere,) = await asked(world, select(*learned))
    names = (site_signal.c.true_count, site_signal.c.false_count, site_signal.c.missed_count)
    by_kind = select(site_signal.c.kind, *(func.sum(name) for name in names)).where(
        site_signal.c.host_key != EVERYWHERE
    )
    cited = select(schedule.c.budget_id, func.count(), func.sum(schedule.c.demand))
    return {
        "sites": [
            (EVERYWHERE, *everywhere),
            *await asked(world, by_site.order_by(schedule.c.host_key)),
        ],
        "signals": await asked(
            world, by_kind.group_by(site_signal.c.kind).order_by(site_signal.c.kind)
        ),
        "budgets": await asked(
            world, cited.group_by(schedule.c.budget_id).order_by(schedule.c.budget_id)
        ),
    }


async def test_sums_are_those_of_the_whole_tables(world: FetcherWorld) -> None:
    """Also of a host with more pages than a transaction sums up, and after a page has changed."""
    await write(world)
    await world.ports.schedule.pool(now=AT)
    first = await pooled(world), await summed(world)
    changed = update(schedule).where(schedule.c.page_id == schedules()[-1]["page_id"])
    async with world.database.transaction() as connection:
        await connection.execute(changed.values(semantic_count=100, budget_id="news"))
    await world.ports.schedule.pool(now=AT)
    second = await pooled(world), await summed(world)

    assert first[1] == first[0]
    assert second[1] == second[0] != first[0]


async def test_of_no_pages_nothing_is_known(world: FetcherWorld) -> None:
    await world.ports.schedule.pool(now=AT)

    assert [(EVERYWHERE, 0.0, 0.0)] == (await pooled(world))["sites"]
