"""Jobs in SQL."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import or_, select, update

from scops.common.bus.ports import Outgoing
from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import JobCounts
from scops.common.db import Database
from scops.common.db.outbox import enqueue
from scops.common.db.upsert import insert_ignore
from scops.gateway.adapters.sql import requests
from scops.gateway.adapters.sql.job_rows import count_values, job_of_row, new_row
from scops.gateway.adapters.sql.tables import job as job_table
from scops.gateway.adapters.sql.tables import outbox
from scops.gateway.jobs.job import OPEN_STATES, ApiJobState, Job
from scops.gateway.ports import JobFilter
from scops.gateway.requests.request_keys import RequestKey


class SqlJobs:
    """A `JobStore` on the gateway's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(self, job: Job, command: Outgoing, *, key: RequestKey | None) -> Job:
        now = job.created_time
        async with self._database.transaction() as connection:
            first = await requests.claim(connection, key, created_id=job.job_id, now=now)
            if first is not None:
                statement = select(job_table).where(job_table.c.job_id == first)
                return job_of_row((await connection.execute(statement)).one())
            await insert_ignore(connection, job_table, new_row(job))
            await enqueue(connection, outbox, command, now=now)
            # Whoever accepts tidies up: the table grows only here and with scopes, far rarer.
            await requests.forget_requests(connection, now=now)
            return job

    async def get(self, job_id: JobId) -> Job | None:
        statement = select(job_table).where(job_table.c.job_id == job_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(statement)).one_or_none()
        return None if row is None else job_of_row(row)

    async def newest(self, visible: JobFilter, *, before: JobId, limit: int) -> tuple[Job, ...]:
        statement = (
            select(job_table)
            .where(
                job_table.c.organisation_id == visible.organisation_id,
                or_(
                    job_table.c.owner == visible.owner,
                    job_table.c.scope_id.in_(visible.scope_ids),
                ),
            )
            .order_by(job_table.c.job_id.desc())
            .limit(limit)
        )
        if visible.only_scope:
            statement = statement.where(job_table.c.scope_id == visible.only_scope)
        if before:
            statement = statement.where(job_table.c.job_id < before)
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        return tuple(job_of_row(row) for row in rows)

    async def open_jobs(self, *, after: JobId, limit: int) -> tuple[Job, ...]:
        statement = (
            select(job_table)
            .where(job_table.c.state.in_(OPEN_STATES), job_table.c.job_id > after)
            .order_by(job_table.c.job_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        return tuple(job_of_row(row) for row in rows)

    async def request_cancel(self, job_id: JobId, command: Outgoing, *, now: datetime) -> None:
        statement = (
            update(job_table)
            .where(
                job_table.c.job_id == job_id,
                job_table.c.state.in_(OPEN_STATES),
                job_table.c.cancel_requested.is_(False),
            )
            .values(cancel_requested=True, sent_at=now)
        )
        async with self._database.transaction() as connection:
            if (await connection.execute(statement)).rowcount == 1:
                await enqueue(connection, outbox, command, now=now)

    async def progress(self, job_id: JobId, counts: JobCounts, *, at: datetime) -> None:
        statement = (
            update(job_table)
            .where(
                job_table.c.job_id == job_id,
                job_table.c.state.in_(OPEN_STATES),
                job_table.c.counted_at <= at,
            )
            .values(state=ApiJobState.RUNNING.value, counted_at=at, **count_values(counts))
        )
        async with self._database.transaction() as connection:
            await connection.execute(statement)

    async def finish(
        self, job_id: JobId, state: ApiJobState, counts: JobCounts, *, at: datetime
    ) -> None:
        statement = (
            update(job_table)
            .where(job_table.c.job_id == job_id, job_table.c.state.in_(OPEN_STATES))
            .values(state=state.value, finished_at=at, counted_at=at, **count_values(counts))
        )
        async with self._database.transaction() as connection:
            await connection.execute(statement)

    async def resend(self, job: Job, commands: Sequence[Outgoing], *, now: datetime) -> None:
        statement = (
            update(job_table)
            .where(
                job_table.c.job_id == job.job_id,
                job_table.c.state.in_(OPEN_STATES),
                job_table.c.attempt == job.attempt - 1,
            )
            .values(attempt=job.attempt, sent_at=now)
        )
        async with self._database.transaction() as connection:
            if (await connection.execute(statement)).rowcount == 1:
                for command in commands:
                    await enqueue(connection, outbox, command, now=now)
