"""What cosines of a model mean: each model's lie in a range of their own.

A record a model, in `calibrations.json`, written by `python -m benchmarks.reference.fit_ranking`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", np.float32, np.float64)
PATH = Path(__file__).with_name("calibrations.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What a signal of a query says of the weights of its two sides; see the retriever's `fusion`.

    Attributes:
        level: what it usually is; there it says nothing.
        similarity, bm25: what the logarithm of a side's weight gains for each 1 above that.
    """

    level: float
    similarity: float
    bm25: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Constants that belong to a model.

    Attributes:
        prior, similarity, bm25, bm25_margin: log-odds that a passage of the typical cosine, which
            BM25 does not find, is relevant, and how much its cosine with the query, its BM25 and
            its lead in BM25 add to them where the query's signals are at their levels.
        typical: cosine of a passage that is relevant.
        trust: by signal, how it changes these weights.
        unrelated, alike: cosines that likeness counts as 0 and as 1.
        support_offset, support_similarity, support_overlap, support_covered: log-odds that quotes
            answer, below zero, and what their best cosine, their best overlap with the question
            and the share of it that is named anywhere add to them.
    """

    prior: float
    similarity: float
    bm25: float
    bm25_margin: float
    typical: float
    trust: Mapping[str, Trust] = field(hash=False)
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
    record = json.loads(PATH.read_text())[model]
    trust = {name: Trust(**values) for name, values in record.pop("trust").items()}
    return Calibration(**record, trust=trust)
