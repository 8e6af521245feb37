"""Sums over schedules: what sites, all sites and the pages of budgets have taught.

They move slowly and are made anew now and then, so that no row is written by every verdict. A
round goes through the tables in the order of their hosts, some rows a transaction, and writes the
sums that have moved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from sqlalchemy import String, bindparam, func, select, tuple_, update

from scops.common.db.upsert import upsert
from scops.fetcher.adapters.sql.recrawl.priors import EVERYWHERE, RATES
from scops.fetcher.adapters.sql.recrawl.schedule_tables import (
    budget,
    schedule,
    site_rate,
    site_signal,
)
from scops.fetcher.adapters.sql.transaction import Row, Transaction

# That one transaction sums up: a few milliseconds of the event loop on a SQLite file.
ROWS_AT_ONCE = 500
SIGNAL_COUNTS = ("true_count", "false_count", "missed_count")


def _next_rows(table: Any, second: Any, *columns: Any) -> Any:
    """Returns the statement for the rows after one, by host and a second column."""
    keys = ("after_host", f"after_{second.name}")
    after = tuple_(*(bindparam(key, type_=String) for key in keys))
    return (
        select(table.c.host_key, second, *columns)
        .where(tuple_(table.c.host_key, second) > after)
        .order_by(table.c.host_key, second)
        .limit(bindparam("at_most"))
    )


_pages = _next_rows(
    schedule,
    schedule.c.page_id,
    schedule.c.budget_id,
    schedule.c.semantic_count,
    schedule.c.observed_days,
    schedule.c.demand,
).subquery()
PARTS = (
    select(
        _pages.c.host_key,
        _pages.c.budget_id,
        func.max(_pages.c.page_id).label("last_page_id"),
        func.count().label("page_count"),
        func.sum(_pages.c.semantic_count).label("changes"),
        func.sum(_pages.c.observed_days).label("days"),
        func.sum(_pages.c.demand).label("demand"),
    )
    .group_by(_pages.c.host_key, _pages.c.budget_id)
    .order_by(_pages.c.host_key, _pages.c.budget_id)
)
SIGNALS = _next_rows(
    site_signal, site_signal.c.kind, *(site_signal.c[name] for name in SIGNAL_COUNTS)
).where(site_signal.c.host_key != EVERYWHERE)
SET_BUDGET = (
    update(budget)
    .where(budget.c.budget_id == bindparam("of_budget"))
    .values(page_count=bindparam("pages"), demand_sum=bindparam("demand"))
)


class Pool(Protocol):
    """Sums of one round, as far as it has come."""

    async def go_on(self, tx: Transaction) -> bool:
        """Sums up the next rows; returns whether there may be more."""
        ...


@dataclass(slots=True)
class RatePool:
    """How often pages have changed by site and everywhere, and how many are cited, by budget.

    Attributes:
        after: the last page that was summed up, by host and id.
        sites: changes and days of hosts that are not written yet.
        budgets: pages and their demand.
    """

    after: tuple[str, str] = (EVERYWHERE, "")
    sites: dict[str, tuple[float, float]] = field(default_factory=dict)
    everywhere: tuple[float, float] = (0.0, 0.0)
    budgets: dict[str, tuple[int, float]] = field(default_factory=dict)

    async def go_on(self, tx: Transaction) -> bool:
        host, page_id = self.after
        rows = await tx.all(PARTS, after_host=host, after_page_id=page_id, at_most=ROWS_AT_ONCE)
        self._add(rows)
        is_last = sum(row.page_count for row in rows) < ROWS_AT_ONCE
        # The last host may have further pages.
        open_host = None if is_last else self.after[0]
        await _keep_rates(tx, {name: of for name, of in self.sites.items() if name != open_host})
        self.sites = {name: of for name, of in self.sites.items() if name == open_host}
        if is_last:
            await _keep_rates(tx, {EVERYWHERE: self.everywhere})
            for budget_id, (pages, demand) in sorted(self.budgets.items()):
                await tx.execute(SET_BUDGET, of_budget=budget_id, pages=pages, demand=demand)
        return not is_last

    def _add(self, rows: Sequence[Row]) -> None:
        for row in rows:
            learned = (float(row.changes), row.days)
            self.sites[row.host_key] = _sum(self.sites.get(row.host_key, (0.0, 0.0)), learned)
            self.everywhere = _sum(self.everywhere, learned)
            pages, demand = self.budgets.get(row.budget_id, (0, 0.0))
            self.budgets[row.budget_id] = (pages + row.page_count, demand + row.demand)
        if rows:
            host = rows[-1].host_key
            self.after = host, max(row.last_page_id for row in rows if row.host_key == host)


@dataclass(slots=True)
class SignalPool:
    """What became of signals everywhere.

    Attributes:
        after: the last row that was summed up, by host and kind.
        counts: those of `SIGNAL_COUNTS`, by kind.
    """

    after: tuple[str, str] = (EVERYWHERE, "")
    counts: dict[str, dict[str, float]] = field(default_factory=dict)

    async def go_on(self, tx: Transaction) -> bool:
        host, kind = self.after
        rows = await tx.all(SIGNALS, after_host=host, after_kind=kind, at_most=ROWS_AT_ONCE)
        for row in rows:
            of_kind = self.counts.setdefault(row.kind, dict.fromkeys(SIGNAL_COUNTS, 0.0))
            for name in SIGNAL_COUNTS:
                of_kind[name] += getattr(row, name)
            self.after = row.host_key, row.kind
        is_last = len(rows) < ROWS_AT_ONCE
        for kind, counts in sorted(self.counts.items()) if is_last else ():
            values: dict[str, Any] = {"host_key": EVERYWHERE, "kind": kind, **counts}
            await upsert(tx.connection, site_signal, values, key=("host_key", "kind"))
        return not is_last


async def _keep_rates(tx: Transaction, rates: Mapping[str, tuple[float, float]]) -> None:
    """Writes the rates of hosts that are not what is known of them."""
    found = await tx.all(RATES, of_hosts=sorted(rates)) if rates else ()
    known = {row.host_key: (row.changes, row.days) for row in found}
    for host_key, (changes, days) in sorted(rates.items()):
        if known.get(host_key) != (changes, days):
            values = {"host_key": host_key, "changes": changes, "days": days}
            await upsert(tx.connection, site_rate, values, key=("host_key",))


def _sum(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] + other[0], one[1] + other[1]
