"""Plans pages inside transactions: when there is news of one, and never otherwise."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import bindparam, select, update

from scops.fetcher.adapters.sql.recrawl.priors import PriorsCache
from scops.fetcher.adapters.sql.recrawl.schedule_rows import record_of, record_values, time_of
from scops.fetcher.adapters.sql.recrawl.schedule_tables import schedule
from scops.fetcher.adapters.sql.tables import page, signal
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.recrawl.page_schedule import PageRecord, Plan, signalled

ROWS = (
    select(*schedule.c, page.c.canonical_url)
    .join(page, page.c.page_id == schedule.c.page_id)
    .where(schedule.c.page_id.in_(bindparam("of_pages", expanding=True)))
    .order_by(schedule.c.page_id)
)
LOCKED_ROWS = ROWS.with_for_update(of=schedule)
STATED = (
    select(signal.c.page_id, signal.c.value_time)
    .where(
        signal.c.kind == bindparam("of_kind"),
        signal.c.page_id.in_(bindparam("of_pages", expanding=True)),
    )
    .order_by(signal.c.page_id)
)
SET = update(schedule).where(schedule.c.page_id == bindparam("of_page"))


class Planner:
    """Writes due times."""

    def __init__(self, priors: PriorsCache) -> None:
        self.priors = priors

    async def plan_of(self, tx: Transaction, row: Row) -> tuple[PageRecord, Plan, Row]:
        """Returns a schedule's record, its plan as of now, and the row of its budget."""
        record = record_of(row)
        budget_row = await self.priors.budget_row(tx, row.budget_id)
        plan = await self.priors.plan(
            tx, record, host_key=row.host_key, budget_row=budget_row, demand=row.demand
        )
        return record, plan, budget_row

    async def planned(
        self,
        tx: Transaction,
        record: PageRecord,
        *,
        url: str,
        host_key: str,
        gone: bool,
        demand: float,
    ) -> dict[str, Any]:
        """Returns the columns of a plan: who pays, and when the page is due."""
        budget_id = tx.rules.budgets.payer(url)
        budget_row = await self.priors.budget_row(tx, budget_id)
        plan = await self.priors.plan(
            tx, record, host_key=host_key, budget_row=budget_row, demand=demand
        )
        # A page that is gone cannot be answered from; it is looked after now and then.
        day = record.checked_day + self.priors.limits.wait_days_max if gone else plan.due_day
        return {
            "host_key": host_key,
            "budget_id": budget_id,
            "gone": gone,
            "demand": demand,
            "due_time": time_of(day),
            **record_values(record),
        }

    async def replan(self, tx: Transaction, row: Row, record: PageRecord, *, demand: float) -> None:
        """Plans a page anew after news that are no check."""
        values = await self.planned(
            tx,
            record,
            url=row.canonical_url,
            host_key=row.host_key,
            gone=row.gone,
            demand=demand,
        )
        await tx.execute(SET, of_page=row.page_id, **values)

    async def signal(self, tx: Transaction, page_ids: Sequence[str], kind: str) -> None:
        """Takes news of signals in: one of a change since the last check ages its page.

        One that is older only says that the page has signals of this kind.
        """
        if not page_ids:
            return
        ordered = sorted(page_ids)
        stated = {
            row.page_id: row.value_time
            for row in await tx.all(STATED, of_kind=kind, of_pages=ordered)
        }
        for row in await tx.all(LOCKED_ROWS, of_pages=ordered):
            record = record_of(row)
            known = replace(record, signals={kind: 0, **record.signals})
            is_news = stated[row.page_id] > row.checked_time
            await self.replan(
                tx, row, signalled(known, kind) if is_news else known, demand=row.demand
            )
