"""Pushes in SQL: a job for the pages that are told of, and a signal for those that are public."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import bindparam, func, select

from scops.common.contract.messages.crawl import SignalledUrl, SignalState
from scops.common.db.database import Database
from scops.fetcher.adapters.sql.discovery.signals import keep_signals
from scops.fetcher.adapters.sql.ledger.accept import accept_job
from scops.fetcher.adapters.sql.pages.pages import PageOwner
from scops.fetcher.adapters.sql.recrawl.planner import Planner
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import job, job_page, page
from scops.fetcher.adapters.sql.transaction import Row, StateRules, Transaction
from scops.fetcher.discovery.sitemap import SignalKind, SitemapEntry
from scops.fetcher.frontier.outcomes import Outcome
from scops.fetcher.ports.ledger import NewJob

# Pages that a scope may be told of within the time; two calls at once may exceed it by one.
PAGES_MAX = 2000
WITHIN = timedelta(hours=1)

TAKEN = select(func.coalesce(func.sum(job.c.admitted_count), 0).label("pages")).where(
    job.c.organisation_id == bindparam("of_organisation"),
    job.c.scope_id == bindparam("of_scope"),
    job.c.kind == bindparam("of_kind"),
    job.c.accepted_time > bindparam("after"),
)
ROWS = (
    select(job_page.c.url, job_page.c.outcome, page.c.last_fetch_time)
    .outerjoin(page, page.c.page_id == job_page.c.page_id)
    .where(job_page.c.job_id == bindparam("of_job"))
    # Its job has no more.
    .limit(PAGES_MAX)
)


class SqlPushes(SqlState):
    """A `Pushes`; see there for the contract."""

    def __init__(self, database: Database, rules: StateRules, planner: Planner) -> None:
        super().__init__(database, rules)
        self._planner = planner

    async def take(self, job: NewJob, *, now: datetime) -> Sequence[SignalledUrl]:
        async with self._write(now) as tx:
            held = [url for url in job.urls if tx.rules.admits(job.scope, url)]
            taken = held[: await _room(tx, job)]
            states = dict.fromkeys(held, SignalState.LIMITED)
            if taken:
                states |= await self._taken_up(tx, replace(job, urls=taken))
            elif job.sitemap_urls and await _room(tx, job):
                await accept_job(tx, replace(job, urls=()))
            outside = SignalState.OUTSIDE
            return tuple(SignalledUrl(url=url, state=states.get(url, outside)) for url in job.urls)

    async def _taken_up(self, tx: Transaction, new: NewJob) -> Mapping[str, SignalState]:
        await accept_job(tx, new)
        rows = {row.url: row for row in await tx.all(ROWS, of_job=new.job_id)}
        entries = [SitemapEntry(url, tx.now) for url in new.urls]
        owner = PageOwner(new.organisation_id, new.access_context)
        news = await keep_signals(tx, owner, entries, SignalKind.PUSH)
        await self._planner.signal(tx, news, SignalKind.PUSH.value)
        return {url: _state(rows.get(url)) for url in new.urls}


async def _room(tx: Transaction, new: NewJob) -> int:
    row = await tx.first(
        TAKEN,
        of_organisation=new.organisation_id,
        of_scope=new.scope.scope_id,
        of_kind=new.kind,
        after=tx.now - WITHIN,
    )
    assert row is not None, "a sum has a row"
    return max(PAGES_MAX - int(row.pages), 0)


def _state(row: Row | None) -> SignalState:
    """Returns what is done with a URL; one without a row names a page that another one names."""
    if row is None:
        return SignalState.DUE
    if row.outcome == Outcome.BLOCKED.value:
        return SignalState.OUTSIDE
    return SignalState.NEW if row.last_fetch_time is None else SignalState.DUE
