"""The ledger inside a transaction: rows end, and the last one ends the job."""

from collections import Counter
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, select, update

from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import CrawlFinished, CrawlProgressed, JobCounts, JobState
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import Lane
from scops.fetcher.adapters.sql.pages.templates import forget_templates
from scops.fetcher.adapters.sql.tables import job, job_page
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.outcomes import (
    Ending,
    Outcome,
)

CRAWL = "crawl"
# Keeps known pages fresh, and takes up those that nobody knew.
RECRAWL = "recrawl"
# Fetches what somebody says has changed.
SIGNALLED = "signal"
# Outcomes, or the time, after which a job's progress is published.
PROGRESS_PAGES = 20
PROGRESS_EVERY = timedelta(seconds=1)
OUTCOME_COLUMNS = {outcome: job.c[f"{outcome.value}_count"] for outcome in Outcome}


JOBS_OF_FETCH = (
    select(job.c.job_id)
    .where(
        job.c.job_id.in_(
            select(job_page.c.job_id).where(
                job_page.c.fetch_id == bindparam("of_fetch"), job_page.c.state == "open"
            )
        )
    )
    .order_by(job.c.job_id)
    .with_for_update()
)
COUNT_BYTES = (
    update(job)
    .where(
        job.c.job_id.in_(
            select(job_page.c.job_id).where(
                job_page.c.fetch_id == bindparam("of_fetch"), job_page.c.state == "open"
            )
        )
    )
    .values(fetched_bytes=job.c.fetched_bytes + bindparam("added"))
)
JOB = select(job).where(job.c.job_id == bindparam("of_job")).with_for_update()
COUNT_ENDINGS = {
    outcome: update(job)
    .where(job.c.job_id == bindparam("of_job"))
    .values(
        {
            job.c.open_count: job.c.open_count - bindparam("ended"),
            column: column + bindparam("ended"),
            job.c.unreported: job.c.unreported + bindparam("ended"),
        }
    )
    .returning(*job.c)
    for outcome, column in OUTCOME_COLUMNS.items()
}
REPORTED = update(job).where(job.c.job_id == bindparam("of_job"))


def is_ending(row: Row) -> bool:
    """Says whether a job has ended, or takes in nothing more because its end has begun."""
    return row.state != JobState.RUNNING or bool(row.ends_as)


def scope_of(job_row: Row) -> ScopeRef:
    """Returns the scope of a job."""
    return ScopeRef(scope_id=job_row.scope_id, revision=job_row.scope_revision)


def closing(condition: Any) -> Any:
    """Returns the statement that ends the open rows which a condition names, for `close_rows`."""
    return (
        update(job_page)
        .where(job_page.c.state == "open", condition)
        .values(state="closed")
        .returning(job_page.c.job_id)
    )


async def close_rows(tx: Transaction, statement: Any, ending: Ending, **values: Any) -> None:
    """Ends rows, and their jobs where none is left open.

    Args:
        statement: from `closing`.
        values: its parameters.
    """
    closed = await tx.all(
        statement,
        outcome=ending.outcome.value,
        reason=ending.reason,
        closed_time=tx.now,
        **values,
    )
    counts = Counter(row.job_id for row in closed)
    for job_id in sorted(counts):
        row = await tx.first(COUNT_ENDINGS[ending.outcome], of_job=job_id, ended=counts[job_id])
        assert row is not None
        await report_job(tx, row)


CLOSE_OF_FETCH = closing(job_page.c.fetch_id == bindparam("of_fetch"))


async def report_job(tx: Transaction, row: Row) -> None:
    """Publishes the end of a job that has nothing open, else now and then its progress."""
    if row.state != JobState.RUNNING:
        return
    if row.open_count == 0 and row.open_tasks == 0 and not row.revisits:
        await finish_job(tx, row.job_id, JobState(row.ends_as or JobState.COMPLETED))
        return
    if row.unreported >= PROGRESS_PAGES or (
        row.unreported and abs(tx.now - row.progress_time) >= PROGRESS_EVERY
    ):
        await _publish_progress(tx, row)


async def finish_job(tx: Transaction, job_id: str, state: JobState) -> None:
    """Ends a running job, once, and publishes `CrawlFinished` with the transaction."""
    row = await tx.first(
        update(job)
        .where(job.c.job_id == job_id, job.c.state == JobState.RUNNING.value)
        .values(state=state.value, finished_time=tx.now)
        .returning(*job.c)
    )
    if row is None:
        return
    await forget_templates(tx, job_id)
    event = CrawlFinished(
        job_id=JobId(job_id), state=state, counts=job_counts(row), finished_time=tx.now
    )
    await tx.send(
        event,
        cause=f"{job_id}/finished",
        ordinal=0,
        organisation_id=row.organisation_id,
        lane=Lane(row.lane),
    )


async def _publish_progress(tx: Transaction, row: Row) -> None:
    await tx.execute(
        REPORTED,
        of_job=row.job_id,
        unreported=0,
        progress_time=tx.now,
        progress_count=row.progress_count + 1,
    )
    event = CrawlProgressed(job_id=JobId(row.job_id), counts=job_counts(row))
    await tx.send(
        event,
        cause=f"{row.job_id}/progress",
        ordinal=row.progress_count,
        organisation_id=row.organisation_id,
        lane=Lane(row.lane),
    )


def job_counts(row: Row) -> JobCounts:
    """Returns a job's pages by outcome."""
    return JobCounts(
        open=row.open_count,
        indexed=row.indexed_count,
        unchanged=row.unchanged_count,
        joined=row.joined_count,
        gone=row.gone_count,
        blocked=row.blocked_count,
        dead=row.dead_count,
        cancelled=row.cancelled_count,
        fetched_bytes=row.fetched_bytes,
    )
