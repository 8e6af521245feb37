"""The recrawl's schedule in SQL: checks and citations come in, due times come out."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, insert, select

from scops.common.contract.ids import EventId, PageId
from scops.common.contract.messages.crawl import PageRisk, PageSchedule
from scops.common.db.database import Database
from scops.common.db.outbox import first_time, first_times
from scops.common.db.upsert import insert_for
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.adapters.sql.recrawl.due import take_due
from scops.fetcher.adapters.sql.recrawl.planner import LOCKED_ROWS, ROWS, SET, Planner
from scops.fetcher.adapters.sql.recrawl.pools import Pool, RatePool, SignalPool
from scops.fetcher.adapters.sql.recrawl.schedule_rows import day_of, record_of
from scops.fetcher.adapters.sql.recrawl.schedule_tables import schedule, site_signal
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import fetch, inbox, page
from scops.fetcher.adapters.sql.transaction import Row, StateRules, Transaction
from scops.fetcher.ports.schedule import PageCheck, SettledChange
from scops.fetcher.recrawl.change_rate import rate_interval
from scops.fetcher.recrawl.crawl_demand import demand_of
from scops.fetcher.recrawl.page_schedule import (
    PageRecord,
    age_of,
    checked,
    found_changed,
    staleness,
)

VERDICTS = "verdict"
CITATIONS = "page_cited"
SETTLED = "change_settled"
COUNTS = ("true_count", "false_count", "missed_count")

PAGES = (
    select(page.c.page_id, page.c.canonical_url, page.c.host_key)
    .where(
        page.c.page_id.in_(bindparam("of_pages", expanding=True)),
        page.c.access_context == PUBLIC,
    )
    .order_by(page.c.page_id)
    .with_for_update()
)
PAGES_OF_FETCHES = (
    select(
        page.c.page_id,
        page.c.canonical_url,
        page.c.host_key,
        page.c.access_context,
        fetch.c.observed_time,
    )
    .join(fetch, fetch.c.page_id == page.c.page_id)
    .where(fetch.c.fetch_id.in_(bindparam("of_fetches", expanding=True)))
    .order_by(page.c.page_id)
    .with_for_update(of=page)
)
ADD = insert(schedule)


class SqlSchedule(SqlState):
    """A `Schedule`; see there for the contract."""

    def __init__(self, database: Database, rules: StateRules, planner: Planner) -> None:
        super().__init__(database, rules)
        self._planner = planner

    async def observe(self, checks: Mapping[EventId, PageCheck], *, now: datetime) -> None:
        async with self._write(now) as tx:
            events = list(checks)
            first = await first_times(
                tx.connection, inbox, consumer=VERDICTS, event_ids=events, now=now
            )
            timely = [checks[event_id] for event_id in events if event_id in first]
            timely = [check for check in timely if not check.late]
            if timely:
                named = sorted(check.page_id for check in timely)
                rows = await tx.all(PAGES, of_pages=named)
                await self._learn(tx, {row.page_id: row for row in rows}, timely)

    async def observe_unchanged(self, fetch_ids: Sequence[str], *, now: datetime) -> None:
        async with self._write(now) as tx:
            seen = await tx.all(PAGES_OF_FETCHES, of_fetches=sorted(set(fetch_ids)))
            pages = {row.page_id: row for row in seen if row.access_context == PUBLIC}
            await self._learn(tx, pages, [_unchanged(row) for row in pages.values()])

    async def settle(self, change: SettledChange, *, event_id: EventId, now: datetime) -> None:
        async with self._write(now) as tx:
            if not await first_time(
                tx.connection, inbox, consumer=SETTLED, event_id=event_id, now=now
            ):
                return
            for row in await tx.all(LOCKED_ROWS, of_pages=[change.page_id]):
                changed_day = day_of(change.change_time)
                days = 0.0
                if change.changed_after_time is not None:
                    days = changed_day - day_of(change.changed_after_time)
                record = found_changed(record_of(row), day=changed_day, days=days)
                await self._planner.replan(tx, row, record, demand=row.demand)
                await tx.execute(
                    SET,
                    of_page=row.page_id,
                    semantic_count=row.semantic_count + 1,
                    changed_time=max(row.changed_time or change.change_time, change.change_time),
                )

    async def cite(
        self, citations: Mapping[PageId, int], *, event_id: EventId, now: datetime
    ) -> None:
        async with self._write(now) as tx:
            if not await first_time(
                tx.connection, inbox, consumer=CITATIONS, event_id=event_id, now=now
            ):
                return
            for row in await tx.all(LOCKED_ROWS, of_pages=sorted(citations)):
                added = demand_of(citations[row.page_id], day=day_of(now))
                await self._planner.replan(tx, row, record_of(row), demand=row.demand + added)

    async def take_due(self, *, now: datetime) -> int:
        taken = 0
        for budget_id in sorted(self._rules.budgets.per_day()):
            async with self._write(now) as tx:
                taken += await take_due(tx, self._planner, budget_id=budget_id)
            self._planner.priors.forget(budget_id)
        return taken

    async def pool(self, *, now: datetime) -> None:
        pools: tuple[Pool, ...] = (RatePool(), SignalPool())
        for pool in pools:
            has_more = True
            while has_more:
                async with self._write(now) as tx:
                    has_more = await pool.go_on(tx)
                # On a file none of this waits for anything.
                await asyncio.sleep(0)

    async def read(self, page_id: PageId, *, now: datetime) -> PageSchedule | None:
        async with self._write(now) as tx:
            rows = await tx.all(ROWS, of_pages=[page_id])
            return await self._described(tx, rows[0]) if rows else None

    async def risks(self, page_ids: Sequence[PageId], *, now: datetime) -> Sequence[PageRisk]:
        async with self._write(now) as tx:
            rows = await tx.all(ROWS, of_pages=sorted(page_ids))
            return tuple([await self._risk(tx, row) for row in rows])

    async def _learn(
        self, tx: Transaction, pages: Mapping[str, Row], checks: Sequence[PageCheck]
    ) -> None:
        """Plans pages after a check of each; those that are not among `pages` are left out."""
        known = {row.page_id: row for row in await tx.all(LOCKED_ROWS, of_pages=sorted(pages))}
        begun, learned = [], []
        for check in sorted(checks, key=lambda one: one.page_id):
            page_row, row = pages.get(check.page_id), known.get(check.page_id)
            if page_row is None:
                continue
            if row is None:
                begun.append(await self._begun(tx, page_row, check))
            elif check.observed_time > row.checked_time:
                values = await self._learned(tx, page_row, row, check)
                learned.append({"of_page": check.page_id, **values})
        await tx.execute_many(ADD, begun)
        await tx.execute_many(SET, learned)

    async def _begun(self, tx: Transaction, page_row: Row, check: PageCheck) -> dict[str, Any]:
        """Returns the columns of a page after its first check."""
        record = PageRecord(checked_day=day_of(check.observed_time))
        planned = await self._planned(tx, page_row, record, check, demand=0.0)
        counts = {"observed_count": int(not check.pipeline_changed), "semantic_count": 0}
        return {"page_id": page_row.page_id, "observed_days": 0.0, **counts, **planned}

    async def _learned(
        self, tx: Transaction, page_row: Row, row: Row, check: PageCheck
    ) -> dict[str, Any]:
        """Returns the columns of a page after a check.

        Where we changed the pipeline, nobody knows whether the page did.
        """
        before, day = record_of(row), day_of(check.observed_time)
        counts: dict[str, Any] = {}
        if check.pipeline_changed:
            record = replace(before, checked_day=day, signals=dict.fromkeys(before.signals, 0))
        else:
            changed = check.semantic or check.closed != row.gone
            record = checked(before, day=day, changed=changed)
            await _judge_signals(tx, page_row.host_key, before, changed=changed)
            counts = {
                "observed_count": row.observed_count + 1,
                "semantic_count": row.semantic_count + int(changed),
                "observed_days": row.observed_days + day - before.checked_day,
                "changed_time": check.observed_time if changed else row.changed_time,
            }
        planned = await self._planned(tx, page_row, record, check, demand=row.demand)
        return {**counts, **planned}

    async def _planned(
        self, tx: Transaction, page_row: Row, record: PageRecord, check: PageCheck, *, demand: float
    ) -> dict[str, Any]:
        planned = await self._planner.planned(
            tx,
            record,
            url=page_row.canonical_url,
            host_key=page_row.host_key,
            gone=check.closed,
            demand=demand,
        )
        return {"checked_time": check.observed_time, **planned}

    async def _risk(self, tx: Transaction, row: Row) -> PageRisk:
        record, plan, _ = await self._planner.plan_of(tx, row)
        return PageRisk(
            page_id=PageId(row.page_id),
            checked_time=row.checked_time,
            change_rate=plan.rate,
            stale_probability=staleness(record, plan, day=day_of(tx.now)),
        )

    async def _described(self, tx: Transaction, row: Row) -> PageSchedule:
        record, plan, budget_row = await self._planner.plan_of(tx, row)
        priors = self._planner.priors
        site = await priors.site(tx, row.host_key)
        low, high = rate_interval(record.evidence, prior_rate=site.prior_rate)
        day = day_of(tx.now)
        per_day = tx.rules.budgets.per_day().get(row.budget_id, 0)
        return PageSchedule(
            checked_time=row.checked_time,
            changed_time=row.changed_time,
            change_rate=plan.rate,
            change_rate_low=low,
            change_rate_high=high,
            importance=plan.view.importance,
            signals=tuple(kind for kind, count in sorted(record.signals.items()) if count),
            stale_probability=staleness(record, plan, day=day),
            value=priors.policy.value(plan.view, age_of(record, plan, day=day)),
            threshold=budget_row.threshold,
            due_time=row.due_time if per_day else None,
            by_floor=plan.by_floor,
            budget_scope_id=row.budget_id,
            budget_per_day=per_day,
        )


def _unchanged(row: Row) -> PageCheck:
    return PageCheck(
        page_id=PageId(row.page_id),
        observed_time=row.observed_time,
        semantic=False,
        closed=False,
        pipeline_changed=False,
        late=False,
    )


async def _judge_signals(
    tx: Transaction, host_key: str, before: PageRecord, *, changed: bool
) -> None:
    """Counts for each kind of signal that the page has whether it told the truth."""
    for kind, count in sorted(before.signals.items()):
        values = {
            "true_count": float(count > 0 and changed),
            "false_count": float(count > 0 and not changed),
            "missed_count": float(not count and changed),
        }
        if any(values.values()):
            statement = counting(tx.connection.dialect.name)
            await tx.execute(statement, host_key=host_key, kind=kind, **values)


@cache
def counting(dialect_name: str) -> Any:
    """Returns the statement that adds to the counts of a site's signals, for a dialect."""
    statement = insert_for(dialect_name, site_signal)
    fresh = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=[site_signal.c.host_key, site_signal.c.kind],
        set_={name: site_signal.c[name] + fresh[name] for name in COUNTS},
    )
