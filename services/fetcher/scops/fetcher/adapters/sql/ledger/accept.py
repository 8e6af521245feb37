"""Jobs as they begin: their row, their seeds, and what a crawl of a known scope looks at again."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, func, select, update

from scops.common.contract.messages.crawl import JobState
from scops.common.db.upsert import insert_ignore
from scops.common.observe.trail import current, to_text
from scops.fetcher.adapters.sql.frontier.tasks import add_tasks
from scops.fetcher.adapters.sql.ledger.jobs import (
    CRAWL,
    OUTCOME_COLUMNS,
    RECRAWL,
    admit_urls,
    refuse_urls,
    report_job,
)
from scops.fetcher.adapters.sql.tables import job, job_page, page
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.leases import TaskKind
from scops.fetcher.ports.ledger import NewJob

# Pages that a crawl looks at again although nothing may link to them.
STANDING = ("fetched", "unmodified", "failed")
STANDS = page.c.status.in_(STANDING) & page.c.last_observed_time.is_not(None)
LINKS_KEPT = timedelta(days=7)
"""How long crawls rest on one that took up all links itself, for each of them looks again at pages
that are gone, whether or not something links to them still."""

_OF_JOB = job_page.c.job_id == bindparam("of_job")
_ROWS_AND_PAGES = job_page.join(page, page.c.page_id == job_page.c.page_id)
_PAGES_OF_JOB = (
    select(page.c.canonical_url, job_page.c.depth).select_from(_ROWS_AND_PAGES).where(_OF_JOB)
)
_COUNT_OF_JOB = select(func.count().label("held")).select_from(_ROWS_AND_PAGES).where(_OF_JOB)
_RESTS = (
    update(job)
    .where(job.c.job_id == bindparam("of_job"))
    .values(rests_on=bindparam("base"), links_time=bindparam("base_time"))
)


async def accept_job(tx: Transaction, new: NewJob) -> None:
    """Records a job with its seeds; a job_id that is known changes nothing."""
    key = tx.rules.rules_key(new.scope)
    values = job_values(new, tx.now) | {"rules_key": key, "links_time": tx.now}
    if not await insert_ignore(tx.connection, job, values):
        return
    await refuse_urls(tx, new.job_id, new.refused)
    admitted = await admit_urls(tx, new.job_id, new.urls, depth=0)
    await refuse_urls(tx, new.job_id, admitted.refused)
    last = await _last_crawl(tx, new) if new.kind in (CRAWL, RECRAWL) else None
    if last is not None and new.kind == CRAWL:
        await _revisit(tx, new, last, key)
    elif last is not None and _may_rest_on(tx, last, key):
        # Pages that it comes across have due times of their own, so it need not hold them.
        await tx.execute(_RESTS, of_job=new.job_id, base=last.job_id, base_time=last.links_time)
    await add_tasks(tx, new.job_id, new.robots_urls, kind=TaskKind.ROBOTS, depth=0)
    await add_tasks(tx, new.job_id, new.sitemap_urls, kind=TaskKind.SITEMAP, depth=0)
    row = await tx.first(select(job).where(job.c.job_id == new.job_id))
    assert row is not None
    await report_job(tx, row)


async def _last_crawl(tx: Transaction, new: NewJob) -> Row | None:
    return await tx.first(
        select(job)
        .where(
            job.c.organisation_id == new.organisation_id,
            job.c.scope_id == new.scope.scope_id,
            job.c.kind == CRAWL,
            job.c.job_id != new.job_id,
            job.c.admitted_count > 0,
        )
        .order_by(job.c.accepted_time.desc(), job.c.job_id.desc())
        .limit(1)
    )


def _may_rest_on(tx: Transaction, last: Row, key: str) -> bool:
    """Says whether what a crawl was given of links still holds: it is whole, and not old."""
    same_rules = bool(key) and last.rules_key == key
    recent = last.links_time is not None and abs(tx.now - last.links_time) < LINKS_KEPT
    return last.state == JobState.COMPLETED and same_rules and recent


async def _revisit(tx: Transaction, new: NewJob, last: Row, key: str) -> None:
    """Adds the pages of the scope's last crawl that still stand, at the depth they were found.

    A page that nothing links to any more changes and vanishes all the same. Pages that the rules
    or the limits no longer hold are left out in silence: nobody asked for them by name.

    Where links need not be given again, the rest comes too, for pages that are as they were may
    link to it. It takes no more than half of the room that the limit leaves.
    """
    whole, count = await _admit_pages(tx, new, last, STANDS)
    if not whole or not _may_rest_on(tx, last, key):
        return
    rest = await tx.first(_COUNT_OF_JOB.where(~STANDS), of_job=last.job_id)
    assert rest is not None
    if 2 * rest.held > new.page_limit - len(new.urls) - count:
        return
    whole, _ = await _admit_pages(tx, new, last, ~STANDS)
    base = last.job_id if whole else None
    await tx.execute(_RESTS, of_job=new.job_id, base=base, base_time=last.links_time)


async def _admit_pages(tx: Transaction, new: NewJob, last: Row, condition: Any) -> tuple[bool, int]:
    """Adds some pages of a crawl; returns whether all of them are in, and how many there are."""
    known = await tx.all(
        _PAGES_OF_JOB.where(condition).order_by(job_page.c.depth, page.c.canonical_url),
        of_job=last.job_id,
    )
    by_depth: dict[int, list[str]] = {}
    for row in known:
        by_depth.setdefault(row.depth, []).append(row.canonical_url)
    whole = True
    for depth, urls in by_depth.items():
        admitted = await admit_urls(tx, new.job_id, list(dict.fromkeys(urls)), depth=depth)
        whole = whole and admitted.whole and not admitted.refused
    return whole, len(known)


def job_values(new: NewJob, now: datetime) -> dict[str, Any]:
    """Returns the row of a job that has nothing open yet."""
    return {
        "job_id": new.job_id,
        "organisation_id": new.organisation_id,
        "access_context": new.access_context,
        "scope_id": new.scope.scope_id,
        "scope_revision": new.scope.revision,
        "kind": new.kind,
        "lane": new.lane.value,
        "accepted_time": new.accepted_time,
        "state": JobState.RUNNING.value,
        "ends_as": "",
        "page_limit": new.page_limit,
        "depth_limit": new.depth_limit,
        "follow_links": new.follow_links,
        "admitted_count": 0,
        "open_count": 0,
        "open_tasks": 0,
        **{column.name: 0 for column in OUTCOME_COLUMNS.values()},
        "unreported": 0,
        "progress_count": 0,
        "progress_time": now,
        "trail": to_text(replace(current(), job_id=new.job_id)),
    }
