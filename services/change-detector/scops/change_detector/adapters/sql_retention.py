"""What is kept, and for how long, in SQL."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, Select, delete, func, or_, select, update

from scops.change_detector.adapters import sql_rows as rows
from scops.change_detector.adapters.sql_addresses import address_of
from scops.change_detector.adapters.sql_purges import note_garbage
from scops.change_detector.adapters.tables import (
    dropped_version,
    garbage,
    left_blob,
    page,
    page_address,
    pin,
    run,
    version,
)
from scops.change_detector.timeline.records import Dropped, HistoricVersion, PageAddress, Pin
from scops.common.contract.ids import PageId, VersionId
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.upsert import insert_ignore, insert_ignore_many, upsert

RENEWED_AFTER = timedelta(days=1)


class SqlRetention:
    """Implements the `RetentionStore` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def addresses(self, *, after: PageId, limit: int) -> Sequence[PageAddress]:
        found = (
            select(page_address)
            .where(page_address.c.page_id > after)
            .order_by(page_address.c.page_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return tuple(address_of(row) for row in (await connection.execute(found)).all())

    async def drop(
        self, page_id: PageId, *, ended_before: datetime, reason: str, now: datetime
    ) -> int:
        pinned = select(pin.c.version_id).where(pin.c.page_id == page_id, pin.c.until > now)
        ended = (
            select(version.c.version_id)
            .join(
                run,
                (run.c.page_id == version.c.page_id)
                & (run.c.observed_from == version.c.observed_from),
            )
            .where(
                version.c.page_id == page_id,
                version.c.dropped_time.is_(None),
                run.c.observed_to < ended_before,
                version.c.version_id.not_in(pinned),
            )
            .order_by(version.c.version_id)
        )
        left = _left_behind(page_id, ended_before)
        async with self._database.reading() as connection:
            found = [await connection.execute(one.limit(1)) for one in (ended, left)]
            if all(result.first() is None for result in found):
                return 0
        async with self._database.transaction() as connection:
            # Whoever places an observation of the page meanwhile begins again.
            await connection.execute(
                update(page).where(page.c.page_id == page_id).values(sequence=page.c.sequence + 1)
            )
            versions = [row.version_id for row in (await connection.execute(ended)).all()]
            for version_id in versions:
                await connection.execute(
                    update(version)
                    .where(version.c.version_id == version_id)
                    .values(dropped_time=now, dropped_reason=reason)
                )
                row = {"version_id": version_id, "page_id": page_id}
                await insert_ignore(connection, dropped_version, row)
            await _drop_left(connection, left, now=now)
        return len(versions)

    async def untold(self, *, limit: int) -> Sequence[Dropped]:
        found = (
            select(version, page.c.organisation_id)
            .join(dropped_version, dropped_version.c.version_id == version.c.version_id)
            .join(page, page.c.page_id == version.c.page_id)
            .order_by(version.c.page_id, version.c.version_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return tuple(_dropped_of(row) for row in (await connection.execute(found)).all())

    async def told(self, dropped: Sequence[Dropped], *, now: datetime) -> None:
        digests = {
            digest
            for item in dropped
            for digest in (item.manifest.digest, item.text_digest, item.document_digest)
            if digest
        }
        async with self._database.transaction() as connection:
            await insert_ignore_many(
                connection,
                garbage,
                [{"digest": digest, "noted_time": now} for digest in sorted(digests)],
            )
            for item in dropped:
                await connection.execute(
                    delete(dropped_version).where(dropped_version.c.version_id == item.version_id)
                )

    async def garbage(self, *, noted_before: datetime, limit: int) -> Sequence[str]:
        found = (
            select(garbage.c.digest)
            .where(garbage.c.noted_time < noted_before, garbage.c.aside_time.is_(None))
            .order_by(garbage.c.noted_time, garbage.c.digest)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [row.digest for row in (await connection.execute(found)).all()]

    async def set_aside(self, digest: str, *, now: datetime) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(
                update(garbage).where(garbage.c.digest == digest).values(aside_time=now)
            )

    async def aside(self, *, before: datetime, limit: int) -> Sequence[str]:
        found = (
            select(garbage.c.digest)
            .where(garbage.c.aside_time < before)
            .order_by(garbage.c.aside_time, garbage.c.digest)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [row.digest for row in (await connection.execute(found)).all()]

    async def note_again(self, digest: str, *, now: datetime) -> None:
        async with self._database.transaction() as connection:
            noted = update(garbage).where(garbage.c.digest == digest)
            await connection.execute(noted.values(aside_time=None, noted_time=now))

    async def referred(self, digest: str) -> bool:
        kept = version.c.dropped_time.is_(None)
        named = or_(
            version.c.text_digest == digest,
            version.c.document_digest == digest,
            version.c.manifest_digest == digest,
            version.c.document_digest == "",
        )
        by_version = select(version.c.version_id).where(kept, named).limit(1)
        by_fetch = select(left_blob.c.fetch_id).where(left_blob.c.digest == digest).limit(1)
        async with self._database.reading() as connection:
            for statement in (by_fetch, by_version):
                if (await connection.execute(statement)).first() is not None:
                    return True
            return False

    async def settled(self, digest: str) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(delete(garbage).where(garbage.c.digest == digest))

    async def undescribed(self, *, limit: int) -> Sequence[HistoricVersion]:
        found = (
            select(version, run.c.last_observed, run.c.observed_to)
            .join(
                run,
                (run.c.page_id == version.c.page_id)
                & (run.c.observed_from == version.c.observed_from),
            )
            .where(version.c.document_digest == "", version.c.dropped_time.is_(None))
            .limit(limit)
        )
        async with self._database.reading() as connection:
            found_rows = (await connection.execute(found)).all()
        return tuple(rows.historic_version_of(row, None) for row in found_rows)

    async def describe(self, version_id: VersionId, document_digest: str) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(
                update(version)
                .where(version.c.version_id == version_id)
                .values(document_digest=document_digest)
            )

    async def pin(self, pin_: Pin) -> None:
        async with self._database.transaction() as connection:
            await upsert(connection, pin, _values_of(pin_), key=("version_id",))

    async def pin_cited(self, pins: Sequence[Pin]) -> None:
        async with self._database.transaction() as connection:
            for entry in sorted(pins, key=lambda entry: entry.version_id):
                await insert_ignore(connection, pin, _values_of(entry))
                # What is cited all day is written once a day; whoever set a pin said why.
                longer = (
                    update(pin)
                    .where(
                        pin.c.version_id == entry.version_id,
                        pin.c.until < entry.until - RENEWED_AFTER,
                    )
                    .values(until=entry.until)
                )
                await connection.execute(longer)

    async def unpin(self, version_id: VersionId) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(delete(pin).where(pin.c.version_id == version_id))

    async def pins(self, page_id: PageId, *, now: datetime) -> Mapping[VersionId, Pin]:
        found = select(pin).where(pin.c.page_id == page_id, pin.c.until > now)
        async with self._database.reading() as connection:
            found_rows = (await connection.execute(found)).all()
        return {VersionId(row.version_id): _pin_of(row) for row in found_rows}


def _left_behind(page_id: PageId, before: datetime) -> Select[Any]:
    """Selects what older fetches left that neither is the newest nor opened a kept version."""
    newest = select(func.max(left_blob.c.observed_time)).where(left_blob.c.page_id == page_id)
    opened = (
        select(version.c.version_id)
        .where(
            version.c.page_id == page_id,
            version.c.observed_from == left_blob.c.observed_time,
            version.c.dropped_time.is_(None),
        )
        .exists()
    )
    return select(left_blob.c.fetch_id, left_blob.c.digest).where(
        left_blob.c.page_id == page_id,
        left_blob.c.observed_time < before,
        left_blob.c.observed_time < newest.scalar_subquery(),
        ~opened,
    )


async def _drop_left(connection: Connection, left: Select[Any], *, now: datetime) -> None:
    rows = (await connection.execute(left)).all()
    for row in rows:
        mine = (left_blob.c.fetch_id == row.fetch_id) & (left_blob.c.digest == row.digest)
        await connection.execute(delete(left_blob).where(mine))
    await note_garbage(connection, {row.digest for row in rows}, batch="", now=now)


def _dropped_of(row: Row[Any]) -> Dropped:
    return Dropped(
        version_id=VersionId(row.version_id),
        page_id=PageId(row.page_id),
        organisation_id=row.organisation_id,
        manifest=rows.manifest_of(row),
        text_digest=row.text_digest,
        document_digest=row.document_digest,
        reason=row.dropped_reason,
        dropped_time=row.dropped_time,
    )


def _values_of(pin_: Pin) -> dict[str, Any]:
    return {
        "version_id": pin_.version_id,
        "page_id": pin_.page_id,
        "until": pin_.until,
        "note": pin_.note,
    }


def _pin_of(row: Row[Any]) -> Pin:
    return Pin(
        version_id=VersionId(row.version_id),
        page_id=PageId(row.page_id),
        until=row.until,
        note=row.note,
    )
