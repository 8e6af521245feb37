"""What the two sides of the store say of hits together, before anything else is known of them.

Log-odds that a passage is relevant: cosine and BM25, each with its weight, and how far its BM25
lies above that of most of the others. The weights are the embedder's (`Calibration`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scops.common.contract.ids import PageId
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.index.ports import StoreHit

BM25_MARGIN_RANK = 6
# Up to so many words of a query count each as evidence of their own (see `word_share`).
WORDS_INDEPENDENT = 16


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


def store_evidence(
    hits: Sequence[StoreHit], query: str, calibration: Calibration
) -> list[StoreEvidence]:
    """Returns what the store says of each of the hits of a query, in their order."""
    margins, chances = _margins_and_relevances(hits, query, calibration)
    best: dict[PageId, float] = {}
    for hit, chance in zip(hits, chances, strict=True):
        best[hit.page_id] = max(best.get(hit.page_id, -math.inf), chance)
    top = max(best.values(), default=0.0)
    return [
        StoreEvidence(margin, chance, best[hit.page_id] - top)
        for hit, margin, chance in zip(hits, margins, chances, strict=True)
    ]


def most_relevant(
    hits: Sequence[StoreHit], query: str, count: int, calibration: Calibration
) -> list[StoreHit]:
    """Returns the hits that are most relevant by both sides; equal ones by their chunk_id."""
    _, chances = _margins_and_relevances(hits, query, calibration)
    order = sorted(range(len(hits)), key=lambda index: (-chances[index], hits[index].chunk_id))
    return [hits[index] for index in order[:count]]


def relevance(
    calibration: Calibration,
    *,
    similarity: float,
    bm25: float,
    bm25_margin: float,
    share: float = 1.0,
) -> float:
    """Returns the log-odds of relevance by the two sides of the store alone.

    Args:
        share: of what BM25 says; see `word_share`.
    """
    words = calibration.bm25 * bm25 + calibration.bm25_margin * bm25_margin
    return calibration.prior + calibration.similarity * similarity + share * words


def word_share(query: str) -> float:
    """Returns how much of a query's BM25 counts, in (0, 1].

    BM25 adds up words as if none followed from another. Those of a long text do, so beyond
    sixteen of them the sum counts as if it grew with their square root.
    """
    return math.sqrt(min(1.0, WORDS_INDEPENDENT / max(len(query.split()), 1)))


def bm25_margins(scores: Sequence[float]) -> list[float]:
    """Returns how far each BM25 score lies above the sixth best; 0 for those below it."""
    ranked = sorted(scores, reverse=True)
    level = ranked[min(BM25_MARGIN_RANK, len(ranked)) - 1] if ranked else 0.0
    return [max(score - level, 0.0) for score in scores]


def _margins_and_relevances(
    hits: Sequence[StoreHit], query: str, calibration: Calibration
) -> tuple[list[float], list[float]]:
    share = word_share(query)
    scores = [hit.bm25 or 0.0 for hit in hits]
    margins = bm25_margins(scores)
    return margins, [
        relevance(
            calibration,
            similarity=hit.similarity,
            bm25=score,
            bm25_margin=margin,
            share=share,
        )
        for hit, score, margin in zip(hits, scores, margins, strict=True)
    ]
