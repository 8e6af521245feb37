"""Purges in SQL: marks, what each fetch left in the archive, and what of it has to go."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select, update

from scops.change_detector.adapters.sql_purged_pages import drop_page
from scops.change_detector.adapters.tables import (
    garbage,
    left_blob,
    observation,
    page,
    pin,
    purge_batch,
    run,
    version,
)
from scops.change_detector.timeline.records import DroppedCounts, LeftBlobs, PurgeBatch
from scops.common.contract.ids import PageId, PurgeId
from scops.common.db.batches import batches_in_turns
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.types import UtcDateTime
from scops.common.db.upsert import insert_ignore, insert_ignore_many

OF_PAGE = page.c.page_id == bindparam("of_page")
PURGED_BEFORE = select(page.c.purged_before).where(OF_PAGE)
FORGET_LEFT = (
    delete(left_blob)
    .where(
        left_blob.c.page_id == bindparam("of_page"),
        left_blob.c.observed_time < bindparam("before", type_=UtcDateTime),
    )
    .returning(left_blob.c.digest)
)


class SqlPurgeStore:
    """Implements the `PurgeStore` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note_left(self, left: Sequence[LeftBlobs]) -> None:
        rows = [
            {
                "digest": digest,
                "fetch_id": one.fetch_id,
                "page_id": one.page_id,
                "observed_time": one.observed_time,
            }
            for one in left
            for digest in one.digests
        ]
        # In one order for everybody: who notes the same waits in turn.
        rows.sort(key=lambda row: (row["digest"], row["fetch_id"]))
        async with self._database.transaction() as connection:
            await insert_ignore_many(connection, left_blob, rows)

    async def purged_before(self, page_id: PageId) -> datetime | None:
        async with self._database.reading() as connection:
            found = await connection.execute(PURGED_BEFORE, {"of_page": page_id})
            before: datetime | None = found.scalar()
            return before

    async def forget_left(self, page_id: PageId, *, before: datetime, now: datetime) -> None:
        async with self._database.transaction() as connection:
            gone = await _forget_left(connection, page_id, before)
            await note_garbage(connection, gone, batch="", now=now)

    async def purge(
        self,
        page_id: PageId,
        batch: PurgeBatch,
        *,
        organisation_id: str,
        before: datetime,
        now: datetime,
    ) -> datetime | None:
        async with self._database.transaction() as connection:
            await _mark(connection, page_id, organisation_id, before)
            dropped = await drop_page(connection, page_id, before=before, now=now)
            gone = dropped.digests | await _forget_left(connection, page_id, before)
            await note_garbage(connection, gone, batch=key_of(batch), now=before)
            counts = DroppedCounts(
                versions=dropped.versions, observations=dropped.observations, blobs=len(gone)
            )
            await _add_counts(connection, batch, organisation_id, counts)
            return dropped.through

    async def complete(
        self,
        batch: PurgeBatch,
        digests: Collection[str],
        *,
        organisation_id: str,
        before: datetime,
    ) -> DroppedCounts:
        key = key_of(batch)
        async with self._database.transaction() as connection:
            await note_garbage(connection, digests, batch=key, now=before)
            counts = DroppedCounts(blobs=len(digests))
            await _add_counts(connection, batch, organisation_id, counts)
            statement = (
                update(purge_batch)
                .where(purge_batch.c.batch == key)
                .values(complete=True)
                .returning(*purge_batch.c)
            )
            return _counts_of((await connection.execute(statement)).one())

    async def waiting_blobs(self, *, after: str, limit: int) -> Sequence[tuple[str, datetime]]:
        found = (
            select(garbage.c.digest, garbage.c.noted_time)
            .where(garbage.c.batch != "", garbage.c.digest > after)
            .order_by(garbage.c.digest)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [(row.digest, row.noted_time) for row in await connection.execute(found)]

    async def gone_batches(self) -> Sequence[tuple[PurgeBatch, str, DroppedCounts]]:
        waiting = select(garbage.c.digest).where(garbage.c.batch == purge_batch.c.batch).exists()
        found = select(purge_batch).where(purge_batch.c.complete.is_(True), ~waiting)
        async with self._database.reading() as connection:
            rows = (await connection.execute(found)).all()
        return [(batch_of(row.batch), row.organisation_id, _counts_of(row)) for row in rows]

    async def forget_batch(self, batch: PurgeBatch) -> None:
        async with self._database.transaction() as connection:
            mine = purge_batch.c.batch == key_of(batch)
            await connection.execute(delete(purge_batch).where(mine))

    async def scrub(self) -> None:
        await self._database.scrub()

    async def counts(self, page_ids: Sequence[PageId], *, before: datetime) -> dict[str, int]:
        ended = (
            (run.c.page_id == version.c.page_id)
            & (run.c.observed_from == version.c.observed_from)
            & (run.c.last_observed < before)
        )
        mine = version.c.dropped_reason != "purged"
        counted: dict[str, Any] = {
            "versions": (version, version.c.page_id, mine & select(run).where(ended).exists()),
            "observations": (
                observation,
                observation.c.page_id,
                observation.c.observed_time < before,
            ),
            "pins": (pin, pin.c.page_id, pin.c.version_id != ""),
            "blobs": (left_blob, left_blob.c.page_id, left_blob.c.observed_time < before),
        }
        found = dict.fromkeys(counted, 0)
        async with self._database.reading() as connection:
            async for some in batches_in_turns(page_ids):
                for kind, (table, of_page, condition) in counted.items():
                    count = select(func.count()).select_from(table)
                    result = await connection.execute(count.where(of_page.in_(some), condition))
                    found[kind] += int(result.scalar_one())
        return found


def key_of(batch: PurgeBatch) -> str:
    """Returns a batch as one text."""
    return f"{batch.purge_id}/{batch.attempt}/{batch.number}"


def batch_of(key: str) -> PurgeBatch:
    """Returns the batch of a text."""
    purge_id, attempt, number = key.split("/")
    return PurgeBatch(purge_id=PurgeId(purge_id), attempt=int(attempt), number=int(number))


async def note_garbage(
    connection: Connection, digests: Collection[str], *, batch: str, now: datetime
) -> None:
    """Notes blobs that may be garbage; a purge that waits for one is noted with it.

    Args:
        now: the mark of a purge: what is put from then on may belong to a version that stays.
    """
    rows = [{"digest": digest, "noted_time": now, "batch": batch} for digest in sorted(digests)]
    async for some in batches_in_turns(rows):
        await insert_ignore_many(connection, garbage, some)
    if not batch:
        return
    async for named in batches_in_turns(sorted(digests)):
        noted = update(garbage).where(garbage.c.digest.in_(named))
        await connection.execute(noted.values(batch=batch, noted_time=now))


async def _mark(
    connection: Connection, page_id: PageId, organisation_id: str, before: datetime
) -> None:
    """Holds off who places an observation of the page, and notes what may not come back."""
    first = {
        "page_id": page_id,
        "organisation_id": organisation_id,
        "sequence": 0,
        "row_revision": 0,
    }
    await insert_ignore(connection, page, first)
    mine = update(page).where(page.c.page_id == page_id)
    await connection.execute(mine.values(sequence=page.c.sequence + 1))
    earlier = page.c.purged_before.is_(None) | (page.c.purged_before < before)
    await connection.execute(mine.where(earlier).values(purged_before=before))


async def _forget_left(connection: Connection, page_id: PageId, before: datetime) -> set[str]:
    named = {"of_page": page_id, "before": before}
    return {row.digest for row in await connection.execute(FORGET_LEFT, named)}


async def _add_counts(
    connection: Connection, batch: PurgeBatch, organisation_id: str, counts: DroppedCounts
) -> None:
    key = key_of(batch)
    exists = select(purge_batch.c.batch).where(purge_batch.c.batch == key)
    if (await connection.execute(exists)).first() is None:
        first = {
            "batch": key,
            "organisation_id": organisation_id,
            "versions": 0,
            "observations": 0,
            "blobs": 0,
            "complete": False,
        }
        await connection.execute(insert(purge_batch), first)
    await connection.execute(
        update(purge_batch)
        .where(purge_batch.c.batch == key)
        .values(
            versions=purge_batch.c.versions + counts.versions,
            observations=purge_batch.c.observations + counts.observations,
            blobs=purge_batch.c.blobs + counts.blobs,
        )
    )


def _counts_of(row: Any) -> DroppedCounts:
    return DroppedCounts(versions=row.versions, observations=row.observations, blobs=row.blobs)
