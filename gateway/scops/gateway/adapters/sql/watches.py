"""Watches in SQL. Locks: the watch before its deliveries."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, exists, func, insert, select

from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import NewsPlace
from scops.common.db import Database
from scops.common.db.upsert import insert_ignore
from scops.gateway.adapters.sql import watch_changes, watch_turns
from scops.gateway.adapters.sql.watch_rows import (
    delivery_of,
    failure_of,
    failure_values,
    watch_of,
    watch_values,
)
from scops.gateway.adapters.sql.watch_tables import page_failure, watch, watch_delivery
from scops.gateway.watches.store import AttemptOutcome
from scops.gateway.watches.watch import (
    AlertDelivery,
    EndReason,
    PageFailure,
    Watch,
    WatchId,
    WatchState,
    WatchTurn,
)

_ACTIVE = watch.c.state == WatchState.ACTIVE.value
_WAITS = select(exists().where(_ACTIVE, watch.c.due_at.is_(None)))
_WANTS_ERRORS = select(exists().where(_ACTIVE, watch.c.with_errors.is_(True)))


class SqlWatches:
    """A `WatchStore` on the gateway's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, made: Watch, *, limit: int) -> bool:
        owned = select(func.count()).where(
            watch.c.organisation_id == made.organisation_id, watch.c.principal == made.principal_id
        )
        async with self._database.transaction() as connection:
            if limit and (await connection.execute(owned)).scalar_one() >= limit:
                return False
            await connection.execute(insert(watch), watch_values(made))
        return True

    async def get(self, watch_id: WatchId) -> Watch | None:
        async with self._database.reading() as connection:
            found = select(watch).where(watch.c.watch_id == watch_id)
            row = (await connection.execute(found)).first()
        return None if row is None else watch_of(row)

    async def newest(
        self, organisation_id: str, principal_id: str, *, before: str, limit: int
    ) -> tuple[Watch, ...]:
        found = select(watch).where(
            watch.c.organisation_id == organisation_id, watch.c.principal == principal_id
        )
        if before:
            found = found.where(watch.c.watch_id < before)
        found = found.order_by(watch.c.watch_id.desc()).limit(limit)
        async with self._database.reading() as connection:
            return tuple(watch_of(row) for row in (await connection.execute(found)).all())

    async def change(
        self, changed: Watch, *, paused: bool | None, place: NewsPlace
    ) -> Watch | None:
        async with self._database.transaction() as connection:
            return await watch_changes.change(connection, changed, paused=paused, place=place)

    async def delete(self, watch_id: WatchId) -> bool:
        async with self._database.transaction() as connection:
            gone = await connection.execute(delete(watch).where(watch.c.watch_id == watch_id))
            mine = watch_delivery.c.watch_id == watch_id
            await connection.execute(delete(watch_delivery).where(mine))
        return gone.rowcount == 1

    async def waits_for_news(self) -> bool:
        async with self._database.reading() as connection:
            return bool((await connection.execute(_WAITS)).scalar_one())

    async def claim(
        self, *, now: datetime, until: datetime, newest: datetime | None, limit: int
    ) -> tuple[WatchTurn, ...]:
        async with self._database.transaction() as connection:
            return await watch_turns.claim(
                connection, now=now, until=until, newest=newest, limit=limit
            )

    async def begin(self, delivery: AlertDelivery) -> bool:
        async with self._database.transaction() as connection:
            return await watch_turns.begin(connection, delivery)

    async def pass_by(self, passing: Watch, place: NewsPlace, *, due_time: datetime | None) -> None:
        async with self._database.transaction() as connection:
            await watch_turns.move(
                connection,
                passing.watch_id,
                passing.place,
                place,
                due_at=due_time,
                claimed_until=None,
            )

    async def postpone(self, watch_id: WatchId, *, due_time: datetime, failure: str = "") -> None:
        async with self._database.transaction() as connection:
            await watch_turns.postpone(connection, watch_id, due_time=due_time, failure=failure)

    async def settle(self, delivery: AlertDelivery, outcome: AttemptOutcome) -> None:
        async with self._database.transaction() as connection:
            await watch_turns.settle(connection, delivery, outcome)

    async def end(self, watch_id: WatchId, reason: EndReason, *, at: datetime) -> None:
        async with self._database.transaction() as connection:
            await watch_turns.end_watch(connection, watch_id, reason, at=at)

    async def deliveries(self, watch_id: WatchId, *, limit: int) -> tuple[AlertDelivery, ...]:
        found = (
            select(watch_delivery)
            .where(watch_delivery.c.watch_id == watch_id)
            .order_by(watch_delivery.c.delivery_id.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return tuple(delivery_of(row) for row in (await connection.execute(found)).all())

    async def note_failure(self, failure: PageFailure) -> bool:
        async with self._database.reading() as connection:
            if not (await connection.execute(_WANTS_ERRORS)).scalar_one():
                return False
        async with self._database.transaction() as connection:
            return await insert_ignore(connection, page_failure, failure_values(failure))

    async def newest_failure(self, organisation_id: str) -> datetime | None:
        newest = select(func.max(page_failure.c.recorded_at)).where(
            page_failure.c.organisation_id == organisation_id
        )
        async with self._database.reading() as connection:
            found: datetime | None = (await connection.execute(newest)).scalar_one()
        return found

    async def failures(
        self,
        organisation_id: str,
        *,
        after: datetime,
        until: datetime,
        page_id: PageId | None,
        limit: int,
    ) -> Sequence[PageFailure]:
        found = (
            select(page_failure)
            .where(page_failure.c.organisation_id == organisation_id)
            .where(page_failure.c.recorded_at > after, page_failure.c.recorded_at <= until)
            .order_by(page_failure.c.recorded_at, page_failure.c.page_id)
            .limit(limit)
        )
        if page_id is not None:
            found = found.where(page_failure.c.page_id == page_id)
        async with self._database.reading() as connection:
            return tuple(failure_of(row) for row in (await connection.execute(found)).all())

    async def release(self) -> None:
        async with self._database.transaction() as connection:
            await watch_turns.release(connection)

    async def forget(self, *, before: datetime, limit: int) -> int:
        async with self._database.transaction() as connection:
            return await watch_turns.forget(connection, before=before, limit=limit)
