"""The vector cache: vectors by embedding key, with the day of their last use."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np
from sqlalchemy import bindparam, delete, func, select, update

from scops.common.contract.ids import EmbeddingKey
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.locks import lock_rows
from scops.common.db.upsert import insert_ignore_many
from scops.indexer.adapters.tables import VECTOR_CACHE
from scops.libraries.index.ports import FloatArray

BATCH = 500
VECTOR_TYPE = np.dtype("<f4")
_IN_BATCH = VECTOR_CACHE.c.embedding_key.in_(bindparam("of_keys", expanding=True))
_VECTORS = select(VECTOR_CACHE).where(_IN_BATCH)
_LOCK = (
    select(VECTOR_CACHE.c.embedding_key)
    .where(_IN_BATCH)
    .order_by(VECTOR_CACHE.c.embedding_key)
    .with_for_update()
)
_SET_BATCH = update(VECTOR_CACHE).where(_IN_BATCH)


class SqlVectorCache:
    """Vectors of texts that were embedded before.

    Args:
        touch_seconds: the last use of a vector is written at most this often.
    """

    def __init__(self, database: Database, *, touch_seconds: float) -> None:
        self._database = database
        self._touch = timedelta(seconds=touch_seconds)

    async def get(
        self, keys: Sequence[EmbeddingKey], *, now: datetime
    ) -> dict[EmbeddingKey, FloatArray]:
        """Returns the vectors that are there, and notes their use."""
        wanted = sorted(set(keys))
        found: dict[EmbeddingKey, FloatArray] = {}
        unused: list[str] = []
        async with self._database.reading() as connection:
            for start in range(0, len(wanted), BATCH):
                named = {"of_keys": wanted[start : start + BATCH]}
                for row in await connection.execute(_VECTORS, named):
                    found[EmbeddingKey(row.embedding_key)] = np.frombuffer(row.vector, VECTOR_TYPE)
                    if row.last_used <= now - self._touch:
                        unused.append(row.embedding_key)
        if unused:
            await self._note_use(sorted(unused), now)
        return found

    async def put(self, vectors: Mapping[EmbeddingKey, FloatArray], *, now: datetime) -> None:
        """Adds vectors; one that is there already stays."""
        rows = [
            {
                "embedding_key": key,
                "vector": np.ascontiguousarray(vectors[key], VECTOR_TYPE).tobytes(),
                "last_used": now,
            }
            for key in sorted(vectors)
        ]
        async with self._database.transaction() as connection:
            for start in range(0, len(rows), BATCH):
                await insert_ignore_many(connection, VECTOR_CACHE, rows[start : start + BATCH])

    async def _note_use(self, keys: Sequence[str], now: datetime) -> None:
        async with self._database.transaction() as connection:
            for start in range(0, len(keys), BATCH):
                named = {"of_keys": keys[start : start + BATCH]}
                await lock_rows(connection, _LOCK, named)
                await connection.execute(_SET_BATCH, named | {"last_used": now})


async def evict(connection: Connection, *, vectors_max: int, limit: int) -> None:
    """Drops the longest unused vectors above a number, at most `limit` of them."""
    count = (await connection.execute(select(func.count(VECTOR_CACHE.c.last_used)))).scalar_one()
    if count <= vectors_max:
        return
    oldest = (
        select(VECTOR_CACHE.c.embedding_key)
        .order_by(VECTOR_CACHE.c.last_used, VECTOR_CACHE.c.embedding_key)
        .limit(min(limit, count - vectors_max))
        .with_for_update(skip_locked=True)
    )
    await connection.execute(delete(VECTOR_CACHE).where(VECTOR_CACHE.c.embedding_key.in_(oldest)))
