"""The chunk rows: claims of the handlers, and what the sweeper takes back.

Every function runs in the caller's transaction.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, exists, func, select, update

from scops.common.contract import ids
from scops.common.contract.errors import TransientError
from scops.common.contract.ids import ChunkId, PageId
from scops.common.db.batches import batches_in_turns, rows_in_batches
from scops.common.db.connection import Connection
from scops.common.db.locks import lock_rows, locks_rows
from scops.common.db.upsert import insert_ignore_many
from scops.indexer.adapters.tables import CHUNK, HEAD, WORDING_BAND
from scops.indexer.objects.interval import VersionInterval
from scops.indexer.ports import ChunkClaim, ChunkSpan, DueDeletion, UnlistedChunk

# Statements of one row each, between two turns of the event loop.
ROWS_A_TURN = 50
LIVE = "live"
RETIRING = "retiring"
# Building a statement costs more than running it: each is built once.
_IN_BATCH = CHUNK.c.chunk_id.in_(bindparam("of_chunks", expanding=True))
_ROWS = select(CHUNK).where(_IN_BATCH).order_by(CHUNK.c.chunk_id)
_LOCK_BATCH = _ROWS.with_for_update()
_ROWS_OF_PAGE = (
    select(CHUNK.c.chunk_id)
    .where(CHUNK.c.page_id == bindparam("of_page"))
    .order_by(CHUNK.c.chunk_id)
    .with_for_update()
)
_SET_BATCH = update(CHUNK).where(_IN_BATCH)
_NOTE_DROPPED = update(CHUNK).where(_IN_BATCH, CHUNK.c.unlisted_since.is_not(None))
# Bands of wordings that no chunk has: a wording that somebody takes at this very moment loses its
# bands too, and only hides mirrors until it is begun again.
_UNSHARED = delete(WORDING_BAND).where(
    ~exists().where(CHUNK.c.wording_id == WORDING_BAND.c.wording_id)
)
_SET_LISTED = update(CHUNK).where(
    CHUNK.c.page_id == bindparam("of_page"), CHUNK.c.unlisted_since.is_(None)
)


async def claim(
    connection: Connection, page_id: PageId, spans: Sequence[ChunkSpan], *, now: datetime
) -> dict[ChunkId, ChunkClaim]:
    """Makes chunks live; see the port."""
    spans = sorted(spans, key=lambda span: span.chunk_id)
    chunk_ids = [span.chunk_id for span in spans]
    known = await chunk_rows(connection, chunk_ids)
    absent = [span for span in spans if span.chunk_id not in known]
    async for batch in batches_in_turns(absent):
        rows = [_new_row(page_id, span, now) for span in batch]
        await insert_ignore_many(connection, CHUNK, rows)
    # Locked only when all are there: locks of old rows and then of new ones break the order.
    async for locked in batches_in_turns(chunk_ids):
        await lock_rows(connection, _LOCK_BATCH, {"of_chunks": locked})
    if absent or locks_rows(connection):
        known = await chunk_rows(connection, chunk_ids)
    if len(known) < len(set(chunk_ids)):
        raise TransientError(
            "Claiming chunks: the row of one that was dropped long ago was deleted meanwhile; the "
            "message is retried.",
            reason="CHUNK_FORGOTTEN",
        )
    # A row that another transaction was quicker to insert has another time.
    fresh = {s.chunk_id for s in absent if known[s.chunk_id].unlisted_since == now}
    return {
        span.chunk_id: await _claim_one(
            connection, span, known[span.chunk_id], now=now, fresh=span.chunk_id in fresh
        )
        async for some in batches_in_turns(spans, ROWS_A_TURN)
        for span in some
    }


async def lock_page(connection: Connection, page_id: PageId) -> None:
    """Locks every chunk row of a page, in the order in which claims do."""
    await lock_rows(connection, _ROWS_OF_PAGE, {"of_page": page_id})


async def claims_hold(connection: Connection, claims: Mapping[ChunkId, ChunkClaim]) -> bool:
    """Returns whether every claimed chunk is live in the claimed incarnation."""
    rows = await chunk_rows(connection, sorted(claims))
    return len(rows) == len(claims) and all(
        rows[chunk_id].state == LIVE and rows[chunk_id].incarnation == claimed.incarnation
        for chunk_id, claimed in claims.items()
    )


async def mark_stored(connection: Connection, chunk_ids: Sequence[ChunkId]) -> None:
    """Notes that the objects of these live chunks are in the store."""
    async for batch in batches_in_turns(chunk_ids):
        await connection.execute(_SET_BATCH, {"of_chunks": batch, "stored": True})


async def relist(
    connection: Connection,
    page_id: PageId,
    listed: Sequence[ChunkId],
    *,
    observed_from: datetime,
    now: datetime,
) -> None:
    """Makes these the chunks that the page's head lists.

    Args:
        observed_from: of the new head; the stay of a chunk that is listed no longer ends there.
    """
    ended = {"unlisted_since": now, "observed_to": observed_from}
    await connection.execute(_SET_LISTED, {"of_page": page_id} | ended)
    standing: dict[str, Any] = {"unlisted_since": None, "observed_to": None}
    async for batch in batches_in_turns(listed):
        await connection.execute(_SET_BATCH, {"of_chunks": batch} | standing)


async def unlisted(connection: Connection, before: datetime, limit: int) -> list[UnlistedChunk]:
    """Returns what may be retired; see the port."""
    statement = (
        select(CHUNK, HEAD.c.prefix_ticket)
        .join_from(CHUNK, HEAD, HEAD.c.page_id == CHUNK.c.page_id, isouter=True)
        .where(CHUNK.c.state == LIVE, CHUNK.c.unlisted_since <= before)
        .order_by(CHUNK.c.unlisted_since, CHUNK.c.chunk_id)
        .limit(limit)
    )
    return [
        UnlistedChunk(
            chunk_id=ChunkId(row.chunk_id),
            page_id=PageId(row.page_id),
            incarnation=row.incarnation,
            interval=VersionInterval(begin=row.observed_from, end=row.observed_to),
            prefix_ticket=-1 if row.prefix_ticket is None else row.prefix_ticket,
        )
        for row in await connection.execute(statement)
    ]


async def retire(connection: Connection, chunk: UnlistedChunk, before: datetime) -> bool:
    """Marks one chunk as retiring if it still may be."""
    result = await connection.execute(
        update(CHUNK)
        .where(
            CHUNK.c.chunk_id == chunk.chunk_id,
            CHUNK.c.incarnation == chunk.incarnation,
            CHUNK.c.state == LIVE,
            CHUNK.c.unlisted_since <= before,
        )
        .values(state=RETIRING, delete_from=lowest(chunk.incarnation))
    )
    return result.rowcount == 1


async def due_deletions(connection: Connection, limit: int) -> list[DueDeletion]:
    """Returns chunks with objects to delete; see the port."""
    statement = (
        select(CHUNK)
        .where(CHUNK.c.delete_from.is_not(None))
        .order_by(CHUNK.c.chunk_id)
        .limit(limit)
    )
    return [_due_deletion(row) for row in await connection.execute(statement)]


async def note_deleted(connection: Connection, chunks: Sequence[DueDeletion]) -> None:
    """Notes deletions; a chunk that changed meanwhile is looked at again."""
    ordered = sorted(chunks, key=lambda chunk: chunk.chunk_id)
    async for some in batches_in_turns(ordered, ROWS_A_TURN):
        for chunk in some:
            await connection.execute(
                update(CHUNK)
                .where(
                    CHUNK.c.chunk_id == chunk.chunk_id,
                    CHUNK.c.incarnation == chunk.incarnation,
                    CHUNK.c.state == chunk.state,
                )
                .values(delete_from=None)
            )


async def note_dropped(
    connection: Connection, chunk_ids: Sequence[ChunkId], *, now: datetime
) -> None:
    """Notes that no kept version lists these chunks; see the port."""
    async for batch in batches_in_turns(sorted(chunk_ids)):
        await lock_rows(connection, _LOCK_BATCH, {"of_chunks": batch})
        await connection.execute(_NOTE_DROPPED, {"of_chunks": batch, "dropped_time": now})


async def forget(connection: Connection, *, dropped_before: datetime, limit: int) -> int:
    """Deletes the rows of chunks that nothing lists and no delete waits for; see the port."""
    found = await connection.execute(
        select(CHUNK.c.chunk_id, CHUNK.c.wording_id)
        .where(
            CHUNK.c.dropped_time < dropped_before,
            CHUNK.c.state == RETIRING,
            CHUNK.c.unlisted_since.is_not(None),
            CHUNK.c.delete_from.is_(None),
        )
        .order_by(CHUNK.c.chunk_id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    rows = found.all()
    async for batch in batches_in_turns([row.chunk_id for row in rows]):
        await connection.execute(delete(CHUNK).where(CHUNK.c.chunk_id.in_(batch)))
    wordings = sorted({row.wording_id for row in rows if row.wording_id is not None})
    async for batch in batches_in_turns(wordings):
        await connection.execute(_UNSHARED.where(WORDING_BAND.c.wording_id.in_(batch)))
    return len(rows)


async def incarnations(connection: Connection, chunk_ids: Sequence[ChunkId]) -> dict[ChunkId, int]:
    """Returns the newest incarnation of each chunk that has a row."""
    found = await chunk_rows(connection, chunk_ids)
    return {chunk_id: row.incarnation for chunk_id, row in found.items()}


async def chunk_rows(connection: Connection, chunk_ids: Sequence[ChunkId]) -> dict[ChunkId, Any]:
    """Returns the rows of those chunks that have one."""
    rows = await rows_in_batches(connection, _ROWS, "of_chunks", chunk_ids)
    return {ChunkId(row.chunk_id): row for row in rows}


async def _claim_one(
    connection: Connection, span: ChunkSpan, row: Any, *, now: datetime, fresh: bool
) -> ChunkClaim:
    changes = _widened(span, row)
    incarnation, stored = row.incarnation, row.stored
    if row.state == RETIRING:
        incarnation, stored = row.incarnation + 1, False
        changes |= {
            "incarnation": incarnation,
            "state": LIVE,
            "stored": False,
            # Whoever still works on the old incarnation may insert it after it was deleted.
            "delete_from": lowest(row.incarnation),
        }
    if row.dropped_time is not None:
        changes["dropped_time"] = None
    if row.unlisted_since is not None and row.unlisted_since != now:
        changes["unlisted_since"] = now
    if changes:
        await connection.execute(
            update(CHUNK).where(CHUNK.c.chunk_id == span.chunk_id).values(changes)
        )
    contested = not stored and not fresh and row.state == LIVE
    return ChunkClaim(incarnation=incarnation, stored=stored, contested=contested)


def _widened(span: ChunkSpan, row: Any) -> dict[str, Any]:
    """Returns the columns by which a chunk's interval grows to hold another stay."""
    known = VersionInterval(begin=row.observed_from, end=row.observed_to)
    if known.holds(span.interval):
        return {}
    union = known.union(span.interval)
    return {"observed_from": union.begin, "observed_to": union.end}


def _new_row(page_id: PageId, span: ChunkSpan, now: datetime) -> dict[str, Any]:
    return {
        "chunk_id": span.chunk_id,
        "page_id": page_id,
        "incarnation": 1,
        "state": LIVE,
        "stored": False,
        "unlisted_since": now,
        "observed_from": span.interval.begin,
        "observed_to": span.interval.end,
        "delete_from": None,
    }


def _due_deletion(row: Any) -> DueDeletion:
    last = row.incarnation if row.state == RETIRING else row.incarnation - 1
    chunk_id = ChunkId(row.chunk_id)
    return DueDeletion(
        chunk_id=chunk_id,
        incarnation=row.incarnation,
        state=row.state,
        object_ids=tuple(
            ids.object_id(chunk_id, incarnation) for incarnation in range(row.delete_from, last + 1)
        ),
    )


def lowest(incarnation: Any) -> Any:
    """Returns from which incarnation on objects of a chunk are to be deleted."""
    return func.coalesce(CHUNK.c.delete_from, incarnation)
