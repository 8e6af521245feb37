"""Deletes what timelines need no more, in SQL."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, delete, exists, or_, select, update

from scops.change_detector.adapters.tables import (
    news,
    observation,
    page,
    pin,
    run,
    settled_news,
    verdict,
)
from scops.change_detector.timeline.runs import ObservationKind
from scops.common.contract.ids import PageId
from scops.common.db.batches import batches_in_turns, rows_of
from scops.common.db.database import Database
from scops.common.db.locks import FORGOTTEN_AT_ONCE, forget_rows
from scops.common.db.types import UtcDateTime


def _spare_statement() -> Select[Any]:
    """Selects the observations of some pages that no interval and no coming fetch needs."""
    seen, later = observation, observation.alias("later")
    before = bindparam("before", type_=UtcDateTime)
    names_an_interval = exists().where(
        run.c.page_id == seen.c.page_id,
        or_(
            run.c.observed_from == seen.c.observed_time,
            run.c.first_observed == seen.c.observed_time,
            run.c.last_observed == seen.c.observed_time,
        ),
    )
    # The fetcher confirms the newest body that it knows to be indexed, and no older one.
    a_newer_body = exists().where(
        later.c.page_id == seen.c.page_id,
        later.c.observed_time > seen.c.observed_time,
        later.c.observed_time < before,
        later.c.kind == ObservationKind.TEXT.value,
        later.c.unmodified.is_(False),
    )
    confirmed_no_more = or_(
        seen.c.unmodified.is_(True), seen.c.kind == ObservationKind.GONE.value, a_newer_body
    )
    return (
        select(seen.c.page_id, seen.c.fetch_id)
        .where(
            seen.c.page_id.in_(bindparam("of_pages", expanding=True)),
            seen.c.observed_time < before,
            seen.c.unmodified.is_not(None),
            ~names_an_interval,
            confirmed_no_more,
        )
        .order_by(seen.c.page_id)
    )


_SPARE = _spare_statement()


class SqlCompaction:
    """Implements the `TimelineCompaction` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pages(self, *, after: PageId, limit: int) -> Sequence[PageId]:
        found = (
            select(page.c.page_id)
            .where(page.c.page_id > after)
            .order_by(page.c.page_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [PageId(row.page_id) for row in (await connection.execute(found)).all()]

    async def compact(self, page_ids: Sequence[PageId], *, observed_before: datetime) -> int:
        named: dict[str, Any] = {"of_pages": list(page_ids), "before": observed_before}
        async with self._database.reading() as connection:
            spare = await rows_of(connection, _SPARE, named)
        if not spare:
            return 0
        touched = sorted({row.page_id for row in spare})
        named["of_pages"] = touched
        async with self._database.transaction() as connection:
            # Whoever places an observation of one of the pages meanwhile begins again.
            for page_id in touched:
                await connection.execute(
                    update(page)
                    .where(page.c.page_id == page_id)
                    .values(sequence=page.c.sequence + 1)
                )
            spare = await rows_of(connection, _SPARE, named)
            async for batch in batches_in_turns([row.fetch_id for row in spare]):
                await connection.execute(delete(verdict).where(verdict.c.fetch_id.in_(batch)))
                await connection.execute(
                    delete(observation).where(observation.c.fetch_id.in_(batch))
                )
        return len(spare)

    async def forget_pins(self, *, ended_before: datetime) -> None:
        async with self._database.transaction() as connection:
            await forget_rows(connection, pin, pin.c.until < ended_before)

    async def forget_news(self, *, recorded_before: datetime) -> bool:
        more = False
        for kind in (news, settled_news):
            async with self._database.transaction() as connection:
                gone = await forget_rows(connection, kind, kind.c.recorded_time < recorded_before)
            more = more or gone == FORGOTTEN_AT_ONCE
        return more
