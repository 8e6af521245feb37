"""Runs the retriever's scoring on hits of the store, and judges rankings."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import ir_measures

from benchmarks.shared.judged.passage_store import PassageStore
from scops.common.contract.ids import ChunkId, PageId, VersionId
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.retrieval import RetrieveRequest, Weights
from scops.common.contract.messages.types import BodyRef, ChangeSummary, OrderKey, ScopeRef
from scops.libraries.embedder.calibration import Calibration
from scops.libraries.embedder.port import Embedder, FloatArray
from scops.libraries.index.ports import StoreHit
from scops.retriever.candidates.candidate import Candidate, ListedPage, StandingVersion
from scops.retriever.candidates.search import hits_asked, likeliest
from scops.retriever.question import Question, parse_question
from scops.retriever.scoring.ranking import NO_FRESHNESS, score_candidates
from scops.retriever.scoring.window_vectors import WindowVectors
from scops.retriever.settings import RetrieverSettings
from scops.retriever.time.evidence import WINDOWS_MAX
from scops.retriever.time.kernel import KERNEL, KernelShape
from scops.retriever.time.passage_windows import PassageWindows

NOW = datetime.fromisoformat("2026-11-22T00:00:00+00:00")
ANY_SCOPE = (ScopeRef(revision=1),)
Ranking = Sequence[str]
KEYS = {"RR@10": "mrr@10", "R@100": "recall@100"}


# Of judged passages nothing is known but their texts.
NO_BODY, NO_KEY = BodyRef(), OrderKey(observed_from=NOW)
NO_VERSION = StandingVersion(
    page_id=PageId(""),
    version_id=VersionId(""),
    order_key=NO_KEY,
    manifest=NO_BODY,
    canonical_url="",
    access_context="",
)
NO_PAGE = ListedPage(
    NO_VERSION,
    Manifest(order_key=NO_KEY, text=NO_BODY, document=NO_BODY, summary=ChangeSummary()),
    {},
)


class Scorer:
    """The retriever's scoring.

    Args:
        windows_max: windows of sentences embedded for one question.
        shape: how the times of sentences are held against the one asked for.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        windows_max: int = WINDOWS_MAX,
        shape: KernelShape = KERNEL,
    ) -> None:
        self._embedder = embedder
        self._shape = shape
        self._windows_max = windows_max
        self._windows = WindowVectors()
        self._passages = PassageWindows()

    @property
    def calibration(self) -> Calibration:
        """What the cosines of hits are said to mean."""
        return self._embedder.calibration

    def question(
        self, text: str, *, recipe: str = "", limit: int = 100, weights: Weights | None = None
    ) -> Question:
        """Returns a question as the retriever reads it."""
        request = RetrieveRequest(
            query=text, scopes=ANY_SCOPE, limit=limit, recipe=recipe, weights=weights
        )
        return parse_question(request, RetrieverSettings(), now=NOW)

    def hits(
        self,
        store: PassageStore,
        question: Question,
        vector: FloatArray,
        *,
        group: str | None = None,
    ) -> list[StoreHit]:
        """Returns the hits that the retriever would rank for a question."""
        limit = hits_asked(question, RetrieverSettings().candidates)
        hits = store.search(question.text, vector, limit=limit, group=group)
        return likeliest(hits, question, limit, self._embedder.calibration)

    def ranking(
        self,
        question: Question,
        hits: Sequence[StoreHit],
        *,
        membership: Mapping[str, float] | None = None,
        positions: Mapping[ChunkId, int] | None = None,
        freshness: Mapping[PageId, float] = NO_FRESHNESS,
    ) -> list[str]:
        """Returns the ids of the hits, best first.

        Args:
            membership: by id, where some scopes are preferred; absent ids count 0.
            positions: by id, where passages stand on their page.
            freshness: by page, in (0, 1]; empty where the question does not care.
        """
        ranked = self.scored(
            question, hits, membership=membership, positions=positions, freshness=freshness
        )
        return [one for one, _ in ranked]

    def scored(
        self,
        question: Question,
        hits: Sequence[StoreHit],
        *,
        membership: Mapping[str, float] | None = None,
        positions: Mapping[ChunkId, int] | None = None,
        freshness: Mapping[PageId, float] = NO_FRESHNESS,
    ) -> list[tuple[str, float]]:
        """Returns the ids of the hits with their scores, best first; see `ranking`."""
        ranked = self.candidates(
            question, hits, membership=membership, positions=positions, freshness=freshness
        )
        return [(candidate.hit.chunk_id, candidate.score.total) for candidate in ranked]

    def candidates(
        self,
        question: Question,
        hits: Sequence[StoreHit],
        *,
        membership: Mapping[str, float] | None = None,
        positions: Mapping[ChunkId, int] | None = None,
        freshness: Mapping[PageId, float] = NO_FRESHNESS,
    ) -> list[Candidate]:
        """Returns the hits with the parts of their scores, best first; see `ranking`."""
        page = replace(NO_PAGE, positions=positions or {})
        candidates = [
            Candidate(
                hit,
                NO_VERSION,
                page,
                membership=None if membership is None else membership.get(hit.chunk_id, 0.0),
            )
            for hit in hits
        ]
        return asyncio.run(
            score_candidates(
                candidates,
                question,
                windows=self._windows,
                passages=self._passages,
                embedder=self._embedder,
                freshness=freshness,
                windows_max=self._windows_max,
                shape=self._shape,
            )
        )


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
    run = _run(rankings)
    measures = [ir_measures.parse_measure(name) for name in names]
    found = ir_measures.calc_aggregate(measures, {q: dict(r) for q, r in qrels.items()}, run)
    return {_key(str(measure)): round(float(found[measure]), 4) for measure in measures}


def judged_each(
    rankings: Mapping[str, Ranking], qrels: Mapping[str, Mapping[str, int]], name: str
) -> list[float]:
    """Returns a measure of each query, by the queries' names; without a ranking 0."""
    measure = ir_measures.parse_measure(name)
    judgements = {query: dict(found) for query, found in qrels.items()}
    found = {
        one.query_id: float(one.value)
        for one in ir_measures.iter_calc([measure], judgements, _run(rankings))
    }
    return [found.get(query, 0.0) for query in sorted(qrels)]


def _run(rankings: Mapping[str, Ranking]) -> dict[str, dict[str, float]]:
    return {
        query: {document: float(-rank) for rank, document in enumerate(ranking)}
        for query, ranking in rankings.items()
    }


def _key(name: str) -> str:
    return KEYS.get(name, name.lower())
