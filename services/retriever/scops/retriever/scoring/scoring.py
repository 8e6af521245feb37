"""Scores the hits of a question by its recipe: what a benchmark drives and `ranking` shows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from scops.common.contract.ids import ChunkId, PageId
from scops.common.contract.messages.retrieval import ScorePart
from scops.libraries.embedder.port import Embedder
from scops.libraries.index.ports import StoreHit
from scops.retriever.candidates.store_evidence import store_evidence
from scops.retriever.graph.evidence import GraphEvidence, graph_evidence
from scops.retriever.question import Question
from scops.retriever.scoring.recipes import Scale
from scops.retriever.scoring.score import (
    TIMED_SCALE,
    WEIGHT_PAGE,
    ScoreSignals,
    ScoreWeights,
    Term,
    TimeSignals,
    log_prior,
    outside_prior,
    parts_of,
    probability,
    score_terms,
    total,
    word_share,
)
from scops.retriever.scoring.window_vectors import WindowVectors
from scops.retriever.settings import RetrieverSettings
from scops.retriever.time.evidence import DatedPassage, time_signals
from scops.retriever.time.kernel import KernelShape


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownHit:
    """A hit with what is known of its page.

    Attributes:
        position: among its page's passages, in reading order; None where it is not known.
        stated: the day the page states for itself.
        freshness, membership: see `score.ScoreSignals`.
    """

    hit: StoreHit
    position: int | None = None
    stated: date | None = None
    freshness: float | None = None
    membership: float | None = None


@dataclass(frozen=True, slots=True)
class ScoredHit:
    """A hit with its score; `place` is where it stood among the hits given.

    Attributes:
        time: what decided its fit to the question's time; None without one.
        graph_path: mentions that lead to it from what the question names; may be empty.
    """

    place: int
    score: float
    terms: Sequence[Term]
    time: TimeSignals | None = None
    graph_path: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[ScorePart, ...]:
        """The terms as they are shown; made for the few that are returned."""
        return parts_of(self.terms)


@dataclass(frozen=True, slots=True)
class _Matched:
    """A hit with its log-odds by the store's two sides.

    Attributes:
        word_share: of the query; see `score.word_share`.
        page: how far those of its page's best hit lie below the best of all, <= 0.
    """

    place: int
    known: KnownHit
    bm25_margin: float
    relevance: float
    word_share: float
    page: float = 0.0


async def scored(
    hits: Sequence[KnownHit],
    question: Question,
    settings: RetrieverSettings,
    *,
    windows: WindowVectors,
    embedder: Embedder,
) -> list[ScoredHit]:
    """Returns the hits with their scores, best first; equal scores in order of their chunk_id.

    A question that names a time gets the likeliest `time_passages` only.
    """
    matched = _matched(hits, question.text)
    weights = _weights(matched, question)
    times: Mapping[ChunkId, TimeSignals] = {}
    if question.time.constraint is not None:
        count = max(settings.time_passages, question.limit)
        matched = _likeliest(_with_pages(matched), weights, count)
        times = await _times(matched, question, settings, windows, embedder)
    graph = GraphEvidence({})
    if question.recipe.walk:
        graph = graph_evidence(question.text, [entry.known.hit for entry in matched])
    result = [_scored(entry, question, weights, times, graph) for entry in matched]
    return sorted(result, key=lambda entry: (-entry.score, hits[entry.place].hit.chunk_id))


def kernel_shape(settings: RetrieverSettings) -> KernelShape:
    """Returns the time kernel that the settings describe."""
    return KernelShape(
        past_years=settings.time_past_years,
        future_years=settings.time_future_years,
        undated=settings.time_undated,
        begins_share=settings.time_begins_share,
        begins_share_range=settings.time_begins_share_range,
    )


def _weights(matched: Sequence[_Matched], question: Question) -> ScoreWeights:
    """Returns the question's weights, gamma by what the preferred scopes hold for it."""
    if question.recipe.scale is not Scale.LOG_ODDS:
        return question.weights
    answering = math.fsum(
        probability(entry.relevance) * (entry.known.membership or 0.0) for entry in matched
    )
    return replace(question.weights, gamma=outside_prior(question.weights.gamma, answering))


def _matched(hits: Sequence[KnownHit], query: str) -> list[_Matched]:
    share = word_share(query)
    evidence = store_evidence([known.hit for known in hits], query)
    return [
        _Matched(place, known, one.bm25_margin, one.relevance, share)
        for place, (known, one) in enumerate(zip(hits, evidence, strict=True))
    ]


def _with_pages(matched: Sequence[_Matched]) -> list[_Matched]:
    best: dict[PageId, float] = {}
    for entry in matched:
        page_id = entry.known.hit.page_id
        best[page_id] = max(best.get(page_id, -math.inf), entry.relevance)
    top = max(best.values(), default=0.0)
    return [replace(entry, page=best[entry.known.hit.page_id] - top) for entry in matched]


def _likeliest(matched: Sequence[_Matched], weights: ScoreWeights, count: int) -> list[_Matched]:
    def key(one: _Matched) -> tuple[float, ChunkId]:
        likely = TIMED_SCALE * (one.relevance + WEIGHT_PAGE * one.page)
        if one.known.membership is not None:
            likely += weights.beta * log_prior(one.known.membership, weights.gamma)
        return -likely, one.known.hit.chunk_id

    return sorted(matched, key=key)[:count]


async def _times(
    matched: Sequence[_Matched],
    question: Question,
    settings: RetrieverSettings,
    windows: WindowVectors,
    embedder: Embedder,
) -> Mapping[ChunkId, TimeSignals]:
    assert question.time.constraint is not None, "asked only of questions with a time"
    vector = (await windows.get([question.time.text], embedder))[0]
    passages = [
        DatedPassage(
            chunk_id=entry.known.hit.chunk_id,
            page_id=entry.known.hit.page_id,
            position=entry.known.position,
            header=entry.known.hit.header,
            text=entry.known.hit.text,
            similarity=entry.known.hit.similarity,
            relevance=entry.relevance,
            page=entry.page,
            stated=entry.known.stated,
        )
        for entry in matched
    ]
    return await time_signals(
        passages,
        question.time.constraint,
        vector,
        shape=kernel_shape(settings),
        windows_max=settings.time_windows,
        vectors=windows,
        embedder=embedder,
    )


def _scored(
    matched: _Matched,
    question: Question,
    weights: ScoreWeights,
    times: Mapping[ChunkId, TimeSignals],
    graph: GraphEvidence,
) -> ScoredHit:
    hit = matched.known.hit
    signals = ScoreSignals(
        similarity=hit.similarity,
        bm25=hit.bm25 or 0.0,
        bm25_margin=matched.bm25_margin,
        word_share=matched.word_share,
        freshness=matched.known.freshness,
        membership=matched.known.membership,
        time=times.get(hit.chunk_id),
        # Of what was too unlikely to be walked over nothing is known but that it is far.
        graph=graph.scores.get(hit.chunk_id, 0.0) if graph.scores else None,
    )
    terms = score_terms(signals, question.recipe, weights)
    path = graph.paths.get(hit.chunk_id, ())
    return ScoredHit(matched.place, total(terms), terms, signals.time, path)
