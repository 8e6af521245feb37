"""Weights of four bits each, with a scale for every 32 of them, as GGML's Q4_0 has them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scops.libraries.embedder.port import FloatArray

ByteArray = NDArray[np.uint8]

BLOCK = 32
"""Weights that share a scale; they are next to each other in a row."""

ZERO = 8
"""The code of a weight that is 0."""


@dataclass(frozen=True, slots=True)
class BlockTable:
    """A table of shape (rows, columns).

    Attributes:
        codes: shape (rows, columns), 0 to 15; a weight is (code - 8) times the scale of its block.
        scales: shape (rows, columns / 32).
    """

    codes: ByteArray
    scales: FloatArray

    @property
    def values(self) -> FloatArray:
        """The weights as floats, shape (rows, columns)."""
        blocks = self.codes.reshape(len(self.codes), -1, BLOCK).astype(np.float32) - ZERO
        return (blocks * self.scales[:, :, np.newaxis]).reshape(self.codes.shape)

    def packed(self) -> ByteArray:
        """Returns two weights a byte, the first one low, in two's complement."""
        codes = (self.codes - np.uint8(ZERO)) & np.uint8(0xF)
        packed: ByteArray = codes[:, 0::2] | codes[:, 1::2] << np.uint8(4)
        return packed
