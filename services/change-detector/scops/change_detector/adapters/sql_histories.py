"""Histories in SQL: the timelines, for reading."""

from datetime import datetime
from typing import Any

from sqlalchemy import Row, or_, select

from scops.change_detector.adapters import sql_rows as rows
from scops.change_detector.adapters.sql_timeline_statements import versions_with_runs
from scops.change_detector.adapters.tables import observation, run, version
from scops.change_detector.timeline.records import PURGED, HistoricVersion, PageHistory
from scops.change_detector.timeline.runs import ObservationKind
from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.types import OrderKey
from scops.common.db.connection import Connection
from scops.common.db.database import Database


class SqlHistories:
    """Implements the `HistoryReader` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def history(
        self, page_id: PageId, *, limit: int, before: OrderKey | None = None
    ) -> PageHistory | None:
        wanted = versions_with_runs(page_id).limit(limit)
        if before is not None:
            at = version.c.observed_from == before.observed_from
            earlier = version.c.observed_from < before.observed_from
            wanted = wanted.where(earlier | (at & (version.c.revision < before.revision)))
        async with self._database.reading() as connection:
            newest = await _runs(connection, page_id, limit=1)
            if not newest:
                return None
            found = await connection.execute(wanted)
            versions = tuple([await _historic(connection, row) for row in found.all()])
            purged = await _purged(connection, newest[0])
            if purged is not None:
                return PageHistory(versions=versions, closed_time=purged, closed_reason=PURGED)
            if newest[0].kind != ObservationKind.GONE.value:
                return PageHistory(versions=versions)
            return PageHistory(
                versions=versions,
                closed_time=newest[0].first_observed,
                closed_reason=await _reason(connection, page_id, newest[0].last_observed),
            )

    async def version(self, page_id: PageId, version_id: VersionId) -> HistoricVersion | None:
        async with self._database.reading() as connection:
            found = versions_with_runs(page_id).where(version.c.version_id == version_id)
            row = (await connection.execute(found)).first()
            return await _historic(connection, row) if row else None

    async def newest(
        self, page_id: PageId, *, before: datetime | None = None
    ) -> HistoricVersion | None:
        found = versions_with_runs(page_id).limit(1)
        if before is not None:
            found = found.where(version.c.observed_from < before)
        async with self._database.reading() as connection:
            row = (await connection.execute(found)).first()
            return await _historic(connection, row) if row else None

    async def standing(self, page_id: PageId, *, at: datetime) -> HistoricVersion | None:
        found = versions_with_runs(page_id).where(
            run.c.first_observed <= at,
            or_(run.c.observed_to.is_(None), run.c.observed_to > at),
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(found.limit(1))).first()
            return await _historic(connection, row) if row else None


async def _historic(connection: Connection, row: Row[Any]) -> HistoricVersion:
    earlier = await _runs(connection, PageId(row.page_id), before=row.first_observed, limit=1)
    return rows.historic_version_of(row, earlier[0].last_observed if earlier else None)


async def _runs(
    connection: Connection, page_id: PageId, *, before: datetime | None = None, limit: int
) -> list[Row[Any]]:
    """Returns the newest runs of a page, of those that began before an instant."""
    found = select(run).where(run.c.page_id == page_id)
    if before is not None:
        found = found.where(run.c.first_observed < before)
    ordered = found.order_by(run.c.first_observed.desc()).limit(limit)
    return list((await connection.execute(ordered)).all())


async def _purged(connection: Connection, newest: Row[Any]) -> datetime | None:
    """Returns since when the versions of a run are purged; None where one is kept, or none was."""
    of_run = (version.c.page_id == newest.page_id) & (
        version.c.observed_from == newest.observed_from
    )
    found = select(version).where(of_run).order_by(version.c.dropped_reason == PURGED).limit(1)
    row = (await connection.execute(found)).first()
    if row is None or row.dropped_reason != PURGED:
        return None
    dropped: datetime = row.dropped_time
    return dropped


async def _reason(connection: Connection, page_id: PageId, at: datetime) -> str:
    found = select(observation.c.reason).where(
        observation.c.page_id == page_id, observation.c.observed_time == at
    )
    return str((await connection.execute(found.limit(1))).scalar() or "")
