"""Sums over schedules: what sites, all sites and the pages of budgets have taught.

They move slowly and are made anew now and then, so that no row is written by every verdict.
"""

from typing import Any

from sqlalchemy import func, select, update

from scops.common.db.upsert import upsert
from scops.fetcher.adapters.sql.recrawl.priors import EVERYWHERE
from scops.fetcher.adapters.sql.recrawl.schedule_tables import (
    budget,
    schedule,
    site_rate,
    site_signal,
)
from scops.fetcher.adapters.sql.transaction import Transaction

RATES = (
    select(
        schedule.c.host_key,
        func.sum(schedule.c.semantic_count).label("changes"),
        func.sum(schedule.c.observed_days).label("days"),
    )
    .group_by(schedule.c.host_key)
    .order_by(schedule.c.host_key)
)
SIGNALS = (
    select(
        site_signal.c.kind,
        func.sum(site_signal.c.true_count).label("true_count"),
        func.sum(site_signal.c.false_count).label("false_count"),
        func.sum(site_signal.c.missed_count).label("missed_count"),
    )
    .where(site_signal.c.host_key != EVERYWHERE)
    .group_by(site_signal.c.kind)
    .order_by(site_signal.c.kind)
)
BUDGETS = (
    select(
        schedule.c.budget_id,
        func.count().label("page_count"),
        func.sum(schedule.c.demand).label("demand_sum"),
    )
    .group_by(schedule.c.budget_id)
    .order_by(schedule.c.budget_id)
)


async def pool_all(tx: Transaction) -> None:
    """Makes every sum anew."""
    changes = days = 0.0
    for row in await tx.all(RATES):
        changes, days = changes + row.changes, days + row.days
        await _keep_rate(tx, row.host_key, float(row.changes), row.days)
    await _keep_rate(tx, EVERYWHERE, changes, days)
    for row in await tx.all(SIGNALS):
        values: dict[str, Any] = {"host_key": EVERYWHERE, **row._mapping}
        await upsert(tx.connection, site_signal, values, key=("host_key", "kind"))
    for row in await tx.all(BUDGETS):
        await tx.execute(
            update(budget)
            .where(budget.c.budget_id == row.budget_id)
            .values(page_count=row.page_count, demand_sum=row.demand_sum)
        )


async def _keep_rate(tx: Transaction, host_key: str, changes: float, days: float) -> None:
    values = {"host_key": host_key, "changes": changes, "days": days}
    await upsert(tx.connection, site_rate, values, key=("host_key",))
