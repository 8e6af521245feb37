"""Ends the open rows of a job inside a transaction, some at a time."""

from sqlalchemy import bindparam, literal_column, select, update

from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import JobState
from scops.fetcher.adapters.sql.frontier.queue import forget_unwanted
from scops.fetcher.adapters.sql.ledger.jobs import OUTCOME_COLUMNS
from scops.fetcher.adapters.sql.tables import job, job_page, task
from scops.fetcher.adapters.sql.transaction import Transaction
from scops.fetcher.frontier.outcomes import Ending

# Rows, and sitemaps, of a job that is ended are closed so many in a transaction.
ENDED_AT_ONCE = 500
_OPEN_ROWS = select(job_page.c.page_id).where(
    job_page.c.job_id == bindparam("of_job"), job_page.c.state == literal_column("'open'")
)
CLOSE_SOME = (
    update(job_page)
    .where(
        job_page.c.job_id == bindparam("of_job"),
        job_page.c.page_id.in_(_OPEN_ROWS.limit(ENDED_AT_ONCE)),
    )
    .values(state="closed")
    .returning(job_page.c.page_id)
)
_OPEN_TASKS = select(task.c.task_id).where(
    task.c.job_id == bindparam("of_job"), task.c.state != "done"
)
END_SOME_TASKS = (
    update(task)
    .where(task.c.task_id.in_(_OPEN_TASKS.limit(ENDED_AT_ONCE)))
    .values(state="done", lease_id=None)
    .returning(task.c.task_id)
)


async def end_some_rows(
    tx: Transaction, job_id: JobId, ending: Ending, *, ends_as: JobState
) -> bool:
    """Ends some open rows and sitemaps of a job; returns whether none are left."""
    rows = await tx.all(
        CLOSE_SOME,
        of_job=job_id,
        outcome=ending.outcome.value,
        reason=ending.reason,
        closed_time=tx.now,
    )
    ended = await tx.all(END_SOME_TASKS, of_job=job_id)
    column = OUTCOME_COLUMNS[ending.outcome]
    counts = {
        job.c.open_count: job.c.open_count - len(rows),
        job.c.open_tasks: job.c.open_tasks - len(ended),
        column: column + len(rows),
        job.c.ends_as: ends_as.value,
    }
    await tx.execute(update(job).where(job.c.job_id == job_id).values(counts))
    pages = [row.page_id for row in rows]
    await forget_unwanted(tx, pages, [row.task_id for row in ended])
    return max(len(rows), len(ended)) < ENDED_AT_ONCE
