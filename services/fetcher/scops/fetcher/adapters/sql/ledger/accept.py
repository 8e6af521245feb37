"""Jobs as they begin: their row, their seeds, and what a crawl of a known scope looks at again."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import select

from scops.common.contract.messages.crawl import JobState
from scops.common.db.upsert import insert_ignore
from scops.common.observe.trail import current, to_text
from scops.fetcher.adapters.sql.frontier.tasks import add_tasks
from scops.fetcher.adapters.sql.ledger.jobs import (
    CRAWL,
    OUTCOME_COLUMNS,
    admit_urls,
    refuse_urls,
    report_job,
)
from scops.fetcher.adapters.sql.tables import job, job_page, page
from scops.fetcher.adapters.sql.transaction import Transaction
from scops.fetcher.frontier.leases import TaskKind
from scops.fetcher.ports.ledger import NewJob

# Pages that a crawl looks at again although nothing may link to them.
STANDING = ("fetched", "unmodified", "failed")


async def accept_job(tx: Transaction, new: NewJob) -> None:
    """Records a job with its seeds; a job_id that is known changes nothing."""
    if not await insert_ignore(tx.connection, job, job_values(new, tx.now)):
        return
    await refuse_urls(tx, new.job_id, new.refused)
    refused = await admit_urls(tx, new.job_id, new.urls, depth=0)
    await refuse_urls(tx, new.job_id, refused)
    if new.kind == CRAWL:
        await _revisit(tx, new)
    await add_tasks(tx, new.job_id, new.robots_urls, kind=TaskKind.ROBOTS, depth=0)
    await add_tasks(tx, new.job_id, new.sitemap_urls, kind=TaskKind.SITEMAP, depth=0)
    row = await tx.first(select(job).where(job.c.job_id == new.job_id))
    assert row is not None
    await report_job(tx, row)


async def _revisit(tx: Transaction, new: NewJob) -> None:
    """Adds the pages of the scope's last crawl that still stand, at the depth they were found.

    A page that nothing links to any more changes and vanishes all the same. Pages that the rules
    or the limits no longer hold are left out in silence: nobody asked for them by name.
    """
    last = await tx.first(
        select(job.c.job_id)
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
    if last is None:
        return
    known = await tx.all(
        select(page.c.canonical_url, job_page.c.depth)
        .join(page, page.c.page_id == job_page.c.page_id)
        .where(
            job_page.c.job_id == last.job_id,
            page.c.status.in_(STANDING),
            page.c.last_observed_time.is_not(None),
        )
        .order_by(job_page.c.depth, page.c.canonical_url)
    )
    by_depth: dict[int, list[str]] = {}
    for row in known:
        by_depth.setdefault(row.depth, []).append(row.canonical_url)
    for depth, urls in by_depth.items():
        await admit_urls(tx, new.job_id, list(dict.fromkeys(urls)), depth=depth)


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
