"""Vectors of windows of passages: embedded when a question first needs them, then kept."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from scops.common.contract.ids import content_hash
from scops.libraries.embedder.port import Embedder, FloatArray
from scops.retriever import metrics

KEPT_MAX = 20_000


class WindowVectors:
    """A cache that never goes stale: a vector depends on its text and the embedder alone.

    Args:
        kept_max: vectors kept, the latest used.
    """

    def __init__(self, *, kept_max: int = KEPT_MAX) -> None:
        self._kept_max = kept_max
        self._kept: OrderedDict[str, FloatArray] = OrderedDict()

    async def get(self, texts: Sequence[str], embedder: Embedder) -> FloatArray:
        """Returns shape (len(texts), dimensions), unit rows in the order of the texts."""
        keys = [content_hash(embedder.embedder_id, text) for text in texts]
        known = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        metrics.WINDOWS.labels("kept").inc(len(known))
        metrics.WINDOWS.labels("embedded").inc(len(missing))
        if missing:
            vectors = await embedder.embed(list(missing.values()))
            known.update(zip(missing, vectors, strict=True))
        for key in known:
            self._keep(key, known[key])
        if not keys:
            return np.empty((0, embedder.dimensions), dtype=np.float32)
        return np.stack([known[key] for key in keys])

    def _keep(self, key: str, vector: FloatArray) -> None:
        self._kept[key] = vector
        self._kept.move_to_end(key)
        while len(self._kept) > self._kept_max:
            self._kept.popitem(last=False)
