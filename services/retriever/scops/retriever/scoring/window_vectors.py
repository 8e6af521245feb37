"""Vectors of windows of passages: embedded when a question first needs them, then kept."""

from collections.abc import Sequence

import numpy as np

from scops.common.contract.ids import content_hash
from scops.common.runtime.sized_cache import SizedCache
from scops.libraries.embedder.port import Embedder, FloatArray
from scops.retriever import metrics

# Of 1.5 KB each.
VECTORS_KEPT = 20_000


class WindowVectors:
    """A cache that never goes stale: a vector depends on its text, its side and the
    embedder alone."""

    def __init__(self, *, kept_max: int = VECTORS_KEPT) -> None:
        self._kept: SizedCache[str, FloatArray] = SizedCache(kept_max)

    async def get(
        self, texts: Sequence[str], embedder: Embedder, *, as_queries: bool = False
    ) -> FloatArray:
        """Returns shape (len(texts), dimensions), unit rows in the order of the texts."""
        if not texts:
            return np.empty((0, embedder.dimensions), dtype=np.float32)
        side = "query" if as_queries else "passage"
        keys = [content_hash(embedder.embedder_id, side, text) for text in texts]
        known = {key: row for key in keys if (row := self._kept.get(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        metrics.WINDOWS.labels("kept").inc(len(known))
        metrics.WINDOWS.labels("embedded").inc(len(missing))
        if missing:
            vectors = await embedder.embed(list(missing.values()), as_queries=as_queries)
            for key, vector in zip(missing, vectors, strict=True):
                # A copy: a row would hold the vectors of all that were embedded with it.
                self._kept.keep(key, vector.copy())
                known[key] = vector
        return np.stack([known[key] for key in keys])
