"""Jobs in SQL."""

import dataclasses
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, Update, and_, or_, select, update

from scops.common.bus.ports import Outgoing
from scops.common.contract.ids import JobId, ScopeId
from scops.common.contract.messages.crawl import JobCounts
from scops.common.contract.messages.types import ScopeRef
from scops.common.db import Database
from scops.common.db.batches import batches
from scops.common.db.connection import Connection
from scops.common.db.locks import forget_rows
from scops.common.db.outbox import enqueue
from scops.common.db.upsert import insert_ignore
from scops.gateway.adapters.sql import requests
from scops.gateway.adapters.sql.tables import job as job_table
from scops.gateway.adapters.sql.tables import outbox
from scops.gateway.adapters.sql.tables import scope as scope_table
from scops.gateway.adapters.sql.usage import forget_days, spend
from scops.gateway.jobs.job import OPEN_STATES, ApiJobState, Job
from scops.gateway.ports import JobFilter
from scops.gateway.quotas.daily import Charge, Spending, day_of
from scops.gateway.requests.request_keys import RequestKey

COUNT_NAMES = tuple(field.name for field in dataclasses.fields(JobCounts))


class SqlJobs:
    """A `JobStore` on the gateway's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(
        self, job: Job, command: Outgoing, *, key: RequestKey | None, charge: Charge | None = None
    ) -> Job | None:
        try:
            return await self._accept(job, command, key, charge)
        except _NoRoom:
            return None

    async def _accept(
        self, job: Job, command: Outgoing, key: RequestKey | None, charge: Charge | None
    ) -> Job:
        now = job.created_time
        async with self._database.transaction() as connection:
            first = await requests.claim(connection, key, created_id=job.job_id, now=now)
            if first is not None:
                statement = select(job_table).where(job_table.c.job_id == first)
                return job_of_row((await connection.execute(statement)).one())
            if charge is not None and not await spend(connection, charge):
                # With the request's key: asked again tomorrow, it is a new request.
                raise _NoRoom
            charged = charge.amount if charge is not None else 0
            await insert_ignore(connection, job_table, _new_row(job) | {"charged": charged})
            await enqueue(connection, outbox, command, now=now)
            # Whoever accepts tidies up: the tables grow only here and with scopes, far rarer.
            await requests.forget_requests(connection, now=now)
            await forget_days(connection, today=day_of(now))
            return job

    async def get(self, job_id: JobId) -> Job | None:
        statement = select(job_table).where(job_table.c.job_id == job_id)
        return next(iter(await self._read(statement)), None)

    async def newest(self, visible: JobFilter, *, before: JobId, limit: int) -> tuple[Job, ...]:
        statement = (
            select(job_table)
            .where(job_table.c.organisation_id == visible.organisation_id)
            .order_by(job_table.c.job_id.desc())
            .limit(limit)
        )
        if visible.only_scope:
            statement = statement.where(job_table.c.scope_id == visible.only_scope)
        if before:
            statement = statement.where(job_table.c.job_id < before)
        # Some scopes at a time: what is newest of all is among what is newest of each.
        found: dict[JobId, Job] = {}
        standing = select(scope_table.c.scope_id).where(
            scope_table.c.organisation_id == visible.organisation_id,
            scope_table.c.deleted.is_(False),
        )
        for scope_ids in batches(visible.scope_ids) if visible.scope_ids else ((),):
            # A deleted scope has no row that stands; those of scopes that do are shown by these.
            own = and_(job_table.c.owner == visible.owner, job_table.c.scope_id.not_in(standing))
            theirs = or_(own, job_table.c.scope_id.in_(scope_ids))
            found |= {job.job_id: job for job in await self._read(statement.where(theirs))}
        return tuple(found[job_id] for job_id in sorted(found, reverse=True)[:limit])

    async def open_jobs(self, *, after: JobId, limit: int) -> tuple[Job, ...]:
        statement = (
            select(job_table)
            .where(job_table.c.state.in_(OPEN_STATES), job_table.c.job_id > after)
            .order_by(job_table.c.job_id)
            .limit(limit)
        )
        return await self._read(statement)

    async def request_cancel(
        self, job_id: JobId, command: Outgoing, *, now: datetime, reason: str = ""
    ) -> None:
        statement = (
            update(job_table)
            .where(
                job_table.c.job_id == job_id,
                job_table.c.state.in_(OPEN_STATES),
                job_table.c.cancel_requested.is_(False),
            )
            .values(cancel_requested=True, cancel_reason=reason, sent_at=now)
        )
        await self._write(statement, (command,), now=now)

    async def progress(self, job_id: JobId, counts: JobCounts, *, at: datetime) -> Job | None:
        statement = (
            update(job_table)
            .where(
                job_table.c.job_id == job_id,
                job_table.c.state.in_(OPEN_STATES),
                job_table.c.counted_at <= at,
            )
            .values(state=ApiJobState.RUNNING.value, counted_at=at, **_count_values(counts))
            .returning(*job_table.c)
        )
        async with self._database.transaction() as connection:
            counted = await _counted_bytes(connection, job_id)
            running = (await connection.execute(statement)).one_or_none()
            if running is not None and running.charged:
                await spend(connection, _sent(running, counted, at=at))
        return job_of_row(running) if running is not None else None

    async def finish(
        self, job_id: JobId, state: ApiJobState, counts: JobCounts, *, at: datetime
    ) -> Job | None:
        statement = (
            update(job_table)
            .where(job_table.c.job_id == job_id, job_table.c.state.in_(OPEN_STATES))
            .values(state=state.value, finished_at=at, counted_at=at, **_count_values(counts))
            .returning(*job_table.c)
        )
        async with self._database.transaction() as connection:
            counted = await _counted_bytes(connection, job_id)
            ended = (await connection.execute(statement)).one_or_none()
            if ended is not None and ended.charged:
                await spend(connection, _settled(ended))
                await spend(connection, _sent(ended, counted, at=at))
        return job_of_row(ended) if ended is not None else None

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
        await self._write(statement, commands, now=now)

    async def forget(self, *, ended_before: datetime, limit: int) -> None:
        async with self._database.transaction() as connection:
            ended = job_table.c.finished_at < ended_before
            await forget_rows(connection, job_table, ended, limit=limit)

    async def _read(self, statement: Select[Any]) -> tuple[Job, ...]:
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        return tuple(job_of_row(row) for row in rows)

    async def _write(
        self, statement: Update, commands: Sequence[Outgoing], *, now: datetime
    ) -> None:
        """Changes one job, and sends commands if it was changed."""
        async with self._database.transaction() as connection:
            if (await connection.execute(statement)).rowcount == 1:
                for command in commands:
                    await enqueue(connection, outbox, command, now=now)


class _NoRoom(Exception):
    """The owner of a job may not spend so much."""


async def _counted_bytes(connection: Connection, job_id: JobId) -> int:
    """Returns the bytes of a job that were counted, and keeps others from counting meanwhile."""
    statement = select(job_table.c.fetched_bytes).where(job_table.c.job_id == job_id)
    return (await connection.execute(statement.with_for_update())).scalar() or 0


def _settled(row: Row[Any]) -> Charge:
    """Returns the pages that an ended job took beside those that it was charged for."""
    took = row.indexed + row.unchanged + row.joined + row.gone + row.dead
    return _charge(row, Spending.FETCHES, took - row.charged, at=row.created_at)


def _sent(row: Row[Any], counted: int, *, at: datetime) -> Charge:
    """Returns the bytes of a job that were not counted before; a ledger may have been put back."""
    return _charge(row, Spending.BYTES, max(0, row.fetched_bytes - counted), at=at)


def _charge(row: Row[Any], kind: Spending, amount: int, *, at: datetime) -> Charge:
    return Charge(
        organisation_id=row.organisation_id,
        principal_id=row.owner,
        day=day_of(at),
        kind=kind,
        amount=amount,
    )


def job_of_row(row: Row[Any]) -> Job:
    """Returns the job of a row."""
    return Job(
        job_id=JobId(row.job_id),
        organisation_id=row.organisation_id,
        owner=row.owner,
        scope=ScopeRef(scope_id=ScopeId(row.scope_id), revision=row.scope_revision),
        urls=tuple(row.urls),
        page_limit=row.page_limit,
        state=ApiJobState(row.state),
        counts=JobCounts(**{name: row._mapping[name] for name in COUNT_NAMES}),
        created_time=row.created_at,
        finished_time=row.finished_at,
        cancel_requested=row.cancel_requested,
        cancel_reason=row.cancel_reason,
        attempt=row.attempt,
        sent_time=row.sent_at,
    )


def _new_row(job: Job) -> dict[str, Any]:
    """Returns the row of a job that was just accepted."""
    return {
        "job_id": job.job_id,
        "organisation_id": job.organisation_id,
        "scope_id": job.scope.scope_id,
        "scope_revision": job.scope.revision,
        "owner": job.owner,
        "urls": list(job.urls),
        "page_limit": job.page_limit,
        "state": job.state.value,
        **_count_values(job.counts),
        "counted_at": job.created_time,
        "created_at": job.created_time,
        "finished_at": job.finished_time,
        "cancel_requested": job.cancel_requested,
        "cancel_reason": job.cancel_reason,
        "attempt": job.attempt,
        "sent_at": job.sent_time,
    }


def _count_values(counts: JobCounts) -> dict[str, int]:
    """Returns the columns of a job's counts."""
    return {name: getattr(counts, name) for name in COUNT_NAMES}
