"""Jobs as they begin: their row, their seeds, and what a crawl of a known scope looks at again."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import select

from scops.common.contract.messages.crawl import JobState
from scops.common.db.upsert import insert_ignore
from scops.common.observe.trail import current, to_text
from scops.fetcher.adapters.sql.frontier.tasks import add_tasks
from scops.fetcher.adapters.sql.ledger.admitting import admit_urls, refuse_urls
from scops.fetcher.adapters.sql.ledger.jobs import CRAWL, OUTCOME_COLUMNS, RECRAWL, report_job
from scops.fetcher.adapters.sql.ledger.revisits import (
    RESTS,
    begin_revisit,
    last_crawl,
    may_rest_on,
)
from scops.fetcher.adapters.sql.tables import job
from scops.fetcher.adapters.sql.transaction import Transaction
from scops.fetcher.frontier.leases import TaskKind
from scops.fetcher.ports.ledger import NewJob


async def accept_job(tx: Transaction, new: NewJob) -> None:
    """Records a job with its seeds; a job_id that is known changes nothing."""
    key = tx.rules.rules_key(new.scope)
    values = job_values(new, tx.now) | {"rules_key": key, "links_time": tx.now}
    if not await insert_ignore(tx.connection, job, values):
        return
    await refuse_urls(tx, new.job_id, new.refused)
    admitted = await admit_urls(tx, new.job_id, new.urls, depth=0)
    await refuse_urls(tx, new.job_id, admitted.refused)
    last = await last_crawl(tx, new) if new.kind in (CRAWL, RECRAWL) else None
    if last is not None and new.kind == CRAWL:
        await begin_revisit(tx, new.job_id, last)
    elif last is not None and may_rest_on(tx, last, key):
        # Pages that it comes across have due times of their own, so it need not hold them.
        await tx.execute(RESTS, of_job=new.job_id, base=last.job_id, base_time=last.links_time)
    await add_tasks(tx, new.job_id, new.robots_urls, kind=TaskKind.ROBOTS, depth=0)
    await add_tasks(tx, new.job_id, new.sitemap_urls, kind=TaskKind.SITEMAP, depth=0)
    row = await tx.first(select(job).where(job.c.job_id == new.job_id))
    assert row is not None
    await report_job(tx, row)


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
