"""Purges in SQL: the record of each is kept."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, false, or_, select, update

from scops.common.bus.ports import Outgoing
from scops.common.contract import wire
from scops.common.contract.ids import PurgeId, ScopeId
from scops.common.contract.messages.purge import PurgeApplied, PurgePages
from scops.common.db import Database
from scops.common.db.connection import Connection
from scops.common.db.outbox import enqueue
from scops.common.db.upsert import insert_ignore
from scops.gateway.adapters.sql import requests
from scops.gateway.adapters.sql.tables import outbox, purge_report
from scops.gateway.adapters.sql.tables import purge as purge_table
from scops.gateway.purges.purge import Purge, is_done, with_progress
from scops.gateway.requests.request_keys import RequestKey

UNDER_WAY_MAX = 1000


class SqlPurgeLog:
    """A `PurgeLog` on the gateway's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def accept(self, purge: Purge, command: Outgoing, *, key: RequestKey | None) -> Purge:
        now = purge.created_time
        async with self._database.transaction() as connection:
            first = await requests.claim(connection, key, created_id=purge.purge_id, now=now)
            if first is not None:
                found = await _purge(connection, PurgeId(first))
                assert found is not None, "the record of a purge is kept"
                return found
            await insert_ignore(connection, purge_table, _row_of(purge, command))
            await enqueue(connection, outbox, command, now=now)
            return with_progress(purge, ())

    async def get(self, purge_id: PurgeId) -> Purge | None:
        async with self._database.reading() as connection:
            return await _purge(connection, purge_id)

    async def newest(
        self, organisation_id: str, *, before: PurgeId, limit: int
    ) -> tuple[Purge, ...]:
        found = (
            select(purge_table.c.purge_id)
            .where(purge_table.c.organisation_id == organisation_id)
            .order_by(purge_table.c.purge_id.desc())
            .limit(limit)
        )
        if before:
            found = found.where(purge_table.c.purge_id < before)
        return await self._purges(found)

    async def under_way(self, *, ended_after: datetime | None = None) -> tuple[Purge, ...]:
        runs = purge_table.c.finished_at.is_(None)
        ended = purge_table.c.finished_at >= ended_after if ended_after else false()
        found = (
            select(purge_table)
            .where(or_(runs, ended))
            .order_by(purge_table.c.purge_id)
            .limit(UNDER_WAY_MAX)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(found)).all()
        return tuple(_purge_of(row) for row in rows)

    async def note(self, report: PurgeApplied, *, now: datetime) -> None:
        row = {
            "purge_id": report.purge_id,
            "attempt": report.attempt,
            "owner": report.owner,
            "batch": report.batch,
            "data": wire.encode(report),
        }
        mine = purge_table.c.purge_id == report.purge_id
        async with self._database.transaction() as connection:
            locked = select(purge_table.c.purge_id).where(mine).with_for_update()
            if (await connection.execute(locked)).first() is None:
                return
            await insert_ignore(connection, purge_report, row)
            purge = await _purge(connection, report.purge_id)
            assert purge is not None
            values: dict[str, Any] = {"sent_at": now}
            if is_done(purge) and purge.finished_time is None:
                values["finished_at"] = now
            await connection.execute(update(purge_table).where(mine).values(values))

    async def resend(self, purge: Purge, command: Outgoing, *, now: datetime) -> None:
        again = (
            update(purge_table)
            .where(
                purge_table.c.purge_id == purge.purge_id,
                purge_table.c.attempt == purge.attempt - 1,
                purge_table.c.finished_at.is_(None),
            )
            .values(attempt=purge.attempt, sent_at=now)
        )
        async with self._database.transaction() as connection:
            if (await connection.execute(again)).rowcount == 1:
                await enqueue(connection, outbox, command, now=now)

    async def _purges(self, found: Any) -> tuple[Purge, ...]:
        async with self._database.reading() as connection:
            ids = [PurgeId(row.purge_id) for row in await connection.execute(found)]
            purges = [await _purge(connection, purge_id) for purge_id in ids]
        return tuple(purge for purge in purges if purge is not None)


async def _purge(connection: Connection, purge_id: PurgeId) -> Purge | None:
    found = select(purge_table).where(purge_table.c.purge_id == purge_id)
    row = (await connection.execute(found)).first()
    if row is None:
        return None
    return with_progress(_purge_of(row), await _reports(connection, purge_id))


async def _reports(connection: Connection, purge_id: PurgeId) -> Sequence[PurgeApplied]:
    found = select(purge_report.c.data).where(purge_report.c.purge_id == purge_id)
    rows = (await connection.execute(found)).all()
    return [wire.decode(PurgeApplied, row.data) for row in rows]


def _row_of(purge: Purge, command: Outgoing) -> dict[str, Any]:
    return {
        "purge_id": purge.purge_id,
        "organisation_id": purge.organisation_id,
        "principal": purge.principal,
        "scope_id": purge.scope_id,
        "reason": purge.reason,
        "command": wire.encode(command.message),
        "created_at": purge.created_time,
        "finished_at": None,
        "attempt": purge.attempt,
        "sent_at": purge.sent_time,
    }


def _purge_of(row: Row[Any]) -> Purge:
    command = wire.decode(PurgePages, row.command)
    return Purge(
        purge_id=PurgeId(row.purge_id),
        organisation_id=row.organisation_id,
        principal=row.principal,
        selector=command.selector,
        scope_id=ScopeId(row.scope_id),
        before_time=command.before_time,
        reason=row.reason,
        created_time=row.created_at,
        sent_time=row.sent_at,
        attempt=row.attempt,
        finished_time=row.finished_at,
    )
