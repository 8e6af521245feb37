"""Pages of which versions are purged: their marks, and what the rows give up.

Every function runs in the caller's transaction.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, select, update

from scops.common.contract.ids import ChunkId, EmbeddingKey, PageId
from scops.common.contract.messages.types import BodyRef
from scops.common.db.batches import batches_in_turns
from scops.common.db.connection import Connection
from scops.common.db.upsert import upsert
from scops.indexer.adapters import sql_chunks, sql_heads
from scops.indexer.adapters.tables import CHUNK, HEAD, PAGE_VERSION, PURGED_PAGE, VECTOR_CACHE
from scops.indexer.adapters.tables import WORDING_BAND as BAND
from scops.libraries.index.rows.head_reader import manifest_columns, version_of

PURGED = "purged"
_THROUGH = select(PURGED_PAGE.c.purged_through).where(PURGED_PAGE.c.page_id == bindparam("of_page"))


async def purged_through(connection: Connection, page_id: PageId) -> datetime | None:
    """Returns the instant at or before which every version of a page that began is purged."""
    through: datetime | None = (await connection.execute(_THROUGH, {"of_page": page_id})).scalar()
    return through


async def purge(
    connection: Connection, page_id: PageId, through: datetime, *, now: datetime
) -> None:
    """Marks a page and forgets versions; see the port."""
    await sql_heads.locked_head(connection, page_id)
    await sql_chunks.lock_page(connection, page_id)
    known = await purged_through(connection, page_id)
    row = {
        "page_id": page_id,
        "purged_through": max(through, known) if known else through,
        "noted_time": now,
        "settled": False,
    }
    await upsert(connection, PURGED_PAGE, row, key=("page_id",))
    await connection.execute(
        delete(PAGE_VERSION).where(
            PAGE_VERSION.c.page_id == page_id, PAGE_VERSION.c.observed_from <= through
        )
    )
    # Read again: whoever moved it held the chunks that were waited for.
    head = await sql_heads.locked_head(connection, page_id)
    if head is not None and head.observed_from <= through:
        closed = {"closed": True, "closed_reason": PURGED, "version_id": ""}
        await connection.execute(
            update(HEAD)
            .where(HEAD.c.page_id == page_id)
            .values(**closed, **manifest_columns(None), visible_time=now)
        )
        await sql_chunks.relist(connection, page_id, (), observed_from=through, now=now)


async def kept_manifests(connection: Connection, page_id: PageId) -> list[BodyRef]:
    """Returns the manifests of the versions of a page that are left."""
    found = select(PAGE_VERSION).where(PAGE_VERSION.c.page_id == page_id)
    return [version_of(row).manifest for row in (await connection.execute(found)).all()]


async def retire_purged(
    connection: Connection, page_id: PageId, kept: Collection[ChunkId], *, now: datetime
) -> dict[ChunkId, int]:
    """Retires the chunks of a page that no version lists; see the port."""
    await sql_chunks.lock_page(connection, page_id)
    mine = select(CHUNK).where(CHUNK.c.page_id == page_id, CHUNK.c.unlisted_since.is_not(None))
    rows = [row for row in (await connection.execute(mine)).all() if row.chunk_id not in kept]
    async for batch in batches_in_turns([row.chunk_id for row in rows]):
        await connection.execute(
            update(CHUNK)
            .where(CHUNK.c.chunk_id.in_(batch))
            .values(
                state=sql_chunks.RETIRING,
                delete_from=sql_chunks.lowest(CHUNK.c.incarnation),
                wording_id=None,
                stored=False,
                dropped_time=now,
            )
        )
    await _forget_wordings(connection, sorted({row.wording_id for row in rows if row.wording_id}))
    return {ChunkId(row.chunk_id): row.incarnation for row in rows}


async def forget_vectors(connection: Connection, keys: Sequence[EmbeddingKey]) -> None:
    """Drops cached vectors; who needs one embeds it anew."""
    async for batch in batches_in_turns(sorted(keys)):
        await connection.execute(
            delete(VECTOR_CACHE).where(VECTOR_CACHE.c.embedding_key.in_(batch))
        )


async def unsettled_purges(
    connection: Connection, noted_before: datetime, limit: int
) -> list[PageId]:
    """Returns pages whose purge is to be gone over again; see the port."""
    due = PURGED_PAGE.c.settled.is_(False) & (PURGED_PAGE.c.noted_time < noted_before)
    found = select(PURGED_PAGE.c.page_id).where(due).order_by(PURGED_PAGE.c.page_id).limit(limit)
    return [PageId(row.page_id) for row in await connection.execute(found)]


async def note_settled(connection: Connection, page_id: PageId) -> None:
    """Notes that a page's purge was gone over again."""
    mine = update(PURGED_PAGE).where(PURGED_PAGE.c.page_id == page_id)
    await connection.execute(mine.values(settled=True))


async def _forget_wordings(connection: Connection, wording_ids: Sequence[Any]) -> None:
    async for batch in batches_in_turns(wording_ids):
        held = select(CHUNK.c.chunk_id).where(CHUNK.c.wording_id == BAND.c.wording_id).exists()
        await connection.execute(delete(BAND).where(BAND.c.wording_id.in_(batch), ~held))
