"""Pages to be chunked anew, in SQL."""

import asyncio
from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, bindparam, delete, func, or_, select

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

# Whose standing versions one statement looks at.
PAGES_AT_ONCE = 500
_pages = (
    select(page_address)
    .where(
        page_address.c.organisation_id == bindparam("of_organisation"),
        page_address.c.page_id > bindparam("of_page"),
    )
    .order_by(page_address.c.page_id)
    .limit(bindparam("at_most"))
    .subquery()
)
_later = version.alias()
_epoch = (
    select(template_host.c.epoch)
    .where(
        template_host.c.organisation_id == _pages.c.organisation_id,
        template_host.c.host == _pages.c.host,
    )
    .scalar_subquery()
)
_outdated = (
    select(version.c.version_id)
    .join(
        run,
        and_(run.c.page_id == version.c.page_id, run.c.observed_from == version.c.observed_from),
    )
    .where(
        version.c.page_id == _pages.c.page_id,
        run.c.observed_to.is_(None),
        run.c.kind == ObservationKind.TEXT.value,
        or_(
            version.c.chunking != bindparam("chunking"),
            version.c.template_epoch != func.coalesce(_epoch, 0),
        ),
        ~select(_later.c.version_id)
        .where(
            _later.c.page_id == version.c.page_id,
            _later.c.observed_from == version.c.observed_from,
            _later.c.revision > version.c.revision,
        )
        .exists(),
    )
    .exists()
)
_LOOKED_AT = select(_pages, _outdated.label("outdated")).order_by(_pages.c.page_id)


class SqlRechunks:
    """Implements the `RechunkQueue` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def outdated(
        self, organisation_id: str, chunking: str, *, limit: int
    ) -> Sequence[PageAddress]:
        outdated: list[PageAddress] = []
        named: dict[str, Any] = {"of_organisation": organisation_id, "chunking": chunking}
        named |= {"of_page": "", "at_most": PAGES_AT_ONCE}
        async with self._database.reading() as connection:
            while True:
                found = (await connection.execute(_LOOKED_AT, named)).all()
                outdated += [address_of(row) for row in found if row.outdated]
                if len(found) < PAGES_AT_ONCE or len(outdated) >= limit:
                    return tuple(outdated[:limit])
                named["of_page"] = found[-1].page_id
                await asyncio.sleep(0)

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
