"""A small deterministic embedder: hashed bags of words instead of a model."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scops.libraries.embedder.calibration import calibration_of
from scops.libraries.embedder.models import MINILM
from scops.libraries.embedder.port import EmbedderIdentity, TokenVectors

WORD = re.compile(r"\w+")


def hash_of(word: str) -> int:
    """Returns a number below 512, the same on every machine; case does not matter."""
    high, low = hashlib.blake2b(word.casefold().encode(), digest_size=2).digest()
    return 2 * high + low % 2


class HashingEmbedder:
    """Implements the `Embedder` port: texts that share words point the same way.

    Each word adds or subtracts 1 at a place that its hash names; sums of whole numbers are exact,
    so a vector is the same on every machine and never depends on the texts beside it.
    """

    embedder_id = "hashing-64/test"
    dimensions = 64
    max_tokens = 256
    # What marks short answers is for the model's own vectors.
    calibration = replace(calibration_of(MINILM.name), highlight=None)

    def __init__(self, known: EmbedderIdentity | None = None) -> None:
        if known is not None:
            self.embedder_id, self.dimensions = known.embedder_id, known.dimensions
        self.texts: list[str] = []
        self.calls = 0
        self.closed = False

    def count_tokens(self, text: str) -> int:
        return len(WORD.findall(text))

    async def embed(self, texts: Sequence[str], *, as_queries: bool = False) -> NDArray[np.float32]:
        self.calls += 1
        self.texts += texts
        rows = [self._vector(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)

    async def embed_tokens(
        self, texts: Sequence[str], *, as_queries: bool = False
    ) -> list[TokenVectors]:
        vectors = await self.embed(texts, as_queries=as_queries)
        return [self._tokens(text, vector) for text, vector in zip(texts, vectors, strict=True)]

    def close(self) -> None:
        self.closed = True

    def _tokens(self, text: str, vector: NDArray[np.float32]) -> TokenVectors:
        """A word is a token, and means the same wherever it stands."""
        found = list(WORD.finditer(text))
        rows = [self._vector(word.group()) for word in found]
        return TokenVectors(
            vector,
            np.array([hash_of(word.group()) for word in found], dtype=np.int32),
            np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions),
            np.array([word.span() for word in found], dtype=np.int32).reshape(-1, 2),
        )

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self.dimensions, dtype=np.float32)
        for word in WORD.findall(text):
            place, sign = divmod(hash_of(word), 2)
            vector[place % self.dimensions] += 1.0 if sign else -1.0
        if not vector.any():
            # The empty text, or words that cancel out: still a unit vector.
            vector[0] = 1.0
        return vector / np.linalg.norm(vector)
