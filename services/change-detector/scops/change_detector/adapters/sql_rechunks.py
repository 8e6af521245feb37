"""Pages to be chunked anew, in SQL."""

from collections.abc import Sequence

from sqlalchemy import and_, delete, func, or_, select

from scops.change_detector.adapters import sql_rows as rows
from scops.change_detector.adapters.sql_addresses import address_of
from scops.change_detector.adapters.tables import (
    observation,
    page_address,
    rechunk,
    run,
    template_host,
    version,
)
from scops.change_detector.timeline.records import PageAddress
from scops.change_detector.timeline.runs import Observation, ObservationKind
from scops.common.contract.ids import PageId
from scops.common.db.database import Database
from scops.common.db.upsert import insert_ignore


class SqlRechunks:
    """Implements the `RechunkQueue` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def outdated(
        self, organisation_id: str, chunking: str, *, limit: int
    ) -> Sequence[PageAddress]:
        newest = (
            select(
                version.c.page_id,
                version.c.observed_from,
                func.max(version.c.revision).label("revision"),
            )
            .group_by(version.c.page_id, version.c.observed_from)
            .subquery()
        )
        found = (
            select(page_address)
            .join(run, run.c.page_id == page_address.c.page_id)
            .join(
                newest,
                and_(
                    newest.c.page_id == run.c.page_id,
                    newest.c.observed_from == run.c.observed_from,
                ),
            )
            .join(
                version,
                and_(
                    version.c.page_id == newest.c.page_id,
                    version.c.observed_from == newest.c.observed_from,
                    version.c.revision == newest.c.revision,
                ),
            )
            .outerjoin(
                template_host,
                and_(
                    template_host.c.organisation_id == page_address.c.organisation_id,
                    template_host.c.host == page_address.c.host,
                ),
            )
            .where(
                page_address.c.organisation_id == organisation_id,
                run.c.observed_to.is_(None),
                run.c.kind == ObservationKind.TEXT.value,
                or_(
                    version.c.chunking != chunking,
                    version.c.template_epoch != func.coalesce(template_host.c.epoch, 0),
                ),
            )
            .order_by(page_address.c.page_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return tuple(address_of(row) for row in (await connection.execute(found)).all())

    async def ask(self, page_ids: Sequence[PageId]) -> None:
        async with self._database.transaction() as connection:
            # In one order: two who ask for the same pages must not wait for each other.
            for page_id in sorted(page_ids):
                await insert_ignore(connection, rechunk, {"page_id": page_id})

    async def waiting(self) -> int:
        async with self._database.reading() as connection:
            count = await connection.execute(select(func.count()).select_from(rechunk))
            return int(count.scalar_one())

    async def next(self, *, limit: int) -> Sequence[PageAddress]:
        found = (
            select(page_address)
            .join(rechunk, rechunk.c.page_id == page_address.c.page_id)
            .order_by(rechunk.c.page_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return tuple(address_of(row) for row in (await connection.execute(found)).all())

    async def done(self, page_id: PageId) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(delete(rechunk).where(rechunk.c.page_id == page_id))

    async def newest_observation(self, page_id: PageId) -> Observation | None:
        found = (
            select(observation)
            .where(observation.c.page_id == page_id)
            .order_by(observation.c.observed_time.desc())
            .limit(1)
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(found)).first()
        return rows.observation_of(row) if row else None
