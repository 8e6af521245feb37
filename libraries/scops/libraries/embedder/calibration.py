"""What cosines of a model mean: each model's lie in a range of their own.

A record a model, in `calibrations.json`, written by `python -m benchmarks.reference.fit_ranking`.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", np.float32, np.float64)
PATH = Path(__file__).with_name("calibrations.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Constants that belong to a model.

    Attributes:
        prior, similarity, bm25, bm25_margin: log-odds that a passage is relevant, and how much its
            cosine with the query, its BM25 and its lead in BM25 add to them.
        unrelated, alike: cosines that likeness counts as 0 and as 1.
        support_offset, support_similarity, support_overlap, support_covered: log-odds that quotes
            answer, below zero, and what their best cosine, their best overlap with the question
            and the share of it that is named anywhere add to them.
    """

    prior: float
    similarity: float
    bm25: float
    bm25_margin: float
    unrelated: float
    alike: float
    support_offset: float
    support_similarity: float
    support_overlap: float
    support_covered: float

    def likeness(self, cosine: float) -> float:
        """Returns a cosine on the scale that all models share: 0 unrelated, 1 the same."""
        return (cosine - self.unrelated) / (self.alike - self.unrelated)

    def likenesses(self, cosines: NDArray[Number]) -> NDArray[Number]:
        """Returns cosines on the scale that all models share; see `likeness`."""
        return (cosines - self.unrelated) / (self.alike - self.unrelated)


@cache
def calibration_of(model: str) -> Calibration:
    """Returns the record of a model.

    Args:
        model: its name, the first part of an `embedder_id`.

    Raises:
        KeyError: it has none.
    """
    return Calibration(**json.loads(PATH.read_text())[model])
