"""Runs the retriever's scoring on hits of the store, and judges rankings."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime

import ir_measures

from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.common.contract.messages.retrieval import RetrieveRequest, Weights
from scops.common.contract.messages.types import ScopeRef
from scops.libraries.index.ports import StoreHit
from scops.retriever.question import Question, checked
from scops.retriever.scoring.scoring import KnownHit, scored
from scops.retriever.scoring.window_vectors import WindowVectors
from scops.retriever.settings import RetrieverSettings

NOW = datetime.fromisoformat("2026-11-22T00:00:00+00:00")
ANY_SCOPE = (ScopeRef(revision=1),)
Ranking = Sequence[str]
KEYS = {"RR@10": "mrr@10", "R@100": "recall@100"}


class Scorer:
    """The retriever's scoring with one set of settings."""

    def __init__(
        self, embedder: CachingEmbedder, settings: RetrieverSettings | None = None
    ) -> None:
        self._embedder = embedder
        self._settings = settings or RetrieverSettings()
        self._windows = WindowVectors()

    def question(
        self, text: str, *, recipe: str = "", limit: int = 100, weights: Weights | None = None
    ) -> Question:
        """Returns a question as the retriever reads it."""
        request = RetrieveRequest(
            query=text, scopes=ANY_SCOPE, limit=limit, recipe=recipe, weights=weights
        )
        return checked(request, self._settings, now=NOW)

    def ranking(
        self,
        question: Question,
        hits: Sequence[StoreHit],
        *,
        membership: Mapping[str, float] | None = None,
        positions: Mapping[str, int] | None = None,
    ) -> list[str]:
        """Returns the ids of the hits, best first.

        Args:
            membership: by id, where some scopes are preferred; absent ids count 0.
            positions: by id, where passages stand on their page.
        """
        known = [
            KnownHit(
                hit=hit,
                position=None if positions is None else positions.get(hit.chunk_id),
                membership=None if membership is None else membership.get(hit.chunk_id, 0.0),
            )
            for hit in hits
        ]
        found = asyncio.run(
            scored(
                known,
                question,
                self._settings,
                windows=self._windows,
                embedder=self._embedder,
            )
        )
        return [hits[entry.place].chunk_id for entry in found]


def by_similarity(hits: Sequence[StoreHit]) -> list[str]:
    """Returns the ids by cosine, best first."""
    return [hit.chunk_id for hit in sorted(hits, key=lambda one: (-one.similarity, one.chunk_id))]


def by_bm25(hits: Sequence[StoreHit]) -> list[str]:
    """Returns the ids of what BM25 found, best first."""
    found = [hit for hit in hits if hit.bm25 is not None]
    return [hit.chunk_id for hit in sorted(found, key=lambda one: (-(one.bm25 or 0), one.chunk_id))]


def by_rank_fusion(hits: Sequence[StoreHit], *, k: int = 60) -> list[str]:
    """Returns the ids by reciprocal rank fusion of both sides."""
    score: dict[str, float] = {}
    for ranking in (by_similarity(hits), by_bm25(hits)):
        for rank, chunk_id in enumerate(ranking, 1):
            score[chunk_id] = score.get(chunk_id, 0.0) + 1 / (k + rank)
    return sorted(score, key=lambda one: (-score[one], one))


def judged(
    rankings: Mapping[str, Ranking], qrels: Mapping[str, Mapping[str, int]], names: Sequence[str]
) -> dict[str, float]:
    """Returns measures, by their names in lower case, over all queries of the judgements.

    A query without a ranking counts 0.
    """
    run = {
        query: {document: float(-rank) for rank, document in enumerate(ranking)}
        for query, ranking in rankings.items()
    }
    measures = [ir_measures.parse_measure(name) for name in names]
    found = ir_measures.calc_aggregate(measures, {q: dict(r) for q, r in qrels.items()}, run)
    return {_key(str(measure)): round(float(found[measure]), 4) for measure in measures}


def _key(name: str) -> str:
    return KEYS.get(name, name.lower())
