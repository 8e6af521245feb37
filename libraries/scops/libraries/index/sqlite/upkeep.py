"""Looks through a SQLite store; its vectors lie with their rows, so that none gets lost alone."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial

from scops.common.contract.ids import ChunkId, EmbeddingKey, ObjectId, PageId
from scops.libraries.index.ports import ChunkObject, FloatArray, StoreQuery
from scops.libraries.index.sqlite import rows as sqlite_rows
from scops.libraries.index.sqlite.chunk_store import SqliteChunkStore
from scops.libraries.index.sqlite.rows import from_microseconds
from scops.libraries.index.sqlite.schema import decode_tokens
from scops.libraries.index.upkeep import Recall, StoredChunk

SCAN_BATCH = 500
COLUMNS = """
    SELECT p.id, p.object_id, p.chunk_id, p.page_id, s.tokens, p.observed_from, p.observed_to
    FROM passage p JOIN prefix_set s ON s.id = p.prefix_set WHERE p.history = ?
"""
NEXT = f"{COLUMNS} AND p.id > ? ORDER BY p.id LIMIT {SCAN_BATCH}"
NAMED = f"{COLUMNS} AND p.object_id IN (SELECT value FROM json_each(?)) ORDER BY p.id"


class MaintainedSqliteStore(SqliteChunkStore):
    """Implements the maintained store port on SQLite."""

    async def scan(self, *, history: bool) -> AsyncIterator[Sequence[StoredChunk]]:
        after = 0
        while True:
            rows = await self._run(partial(self._read, NEXT, (int(history), after)))
            if not rows:
                return
            yield [_stored(row) for row in rows]
            after = rows[-1][0]

    async def look_up(
        self, object_ids: Sequence[ObjectId], *, history: bool
    ) -> Sequence[StoredChunk]:
        named = json.dumps(list(object_ids))
        rows = await self._run(partial(self._read, NAMED, (int(history), named)))
        return [_stored(row) for row in rows]

    async def vectors(self, object_ids: Sequence[ObjectId]) -> Mapping[EmbeddingKey, FloatArray]:
        return await self._run(partial(self._vectors, object_ids))

    async def recall(self, query: StoreQuery, *, slice_key: str) -> Recall | None:
        return None

    async def unfindable(self, objects: Sequence[ChunkObject]) -> frozenset[ObjectId]:
        wanted = [item.object_id for item in objects]
        present = {item.object_id for item in await self.look_up(wanted, history=False)}
        return frozenset(wanted) - present

    async def remove(self, object_ids: Sequence[ObjectId], *, history: bool) -> None:
        await self._run(partial(self._remove, object_ids, history))

    def _read(self, statement: str, parameters: tuple[object, ...]) -> list[tuple]:  # type: ignore[type-arg]
        with self._transaction("DEFERRED") as connection:
            return connection.execute(statement, parameters).fetchall()

    def _vectors(self, object_ids: Sequence[ObjectId]) -> dict[EmbeddingKey, FloatArray]:
        with self._transaction("DEFERRED") as connection:
            return sqlite_rows.vectors(connection, object_ids)

    def _remove(self, object_ids: Sequence[ObjectId], history: bool) -> None:
        with self._transaction("IMMEDIATE") as connection:
            sqlite_rows.delete(connection, object_ids, history=history)


def _stored(row: tuple) -> StoredChunk:  # type: ignore[type-arg]
    _, object_id, chunk_id, page_id, tokens, begin, end = row
    return StoredChunk(
        object_id=ObjectId(object_id),
        chunk_id=ChunkId(chunk_id),
        page_id=PageId(page_id),
        url_prefixes=decode_tokens(tokens),
        observed_from=from_microseconds(begin),
        observed_to=from_microseconds(end),
    )
