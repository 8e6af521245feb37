"""A small deterministic embedder: hashed bags of words instead of a model."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scops.libraries.embedder.calibration import calibration_of
from scops.libraries.embedder.models import MINILM
from scops.libraries.embedder.port import EmbedderIdentity

WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Implements the `Embedder` port: texts that share words point the same way.

    Each word adds or subtracts 1 at a place that its hash names; sums of whole numbers are exact,
    so a vector is the same on every machine and never depends on the texts beside it.
    """

    embedder_id = "hashing-64/test"
    dimensions = 64
    max_tokens = 256
    calibration = calibration_of(MINILM.name)

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

    def close(self) -> None:
        self.closed = True

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(self.dimensions, dtype=np.float32)
        for word in WORD.findall(text.casefold()):
            digest = hashlib.blake2b(word.encode(), digest_size=2).digest()
            vector[digest[0] % self.dimensions] += 1.0 if digest[1] % 2 else -1.0
        if not vector.any():
            # The empty text, or words that cancel out: still a unit vector.
            vector[0] = 1.0
        return vector / np.linalg.norm(vector)
