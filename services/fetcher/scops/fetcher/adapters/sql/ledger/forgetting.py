"""Forgets what nobody asked for and nobody can ask about: recrawls that ended long ago."""

from datetime import datetime

from sqlalchemy import select

from scops.common.db.locks import forget_rows
from scops.fetcher.adapters.sql.ledger.jobs import RECRAWL
from scops.fetcher.adapters.sql.tables import job, job_page, job_template, task
from scops.fetcher.adapters.sql.transaction import Transaction

JOBS_PER_ROUND = 200


async def forget_recrawls(tx: Transaction, *, before: datetime) -> None:
    """Drops jobs of the recrawl that ended before an instant, with their rows."""
    found = await tx.all(
        select(job.c.job_id)
        .where(job.c.accepted_time < before, job.c.kind == RECRAWL, job.c.finished_time < before)
        .order_by(job.c.accepted_time)
        .limit(JOBS_PER_ROUND)
    )
    ended = [row.job_id for row in found]
    if not ended:
        return
    for table in (job_page, task, job_template, job):
        await forget_rows(tx.connection, table, table.c.job_id.in_(ended))
