"""The inventory on SQLite or PostgreSQL."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, String, bindparam, select, tuple_

from scops.common.contract import wire
from scops.common.contract.ids import ChunkId, EmbeddingKey, PageId
from scops.common.contract.messages.index import VersionIndexed
from scops.common.contract.messages.types import OrderKey
from scops.common.db.batches import BATCH, rows_of
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.types import EPOCH, UtcDateTime
from scops.common.db.upsert import upsert
from scops.indexer.adapters import sql_chunks, sql_heads, sql_vectors
from scops.indexer.adapters.tables import ANSWER, CHUNK, HEAD, PAGE_VERSION, STORE_HEALTH
from scops.indexer.objects.interval import VersionInterval
from scops.indexer.ports import ChunkClaim
from scops.indexer.upkeep.inventory import ChunkRow, PageInventory
from scops.libraries.index.ports import FloatArray
from scops.libraries.index.rows.head_reader import head_of, version_of

_PAGES = (
    select(HEAD.c.page_id)
    .where(HEAD.c.page_id > bindparam("after"))
    .order_by(HEAD.c.page_id)
    .limit(bindparam("at_most"))
)
_OF_PAGES: BindParameter[str] = bindparam("of_pages", expanding=True)
_HEADS = select(HEAD).where(HEAD.c.page_id.in_(_OF_PAGES)).order_by(HEAD.c.page_id)
_VERSIONS = (
    select(PAGE_VERSION)
    .where(PAGE_VERSION.c.page_id.in_(_OF_PAGES))
    .order_by(PAGE_VERSION.c.observed_from.desc(), PAGE_VERSION.c.revision.desc())
)
_CHUNKS = select(CHUNK).where(CHUNK.c.page_id.in_(_OF_PAGES)).order_by(CHUNK.c.chunk_id)
# The time alone is no key to go on from.
_PLACE = (ANSWER.c.answered_time, ANSWER.c.event_id)
_ANSWERS = (
    select(*_PLACE, ANSWER.c.data)
    .where(
        tuple_(*_PLACE)
        > tuple_(bindparam("since", type_=UtcDateTime), bindparam("after", type_=String)),
        ANSWER.c.message_type == VersionIndexed.__name__,
    )
    .order_by(*_PLACE)
    .limit(BATCH)
)

CHUNK_STORE = "chunks"
_HEALTHY = select(STORE_HEALTH.c.healthy_time).where(STORE_HEALTH.c.store == CHUNK_STORE)


class SqlInventory:
    """Implements the inventory port; see there for the contract."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def pages(self, *, after: PageId, limit: int) -> Sequence[PageId]:
        async with self._database.reading() as connection:
            rows = await connection.execute(_PAGES, {"after": after, "at_most": limit})
            return [PageId(row.page_id) for row in rows]

    async def applied_since(self, instant: datetime) -> Sequence[PageId]:
        pages: set[PageId] = set()
        named: dict[str, Any] = {"since": instant, "after": ""}
        async with self._database.reading() as connection:
            while True:
                rows = (await connection.execute(_ANSWERS, named)).all()
                pages |= {wire.decode(VersionIndexed, row.data).page_id for row in rows}
                if len(rows) < BATCH:
                    return sorted(pages)
                named = {"since": rows[-1].answered_time, "after": rows[-1].event_id}

    async def healthy_time(self) -> datetime:
        async with self._database.reading() as connection:
            return (await connection.execute(_HEALTHY)).scalar() or EPOCH

    async def note_healthy(self, *, now: datetime) -> None:
        row = {"store": CHUNK_STORE, "healthy_time": now}
        async with self._database.transaction() as connection:
            await upsert(connection, STORE_HEALTH, row, key=("store",))

    async def look(self, page_ids: Sequence[PageId]) -> Sequence[PageInventory]:
        named = {"of_pages": sorted(set(page_ids))}
        async with self._database.reading() as connection:
            heads = await rows_of(connection, _HEADS, named)
            versions = await _by_page(connection, _VERSIONS, named)
            chunks = await _by_page(connection, _CHUNKS, named)
        return [
            PageInventory(
                head=head_of(row),
                versions=tuple(map(version_of, versions[row.page_id])),
                chunks=tuple(map(_chunk_row, chunks[row.page_id])),
            )
            for row in heads
        ]

    async def chunk_rows(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, ChunkRow]:
        async with self._database.reading() as connection:
            rows = await sql_chunks.chunk_rows(connection, chunk_ids)
        return {chunk_id: _chunk_row(row) for chunk_id, row in rows.items()}

    async def vectors(self, keys: Sequence[EmbeddingKey]) -> Mapping[EmbeddingKey, FloatArray]:
        async with self._database.reading() as connection:
            found, _ = await sql_vectors.cached(connection, keys, used_before=EPOCH)
        return found

    async def relist(
        self,
        page_id: PageId,
        order_key: OrderKey,
        listed: Sequence[ChunkId],
        claims: Mapping[ChunkId, ChunkClaim],
        *,
        now: datetime,
    ) -> bool:
        async with self._database.transaction() as connection:
            row = await sql_heads.locked_head(connection, page_id)
            standing = None if row is None else (row.observed_from, row.revision)
            if standing != (order_key.observed_from, order_key.revision):
                return False
            if not await sql_chunks.claims_hold(connection, claims):
                return False
            await sql_chunks.mark_stored(connection, sorted(claims))
            await sql_chunks.relist(
                connection, page_id, listed, observed_from=order_key.observed_from, now=now
            )
            return True


async def _by_page(
    connection: Connection, statement: Any, named: dict[str, Any]
) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = defaultdict(list)
    for row in await rows_of(connection, statement, named):
        found[row.page_id].append(row)
    return found


def _chunk_row(row: Any) -> ChunkRow:
    return ChunkRow(
        chunk_id=ChunkId(row.chunk_id),
        page_id=PageId(row.page_id),
        incarnation=row.incarnation,
        is_live=row.state == sql_chunks.LIVE,
        stored=row.stored,
        listed=row.unlisted_since is None,
        leaving=row.delete_from is not None,
        dropped=row.dropped_time is not None,
        interval=VersionInterval(begin=row.observed_from, end=row.observed_to),
    )
