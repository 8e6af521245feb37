"""Reads from the indexer's database which chunks say the same."""

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, func, select

from scops.common.contract.ids import ChunkId, PageId, WordingId
from scops.common.db.batches import rows_in_batches, rows_of
from scops.common.db.database import Database
from scops.libraries.index.ports import MirroredChunk
from scops.libraries.index.rows.tables import CHUNK, HEAD

# Building a statement costs more than running it: each is built once.
_WORDINGS = select(CHUNK.c.chunk_id, CHUNK.c.wording_id).where(
    CHUNK.c.chunk_id.in_(bindparam("of_chunks", expanding=True)), CHUNK.c.wording_id.is_not(None)
)
_ORDER = (CHUNK.c.page_id, CHUNK.c.chunk_id)
_OF_WORDINGS = (
    select(
        CHUNK.c.wording_id,
        CHUNK.c.chunk_id,
        CHUNK.c.page_id,
        HEAD.c.canonical_url,
        HEAD.c.access_context,
        func.row_number().over(partition_by=CHUNK.c.wording_id, order_by=_ORDER).label("place"),
    )
    .join_from(CHUNK, HEAD, HEAD.c.page_id == CHUNK.c.page_id)
    .where(
        CHUNK.c.wording_id.in_(bindparam("of_wordings", expanding=True)),
        CHUNK.c.unlisted_since.is_(None),
    )
    .subquery()
)
_LISTED = (
    select(_OF_WORDINGS)
    .where(_OF_WORDINGS.c.place <= bindparam("at_most"))
    .order_by(_OF_WORDINGS.c.wording_id, _OF_WORDINGS.c.place)
)


class SqlMirrorReader:
    """Implements the mirror reader port on SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def wordings(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, WordingId]:
        async with self._database.reading() as connection:
            rows = await rows_in_batches(connection, _WORDINGS, "of_chunks", chunk_ids)
        return {ChunkId(chunk_id): WordingId(wording_id) for chunk_id, wording_id in rows}

    async def listed(
        self, wording_ids: Sequence[WordingId], *, limit: int
    ) -> Mapping[WordingId, Sequence[MirroredChunk]]:
        found: dict[WordingId, list[MirroredChunk]] = {key: [] for key in sorted(set(wording_ids))}
        named = {"of_wordings": list(found), "at_most": limit}
        async with self._database.reading() as connection:
            for row in await rows_of(connection, _LISTED, named):
                found[WordingId(row.wording_id)].append(
                    MirroredChunk(
                        chunk_id=ChunkId(row.chunk_id),
                        page_id=PageId(row.page_id),
                        canonical_url=row.canonical_url,
                        access_context=row.access_context,
                    )
                )
        return found
