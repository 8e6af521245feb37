"""Priors of a page from its site, all sites and its budget, kept for a minute.

A page is planned from its own row and from sums that move slowly: of its site, of all sites and
of its budget. A process reads each of these at most once a minute.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, select

from scops.common.db.upsert import insert_ignore
from scops.fetcher.adapters.sql.recrawl.schedule_rows import day_of
from scops.fetcher.adapters.sql.recrawl.schedule_tables import budget, site_rate, site_signal
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.recrawl.change_rate import NO_CHECKS, PooledChecks, prior_rate
from scops.fetcher.recrawl.crawl_demand import importance
from scops.fetcher.recrawl.crawl_policy import CrawlPolicy, Optimal
from scops.fetcher.recrawl.crawl_threshold import first_threshold
from scops.fetcher.recrawl.crawl_value import SignalModel
from scops.fetcher.recrawl.page_schedule import PageRecord, Plan, PlanLimits, Priors, planned
from scops.fetcher.recrawl.signal_trust import NOTHING_SIGNALLED, SignalCounts, trust
from scops.fetcher.settings import FetcherSettings

EVERYWHERE = ""
KEPT = timedelta(minutes=1)
KEPT_MAX = 10_000
# What a budget is taken to pay for before it has paid for anything.
CRAWLS_PER_PAGE_DAY = 0.1

RATES = select(site_rate).where(site_rate.c.host_key.in_(bindparam("of_hosts", expanding=True)))
SIGNALS = select(site_signal).where(
    site_signal.c.host_key.in_(bindparam("of_hosts", expanding=True))
)
BUDGET = select(budget).where(budget.c.budget_id == bindparam("of_budget"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What a site has taught."""

    prior_rate: float
    trust: Mapping[str, SignalModel]


class PriorsCache:
    """Plans pages inside transactions."""

    def __init__(self, settings: FetcherSettings) -> None:
        self.policy: CrawlPolicy = Optimal()
        self.limits = PlanLimits(
            wait_days_min=settings.recrawl_hours_min / 24,
            wait_days_max=settings.recrawl_days_max,
            stale_min=settings.recrawl_stale_min,
        )
        self._kept: dict[tuple[str, str], tuple[datetime, Any]] = {}

    async def plan(
        self, tx: Transaction, record: PageRecord, *, host_key: str, budget_row: Row, demand: float
    ) -> Plan:
        """Returns when a page is due by what is known now."""
        site = await self.site(tx, host_key)
        priors = Priors(
            prior_rate=site.prior_rate,
            trust=site.trust,
            importance=importance(
                demand,
                demand_sum=budget_row.demand_sum,
                page_count=budget_row.page_count,
                day=day_of(tx.now),
            ),
        )
        return planned(
            record,
            priors,
            policy=self.policy,
            threshold=budget_row.threshold,
            limits=self.limits,
        )

    async def site(self, tx: Transaction, host_key: str) -> Site:
        """Returns the prior rate of a site's pages, and the trust in its signals."""
        found: Site = await self._remembered(tx, ("site", host_key), lambda: _site(tx, host_key))
        return found

    async def budget_row(self, tx: Transaction, budget_id: str) -> Row:
        """Returns a budget; a new one begins with the threshold of a middling page."""

        async def read() -> Row:
            row = await tx.first(BUDGET, of_budget=budget_id)
            if row is None:
                await self._begin(tx, budget_id)
                row = await tx.first(BUDGET, of_budget=budget_id)
            return row

        return await self._remembered(tx, ("budget", budget_id), read)

    def forget(self, budget_id: str) -> None:
        """Reads a budget anew the next time."""
        self._kept.pop(("budget", budget_id), None)

    async def _begin(self, tx: Transaction, budget_id: str) -> None:
        site = await self.site(tx, EVERYWHERE)
        row = {
            "budget_id": budget_id,
            "threshold": first_threshold(
                self.policy, rate=site.prior_rate, crawls_per_page_day=CRAWLS_PER_PAGE_DAY
            ),
            "tokens": 0.0,
            "refilled_time": tx.now,
            "page_count": 0,
            "demand_sum": 0.0,
        }
        await insert_ignore(tx.connection, budget, row)

    async def _remembered(
        self, tx: Transaction, key: tuple[str, str], read: Callable[[], Awaitable[Any]]
    ) -> Any:
        kept = self._kept.get(key)
        if kept is not None and abs(tx.now - kept[0]) < KEPT:
            return kept[1]
        if len(self._kept) >= KEPT_MAX:
            self._kept.clear()
        found = await read()
        self._kept[key] = (tx.now, found)
        return found


async def _site(tx: Transaction, host_key: str) -> Site:
    hosts = sorted({host_key, EVERYWHERE})
    pooled = {
        row.host_key: PooledChecks(row.changes, row.days)
        for row in await tx.all(RATES, of_hosts=hosts)
    }
    counts: dict[str, dict[str, SignalCounts]] = {}
    for row in await tx.all(SIGNALS, of_hosts=hosts):
        counts.setdefault(row.kind, {})[row.host_key] = SignalCounts(
            true=row.true_count, false=row.false_count, missed=row.missed_count
        )
    return Site(
        prior_rate=prior_rate(pooled.get(host_key, NO_CHECKS), pooled.get(EVERYWHERE, NO_CHECKS)),
        trust={
            kind: trust(
                of.get(host_key, NOTHING_SIGNALLED), wider=of.get(EVERYWHERE, NOTHING_SIGNALLED)
            )
            for kind, of in counts.items()
        },
    )
