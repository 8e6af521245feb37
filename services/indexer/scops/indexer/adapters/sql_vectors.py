"""The vector cache: vectors by embedding key, with the day of their last use."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
from sqlalchemy import bindparam, delete, func, select, update

from scops.common.contract.ids import EmbeddingKey
from scops.common.db.batches import batches_in_turns, rows_in_batches
from scops.common.db.connection import Connection
from scops.common.db.locks import lock_rows
from scops.common.db.upsert import insert_ignore_many
from scops.indexer.adapters.tables import VECTOR_CACHE
from scops.libraries.index.ports import FloatArray

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


async def cached(
    connection: Connection, keys: Sequence[EmbeddingKey], *, used_before: datetime
) -> tuple[dict[EmbeddingKey, FloatArray], list[EmbeddingKey]]:
    """Returns the vectors that are there, and the keys of those not used since an instant.

    Returns:
        By key, vectors of shape (dimensions,), read-only; and the keys to be touched.
    """
    found: dict[EmbeddingKey, FloatArray] = {}
    unused: list[EmbeddingKey] = []
    for row in await rows_in_batches(connection, _VECTORS, "of_keys", keys):
        found[row.embedding_key] = np.frombuffer(row.vector, VECTOR_TYPE)
        if row.last_used <= used_before:
            unused.append(row.embedding_key)
    return found, unused


async def keep(
    connection: Connection, vectors: Mapping[EmbeddingKey, FloatArray], *, now: datetime
) -> None:
    """Adds vectors; one that is there already stays.

    Args:
        vectors: each of shape (dimensions,), stored as float32.
    """
    rows = [
        {
            "embedding_key": key,
            "vector": np.ascontiguousarray(vectors[key], VECTOR_TYPE).tobytes(),
            "last_used": now,
        }
        for key in sorted(vectors)
    ]
    async for batch in batches_in_turns(rows):
        await insert_ignore_many(connection, VECTOR_CACHE, batch)


async def note_use(connection: Connection, keys: Sequence[EmbeddingKey], *, now: datetime) -> None:
    """Writes when vectors were last used."""
    async for batch in batches_in_turns(keys):
        await lock_rows(connection, _LOCK, {"of_keys": batch})
        await connection.execute(_SET_BATCH, {"of_keys": batch, "last_used": now})


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
