"""What the two sides of the store say of hits together, before anything else is known of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from scops.libraries.index.ports import StoreHit
from scops.retriever.scoring.score import bm25_margins, relevance, word_share


@dataclass(frozen=True, slots=True)
class StoreEvidence:
    """What the store says of one hit.

    Attributes:
        bm25_margin: see `score.ScoreSignals`.
        relevance: log-odds that it is relevant.
    """

    bm25_margin: float
    relevance: float


def store_evidence(hits: Sequence[StoreHit], query: str) -> list[StoreEvidence]:
    """Returns what the store says of each of the hits of a query."""
    share = word_share(query)
    rises = bm25_margins([hit.bm25 or 0.0 for hit in hits])
    return [
        StoreEvidence(rise, relevance(hit.similarity, hit.bm25 or 0.0, rise, share))
        for hit, rise in zip(hits, rises, strict=True)
    ]


def likeliest(hits: Sequence[StoreHit], query: str, count: int) -> list[StoreHit]:
    """Returns the hits that are most relevant by both sides; equal ones by their chunk_id."""
    chances = [one.relevance for one in store_evidence(hits, query)]
    places = sorted(range(len(hits)), key=lambda place: (-chances[place], hits[place].chunk_id))
    return [hits[place] for place in places[:count]]
