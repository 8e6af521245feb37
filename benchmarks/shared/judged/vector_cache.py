"""Vectors of benchmark texts, kept between runs by the hash of what they are of.

Embedding a corpus is most of a ranking benchmark's time and no part of what it measures.
"""

import asyncio
import os
import sqlite3
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.shared.command import progress
from scops.common.contract.ids import content_hash
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.embedder.port import Embedder, FloatArray, TokenVectors

BATCH = 256
PROGRESS_TEXTS = 4096
LOOKED_UP_AT_ONCE = 500
# About 60 KB each.
TOKEN_TEXTS_KEPT = 8_000


def cache_folder() -> Path:
    """Returns where benchmarks keep what costs time to make again."""
    root = os.environ.get("SCOPS_CACHE_DIR") or Path.home() / ".cache" / "scops"
    return Path(root) / "bench"


class WrappedEmbedder:
    """An embedder around another, which it is in all but `embed`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def embedder_id(self) -> str:
        return self._embedder.embedder_id

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def calibration(self) -> Calibration:
        return self._embedder.calibration

    @property
    def max_tokens(self) -> int:
        return self._embedder.max_tokens

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    async def embed_tokens(
        self, texts: Sequence[str], *, as_queries: bool = False
    ) -> list[TokenVectors]:
        return await self._embedder.embed_tokens(texts, as_queries=as_queries)

    def close(self) -> None:
        self._embedder.close()


class Recalibrated(WrappedEmbedder):
    """An embedder whose cosines are said to mean something else."""

    def __init__(self, embedder: Embedder, calibration: Calibration) -> None:
        super().__init__(embedder)
        self._calibration = calibration

    @property
    def calibration(self) -> Calibration:
        return self._calibration

    async def embed(self, texts: Sequence[str], *, as_queries: bool = False) -> FloatArray:
        return await self._embedder.embed(texts, as_queries=as_queries)


class CachingEmbedder(WrappedEmbedder):
    """An embedder that looks into a file before it embeds; tokens it keeps in memory."""

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        super().__init__(embedder)
        folder = folder or cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        self._tokens: OrderedDict[tuple[str, bool], TokenVectors] = OrderedDict()
        self._file = sqlite3.connect(folder / "vectors.db")
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("CREATE TABLE IF NOT EXISTS vector (key TEXT PRIMARY KEY, value BLOB)")

    async def embed(self, texts: Sequence[str], *, as_queries: bool = False) -> FloatArray:
        names = [self.embedder_id, *(["query"] if as_queries else [])]
        keys = [content_hash(*names, text) for text in texts]
        known = self._known(sorted(set(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        waiting = list(missing.items())
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            vectors = await self._embedder.embed([text for _, text in batch], as_queries=as_queries)
            self._keep([key for key, _ in batch], vectors)
            known.update(zip((key for key, _ in batch), vectors, strict=True))
            if start % PROGRESS_TEXTS == 0 and len(waiting) > PROGRESS_TEXTS:
                progress(f"embedded {start} of {len(waiting)}")
        if not keys:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.stack([known[key] for key in keys])

    async def embed_tokens(
        self, texts: Sequence[str], *, as_queries: bool = False
    ) -> list[TokenVectors]:
        missing = [text for text in dict.fromkeys(texts) if (text, as_queries) not in self._tokens]
        read = await self._embedder.embed_tokens(missing, as_queries=as_queries)
        fresh = dict(zip(missing, read, strict=True))
        found = [fresh.get(text) or self._tokens[text, as_queries] for text in texts]
        for text, one in zip(texts, found, strict=True):
            self._tokens[text, as_queries] = one
            self._tokens.move_to_end((text, as_queries))
        while len(self._tokens) > TOKEN_TEXTS_KEPT:
            self._tokens.popitem(last=False)
        return found

    def embed_now(self, texts: Sequence[str], *, as_queries: bool = False) -> FloatArray:
        """Embeds outside of any loop."""
        return asyncio.run(self.embed(texts, as_queries=as_queries))

    def tokens_now(self, texts: Sequence[str], *, as_queries: bool = False) -> list[TokenVectors]:
        """Embeds tokens outside of any loop."""
        return asyncio.run(self.embed_tokens(texts, as_queries=as_queries))

    def vectors_of(
        self, texts: Sequence[str], *, as_queries: bool = False
    ) -> dict[str, FloatArray]:
        """Returns the vectors of some texts by the text, outside of any loop."""
        return dict(zip(texts, self.embed_now(texts, as_queries=as_queries), strict=True))

    def close(self) -> None:
        self._file.close()
        super().close()

    def _known(self, keys: Sequence[str]) -> dict[str, FloatArray]:
        found: dict[str, FloatArray] = {}
        for start in range(0, len(keys), LOOKED_UP_AT_ONCE):
            batch = keys[start : start + LOOKED_UP_AT_ONCE]
            marks = ",".join("?" * len(batch))
            rows = self._file.execute(
                f"SELECT key, value FROM vector WHERE key IN ({marks})", batch
            )
            found.update((key, np.frombuffer(value, dtype=np.float32)) for key, value in rows)
        return found

    def _keep(self, keys: Sequence[str], vectors: FloatArray) -> None:
        rows = [(key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._file:
            self._file.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", rows)
