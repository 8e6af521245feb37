"""Taking up pages that are due, inside one transaction for each budget.

A budget is a bucket of fetches that fills with time. What is in it is spent on the pages that
are due first, also a little before their time: their worth then lowers the threshold, and what
falls due meets the budget. A page taken up is due again later by itself, so that none is lost
where its fetch fails.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import bindparam, select, update

from scops.common.contract.messages.types import Scope, ScopeRef
from scops.common.contract.service_table import Lane
from scops.common.db.upsert import upsert
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.adapters.sql.ledger.accept import accept_job
from scops.fetcher.adapters.sql.ledger.jobs import RECRAWL
from scops.fetcher.adapters.sql.recrawl.planner import Planner
from scops.fetcher.adapters.sql.recrawl.schedule_rows import DAY, day_of
from scops.fetcher.adapters.sql.recrawl.schedule_tables import budget, schedule, scope_visit
from scops.fetcher.adapters.sql.tables import page
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.politeness.robots import robots_url
from scops.fetcher.ports.ledger import NewJob
from scops.fetcher.recrawl.crawl_threshold import steered
from scops.fetcher.recrawl.page_schedule import age_of, staleness

# A bucket holds what an hour brings, or one fetch.
BUCKET_DAYS = 1 / 24
# That one budget takes up in one transaction.
PAGES_AT_ONCE_MAX = 200
SITEMAPS_EVERY = timedelta(days=1)
RETRY_MIN, RETRY_MAX = timedelta(days=1), timedelta(days=30)

BUDGET = select(budget).where(budget.c.budget_id == bindparam("of_budget")).with_for_update()
SET_BUDGET = update(budget).where(budget.c.budget_id == bindparam("of_budget"))
SET_DUE = update(schedule).where(schedule.c.page_id == bindparam("of_page"))
NEXT = (
    select(*schedule.c, page.c.canonical_url, page.c.organisation_id, page.c.awaiting_fetch_id)
    .join(page, page.c.page_id == schedule.c.page_id)
    .where(schedule.c.budget_id == bindparam("of_budget"), schedule.c.due_time.is_not(None))
    .order_by(schedule.c.due_time)
    .limit(bindparam("most"))
    .with_for_update(of=schedule, skip_locked=True)
)
VISIT = select(scope_visit).where(scope_visit.c.scope_id == bindparam("of_scope"))


@dataclass(slots=True)
class _DuePages:
    """What one budget takes up.

    Attributes:
        urls: by scope and organisation.
    """

    threshold: float
    scopes: dict[str, Scope] = field(default_factory=dict)
    urls: dict[tuple[str, str], list[str]] = field(default_factory=dict)


async def take_due(tx: Transaction, planner: Planner, *, budget_id: str) -> int:
    """Takes up what a budget pays for now; returns how many pages."""
    await planner.priors.budget_row(tx, budget_id)
    row = await tx.first(BUDGET, of_budget=budget_id)
    assert row is not None
    tokens = _refilled(row, tx)
    most = min(int(tokens), PAGES_AT_ONCE_MAX)
    taken = _DuePages(threshold=row.threshold)
    for found in await tx.all(NEXT, of_budget=budget_id, most=most) if most else ():
        if not await _take(tx, planner, found, taken):
            # Those behind it are due later still.
            break
    count = sum(len(urls) for urls in taken.urls.values())
    await tx.execute(
        SET_BUDGET,
        of_budget=budget_id,
        tokens=tokens - count,
        threshold=taken.threshold,
        refilled_time=tx.now,
    )
    for scope_id, organisation_id in sorted(taken.urls):
        urls = taken.urls[scope_id, organisation_id]
        await _accept(tx, taken.scopes[scope_id], urls, organisation_id)
    return count


async def _take(tx: Transaction, planner: Planner, row: Row, taken: _DuePages) -> bool:
    """Takes a page up, or puts it off where nothing can be done; False where it is too soon."""
    record, plan, _ = await planner.plan_of(tx, row)
    day, limits = day_of(tx.now), planner.priors.limits
    rested = day - record.checked_day >= limits.wait_days_min
    stale = staleness(record, plan, day=day)
    early = rested and not row.gone and stale >= limits.stale_min
    if row.due_time > tx.now and not early:
        return False
    scope = tx.rules.budgets.holder(row.canonical_url, budget_id=row.budget_id)
    if scope is None:
        # Its next check, by whoever asks for it, says who pays.
        await tx.execute(SET_DUE, of_page=row.page_id, due_time=None)
        return True
    await tx.execute(SET_DUE, of_page=row.page_id, due_time=_retry_time(row, tx.now))
    if row.awaiting_fetch_id is not None:
        return True
    if not plan.by_floor and not row.gone:
        value = planner.priors.policy.value(plan.view, age_of(record, plan, day=day))
        taken.threshold = steered(taken.threshold, value=value)
    taken.scopes[scope.scope_id] = scope
    taken.urls.setdefault((scope.scope_id, row.organisation_id), []).append(row.canonical_url)
    return True


async def _accept(
    tx: Transaction,
    scope: Scope,
    urls: Sequence[str],
    organisation_id: str,
) -> None:
    settings = tx.rules.settings
    reads = await _reads_sitemaps(tx, scope.scope_id)
    robots = dict.fromkeys(robots_url(url) for url in (*scope.seeds, *urls))
    await accept_job(
        tx,
        NewJob(
            job_id=tx.rules.mint_job(tx.now),
            organisation_id=organisation_id,
            access_context=PUBLIC,
            scope=ScopeRef(scope_id=scope.scope_id, revision=scope.revision),
            kind=RECRAWL,
            lane=Lane.BULK,
            accepted_time=tx.now,
            page_limit=len(urls) + (scope.page_limit or settings.page_limit),
            depth_limit=scope.depth_limit or settings.depth_limit,
            follow_links=True,
            urls=urls,
            refused={},
            sitemap_urls=scope.sitemaps if reads else (),
            robots_urls=tuple(robots) if reads else (),
        ),
    )


async def _reads_sitemaps(tx: Transaction, scope_id: str) -> bool:
    """Says whether it is time to read the scope's sitemaps again, and notes that it was."""
    row = await tx.first(VISIT, of_scope=scope_id)
    if row is not None and tx.now - row.sitemap_time < SITEMAPS_EVERY:
        return False
    visit = {"scope_id": scope_id, "sitemap_time": tx.now}
    await upsert(tx.connection, scope_visit, visit, key=("scope_id",))
    return True


def _refilled(row: Row, tx: Transaction) -> float:
    """Returns what is in the bucket now."""
    per_day = tx.rules.budgets.per_day().get(row.budget_id, 0)
    days = max((tx.now - row.refilled_time) / DAY, 0.0)
    return float(min(row.tokens + per_day * days, max(per_day * BUCKET_DAYS, 1.0)))


def _retry_time(row: Row, now: datetime) -> datetime:
    """Returns when a page is due again should its fetch bring no verdict: twice as late."""
    checked_time: datetime = row.checked_time
    return now + min(max(now - checked_time, RETRY_MIN), RETRY_MAX)
