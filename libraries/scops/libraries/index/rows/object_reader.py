"""Reads which objects of the store hold chunks, from the indexer's database."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import BindParameter, bindparam, select

from scops.common.contract import ids
from scops.common.contract.ids import ChunkId, ObjectId
from scops.common.db.batches import rows_of
from scops.common.db.database import Database
from scops.libraries.index.rows.tables import CHUNK

_CHUNKS: BindParameter[Any] = bindparam("of_chunks", expanding=True)
_LIVE = select(CHUNK.c.chunk_id, CHUNK.c.incarnation).where(
    CHUNK.c.chunk_id.in_(_CHUNKS), CHUNK.c.state == "live"
)


class SqlObjectReader:
    """Implements the object reader port on SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def live_objects(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, ObjectId]:
        named = {"of_chunks": sorted(set(chunk_ids))}
        async with self._database.reading() as connection:
            rows = await rows_of(connection, _LIVE, named)
        return {
            ChunkId(row.chunk_id): ids.object_id(ChunkId(row.chunk_id), row.incarnation)
            for row in rows
        }
