"""Reads from the indexer's database which chunks say the same."""

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, select

from scops.common.db.database import Database
from scops.common.ids import ChunkId, PageId, WordingId
from scops.common.index.ports import Mirror
from scops.common.index.tables import CHUNK, HEAD

CHUNKS_AT_ONCE = 500
# Building a statement costs more than running it: each is built once.
_WORDINGS = select(CHUNK.c.chunk_id, CHUNK.c.wording_id).where(
    CHUNK.c.chunk_id.in_(bindparam("of_chunks", expanding=True)), CHUNK.c.wording_id.is_not(None)
)
_LISTED = (
    select(CHUNK.c.chunk_id, CHUNK.c.page_id, HEAD.c.canonical_url, HEAD.c.access_context)
    .join_from(CHUNK, HEAD, HEAD.c.page_id == CHUNK.c.page_id)
    .where(CHUNK.c.wording_id == bindparam("of_wording"), CHUNK.c.unlisted_since.is_(None))
    .order_by(CHUNK.c.page_id, CHUNK.c.chunk_id)
    .limit(bindparam("at_most"))
)


class SqlMirrorReader:
    """Implements the mirror reader port on SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def wordings(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, WordingId]:
        found: dict[ChunkId, WordingId] = {}
        async with self._database.reading() as connection:
            for start in range(0, len(chunk_ids), CHUNKS_AT_ONCE):
                named = {"of_chunks": list(chunk_ids[start : start + CHUNKS_AT_ONCE])}
                for row in await connection.execute(_WORDINGS, named):
                    found[ChunkId(row.chunk_id)] = WordingId(row.wording_id)
        return found

    async def listed(
        self, wording_ids: Sequence[WordingId], *, limit: int
    ) -> Mapping[WordingId, Sequence[Mirror]]:
        found: dict[WordingId, Sequence[Mirror]] = {}
        async with self._database.reading() as connection:
            for wording_id in sorted(set(wording_ids)):
                named = {"of_wording": wording_id, "at_most": limit}
                found[wording_id] = [
                    Mirror(
                        chunk_id=ChunkId(row.chunk_id),
                        page_id=PageId(row.page_id),
                        canonical_url=row.canonical_url,
                        access_context=row.access_context,
                    )
                    for row in await connection.execute(_LISTED, named)
                ]
        return found
