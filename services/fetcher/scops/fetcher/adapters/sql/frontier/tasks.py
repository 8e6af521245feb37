"""Sitemaps of crawls inside a transaction: each read once for a job, and counted as open."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select, update

from scops.common.contract.ids import JobId, derived_id
from scops.common.contract.service_table import Lane
from scops.common.db.upsert import insert_ignore
from scops.common.scope.urls import host_key
from scops.fetcher.adapters.sql.frontier.queue import enqueue_entries
from scops.fetcher.adapters.sql.frontier.robots import stored_policy
from scops.fetcher.adapters.sql.ledger.jobs import is_ending, report_job
from scops.fetcher.adapters.sql.tables import job, task
from scops.fetcher.adapters.sql.transaction import Entry, EntryKind, Row, Transaction
from scops.fetcher.discovery.sitemap import SITEMAP_DEPTH_MAX, SITEMAPS_PER_JOB_MAX
from scops.fetcher.frontier.leases import HostLease, TaskKind, TaskLease

TASK_MARK = "task-"


async def add_tasks(
    tx: Transaction, job_id: str, urls: Sequence[str], *, kind: TaskKind, depth: int
) -> None:
    """Queues sitemaps for a job, within its bounds; those it has already are left out."""
    if not urls or depth > SITEMAP_DEPTH_MAX:
        return
    row = await tx.first(select(job).where(job.c.job_id == job_id).with_for_update())
    if row is None or is_ending(row):
        return
    counted = select(func.count().label("held")).where(task.c.job_id == job_id)
    found = await tx.first(counted)
    free = SITEMAPS_PER_JOB_MAX - (found.held if found else 0)
    added = [
        entry
        for url in dict.fromkeys(urls[: max(free, 0)])
        if (entry := await _add_task(tx, row, url, kind, depth)) is not None
    ]
    await tx.execute(
        update(job).where(job.c.job_id == job_id).values(open_tasks=job.c.open_tasks + len(added))
    )
    enqueue_entries(tx, added)


async def _add_task(
    tx: Transaction, row: Row, url: str, kind: TaskKind, depth: int
) -> Entry | None:
    # After the ids of pages: of what is due at once, the queue gives pages first.
    task_id = TASK_MARK + derived_id("task", row.job_id, url)
    inserted = await insert_ignore(
        tx.connection,
        task,
        {
            "task_id": task_id,
            "job_id": row.job_id,
            "kind": kind.value,
            "url": url,
            "host_key": host_key(url),
            "depth": depth,
            "state": "waiting",
            "lease_id": None,
            "attempts": 0,
        },
    )
    if not inserted:
        return None
    return Entry(
        entry_id=task_id,
        kind=EntryKind.TASK,
        host_key=host_key(url),
        lane=Lane(row.lane),
        due_time=tx.now,
    )


async def queue_task(tx: Transaction, task_id: str, *, due_time: datetime, failed: bool) -> None:
    """Lets a leased sitemap wait again."""
    row = await tx.first(
        update(task)
        .where(task.c.task_id == task_id)
        .values(state="waiting", lease_id=None, attempts=task.c.attempts + int(failed))
        .returning(*task.c)
    )
    assert row is not None
    lane = await tx.first(select(job.c.lane).where(job.c.job_id == row.job_id))
    assert lane is not None
    entry = Entry(
        entry_id=task_id,
        kind=EntryKind.TASK,
        host_key=row.host_key,
        lane=Lane(lane.lane),
        due_time=due_time,
    )
    enqueue_entries(tx, [entry])


async def end_task(tx: Transaction, task_id: str) -> None:
    """Ends a sitemap, and its job where nothing else is open."""
    ended = await tx.first(
        update(task)
        .where(task.c.task_id == task_id, task.c.state != "done")
        .values(state="done", lease_id=None)
        .returning(task.c.job_id)
    )
    if ended is None:
        return
    row = await tx.first(
        update(job)
        .where(job.c.job_id == ended.job_id)
        .values(open_tasks=job.c.open_tasks - 1)
        .returning(*job.c)
    )
    assert row is not None
    await report_job(tx, row)


async def lease_task(tx: Transaction, entry: Row, held: HostLease) -> TaskLease | None:
    """Leases the sitemap of an entry; None where its job has ended."""
    row = await tx.first(
        select(*task.c, job.c.lane)
        .join(job, job.c.job_id == task.c.job_id)
        .where(task.c.task_id == entry.entry_id, task.c.state == "waiting")
    )
    if row is None:
        return None
    taken = await tx.execute(
        update(task)
        .where(task.c.task_id == row.task_id, task.c.state == "waiting")
        .values(state="leased", lease_id=held.lease_id)
    )
    if taken.rowcount == 0:
        # Its job was cancelled just now.
        return None
    return TaskLease(
        task_id=row.task_id,
        job_id=JobId(row.job_id),
        kind=TaskKind(row.kind),
        url=row.url,
        lane=Lane(row.lane),
        depth=row.depth,
        attempts=row.attempts,
        host=held,
        robots=await stored_policy(tx, row.url),
    )


async def is_leased(tx: Transaction, lease: TaskLease) -> bool:
    """Says whether a sitemap is still ours, and locks it."""
    mine = (
        (task.c.task_id == lease.task_id)
        & (task.c.state == "leased")
        & (task.c.lease_id == lease.host.lease_id)
    )
    return await tx.first(select(task.c.task_id).where(mine).with_for_update()) is not None
