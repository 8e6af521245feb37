"""How much each side of the store counts for one query.

The weights of cosine and BM25 are the embedder's (`Calibration`), each times exp(sum of trust times
how far a signal lies from its level): what a query's hits look like says which side to trust.
Fitted by `python -m benchmarks.reference.fit_fusion`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scops.libraries.embedder.calibration import Calibration
from scops.libraries.index.ports import StoreHit

BM25_MARGIN_RANK = 6
# Of each side, so many best hits are looked for on the other side.
SHARED_PLACES = 10
# No query changes a weight by more than this factor: signals beyond all that was fitted on.
FACTOR_MAX = 8.0
SIGNALS = ("lead", "spread", "cosine", "bm25", "shared")


@dataclass(frozen=True, slots=True, kw_only=True)
class SideWeights:
    """The weights of one query's parts.

    Attributes:
        prior: log-odds of a passage that neither side says anything of.
        similarity, bm25, bm25_margin: what of the two sides adds to them.
    """

    prior: float
    similarity: float
    bm25: float
    bm25_margin: float


def side_weights(hits: Sequence[StoreHit], calibration: Calibration) -> SideWeights:
    """Returns the weights of the query that has these hits.

    A passage of the typical cosine has the same log-odds whatever its side's weight, so that trust
    changes what ranks where, not how likely anything is.
    """
    cosines = [hit.similarity for hit in hits]
    signals = query_signals(cosines, [hit.bm25 or 0.0 for hit in hits])
    seen = [
        (trust, value - trust.level)
        for trust, value in zip((calibration.trust[name] for name in SIGNALS), signals, strict=True)
    ]
    similarity = calibration.similarity * _factor(trust.similarity * d for trust, d in seen)
    words = _factor(trust.bm25 * d for trust, d in seen)
    return SideWeights(
        prior=calibration.prior - similarity * calibration.typical,
        similarity=similarity,
        bm25=calibration.bm25 * words,
        bm25_margin=calibration.bm25_margin * words,
    )


def query_signals(cosines: Sequence[float], bm25: Sequence[float]) -> tuple[float, ...]:
    """Returns what tells which side to trust, each within bounds, in the order of `SIGNALS`.

    - lead: how far the best BM25 lies above the sixth best, as a share of it.
    - spread: how far the best cosine lies above the sixth best.
    - cosine: the best one.
    - bm25: logarithm of one more than the best.
    - shared: share of the ten best by cosine that are among the ten best by BM25.

    Args:
        cosines, bm25: of the same hits; 0 where BM25 did not find one.
    """
    near, worded = sorted(cosines, reverse=True), sorted(bm25, reverse=True)
    best, best_worded = _at(near, 1), _at(worded, 1)
    lead = (best_worded - _at(worded, BM25_MARGIN_RANK)) / best_worded if best_worded else 0.0
    return (
        lead,
        best - _at(near, BM25_MARGIN_RANK),
        best,
        math.log1p(best_worded),
        _shared(
            cosines,
            bm25,
            near_min=_at(near, SHARED_PLACES),
            worded_min=_at(worded, SHARED_PLACES),
        ),
    )


def bm25_margins(scores: Sequence[float]) -> list[float]:
    """Returns how far each BM25 score lies above the sixth best; 0 for those below it."""
    level = _at(sorted(scores, reverse=True), BM25_MARGIN_RANK)
    return [max(score - level, 0.0) for score in scores]


def _factor(logarithms: Iterable[float]) -> float:
    return min(max(math.exp(math.fsum(logarithms)), 1 / FACTOR_MAX), FACTOR_MAX)


def _at(ranked: Sequence[float], place: int) -> float:
    """Returns what stands at a place, the last of fewer, 0 of none."""
    return ranked[min(place, len(ranked)) - 1] if ranked else 0.0


def _shared(
    cosines: Sequence[float], bm25: Sequence[float], *, near_min: float, worded_min: float
) -> float:
    """Returns the share of the near that are worded, too; whatever the order of the hits."""
    near = [score for cosine, score in zip(cosines, bm25, strict=True) if cosine >= near_min]
    return sum(score >= max(worded_min, math.ulp(0.0)) for score in near) / max(len(near), 1)
