"""What the two sides of the store say of hits together, before anything else is known of them.

Log-odds that a passage is relevant: cosine and BM25, each with its weight, and how far its BM25
lies above that of most of the others. The weights are those of the query (`fusion`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scops.common.contract.ids import PageId
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.index.ports import StoreHit
from scops.retriever.scoring.fusion import SideWeights, bm25_margins, side_weights


@dataclass(frozen=True, slots=True)
class StoreEvidence:
    """What the store says of one hit.

    Attributes:
        bm25_margin: how far its BM25 lies above that of the sixth best, >= 0.
        relevance: log-odds that it is relevant.
        page_gap: how far the relevance of its page's best hit lies below the best of all, <= 0.
    """

    bm25_margin: float
    relevance: float
    page_gap: float = 0.0


def store_evidence(hits: Sequence[StoreHit], sides: SideWeights) -> list[StoreEvidence]:
    """Returns what the store says of each of the hits of a query, in their order."""
    margins, chances = _margins_and_relevances(hits, sides)
    best: dict[PageId, float] = {}
    for hit, chance in zip(hits, chances, strict=True):
        best[hit.page_id] = max(best.get(hit.page_id, -math.inf), chance)
    top = max(best.values(), default=0.0)
    return [
        StoreEvidence(margin, chance, best[hit.page_id] - top)
        for hit, margin, chance in zip(hits, margins, chances, strict=True)
    ]


def most_relevant(hits: Sequence[StoreHit], count: int, calibration: Calibration) -> list[StoreHit]:
    """Returns the hits that are most relevant by both sides; equal ones by their chunk_id."""
    _, chances = _margins_and_relevances(hits, side_weights(hits, calibration))
    order = sorted(range(len(hits)), key=lambda index: (-chances[index], hits[index].chunk_id))
    return [hits[index] for index in order[:count]]


def nearest(hits: Sequence[StoreHit], count: int) -> list[StoreHit]:
    """Returns the hits of the greatest cosines; equal ones by their chunk_id."""
    return sorted(hits, key=lambda hit: (-hit.similarity, hit.chunk_id))[:count]


def _margins_and_relevances(
    hits: Sequence[StoreHit], sides: SideWeights
) -> tuple[list[float], list[float]]:
    scores = [hit.bm25 or 0.0 for hit in hits]
    margins = bm25_margins(scores)
    return margins, [
        sides.prior
        + sides.similarity * hit.similarity
        + sides.bm25 * score
        + sides.bm25_margin * margin
        for hit, score, margin in zip(hits, scores, margins, strict=True)
    ]
