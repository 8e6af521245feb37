"""Ranks candidates by the recipe of their question; benchmarks drive `score_candidates` alone."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from scops.common.contract.ids import ChunkId, PageId
from scops.libraries.embedder.calibration import TimedWeights
from scops.libraries.embedder.port import Embedder
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.candidates.listed_pages import all_opened
from scops.retriever.graph.evidence import GraphEvidence, graph_evidence
from scops.retriever.ports import RetrieverPorts
from scops.retriever.question import Question
from scops.retriever.scoring.freshness import page_freshness
from scops.retriever.scoring.fusion import side_weights
from scops.retriever.scoring.likeness import with_likeness
from scops.retriever.scoring.recipes import Scale
from scops.retriever.scoring.relevance import StoreEvidence, store_evidence
from scops.retriever.scoring.reranking import rerank
from scops.retriever.scoring.score import (
    PassageScore,
    ScoreSignals,
    ScoreWeights,
    TimeSignals,
    log_prior,
    outside_prior,
    probability,
    score_terms,
    total,
)
from scops.retriever.scoring.window_vectors import WindowVectors
from scops.retriever.time.evidence import WINDOWS_MAX, time_signals
from scops.retriever.time.kernel import KERNEL, KernelShape
from scops.retriever.time.passage_windows import PassageWindows

# Best candidates whose sentences are held against the time asked for; only they can be returned to
# a question that names one.
TIME_PASSAGES = 100
NO_FRESHNESS: Mapping[PageId, float] = {}
Matched = tuple[Candidate, StoreEvidence]


async def rank_candidates(
    candidates: Sequence[Candidate],
    question: Question,
    ports: RetrieverPorts,
    *,
    embedder: Embedder,
    now: datetime,
) -> list[Candidate]:
    """Returns the candidates with their scores, best first, reranked where that is configured.

    Args:
        now: what ages are counted to; for an earlier instant, that instant.
    """
    if question.weights.delta or question.time.constraint is not None:
        # What a page states of its time, and whether it has changed, stands in its manifest.
        candidates = await all_opened(candidates, question, ports)
    usual_days = ports.settings.half_life_days
    pages = (candidate.page for candidate in candidates) if question.weights.delta else ()
    ranked = await score_candidates(
        candidates,
        question,
        windows=ports.windows,
        passages=ports.passages,
        embedder=embedder,
        freshness=page_freshness(pages, now, usual_days=usual_days),
    )
    if ports.reranker is not None and question.recipe.rerank:
        passages = ports.settings.reranker_passages
        ranked = await rerank(ranked, question.text, ports.reranker, passages=passages)
    return await with_likeness(ranked, question, ports.windows, embedder)


async def score_candidates(
    candidates: Sequence[Candidate],
    question: Question,
    *,
    windows: WindowVectors,
    passages: PassageWindows,
    embedder: Embedder,
    freshness: Mapping[PageId, float] = NO_FRESHNESS,
    windows_max: int = WINDOWS_MAX,
    shape: KernelShape = KERNEL,
) -> list[Candidate]:
    """Returns the candidates with their scores, best first; equal ones in order of chunk_id.

    A question that names a time gets the likeliest `TIME_PASSAGES` only.

    Args:
        freshness: by page, in (0, 1]; empty where the question does not care.
        windows_max: windows of sentences embedded for one question.
        shape: how the times of sentences are held against the one asked for.
    """
    calibration = embedder.calibration
    hits = [one.hit for one in candidates]
    sides = side_weights(hits, calibration)
    evidence = store_evidence(hits, sides)
    matched = list(zip(candidates, evidence, strict=True))
    weights = _weights(matched, question)
    times: Mapping[ChunkId, TimeSignals] = {}
    constraint = question.time.constraint
    if constraint is not None:
        likely = max(TIME_PASSAGES, question.limit)
        matched = _likeliest(matched, weights, calibration.timed, likely)
        vector = (await windows.get([question.time.text], embedder, as_queries=True))[0]
        times = await time_signals(
            matched,
            constraint,
            vector,
            vectors=windows,
            passages=passages,
            embedder=embedder,
            windows_max=windows_max,
            shape=shape,
        )
    graph = GraphEvidence({})
    if question.recipe.walk:
        walked = [candidate.hit for candidate, _ in matched]
        graph = graph_evidence(question.text, walked, calibration)
    scored = []
    for candidate, one in matched:
        hit = candidate.hit
        signals = ScoreSignals(
            similarity=hit.similarity,
            likeness=calibration.likeness(hit.similarity),
            bm25=hit.bm25 or 0.0,
            bm25_margin=one.bm25_margin,
            freshness=freshness.get(hit.page_id),
            membership=candidate.membership,
            time=times.get(hit.chunk_id),
            # Of what was too unlikely to be walked over nothing is known but that it is far.
            graph=graph.scores.get(hit.chunk_id, 0.0) if graph.scores else None,
        )
        terms = score_terms(signals, question.recipe, weights, sides, calibration.timed)
        path = graph.paths.get(hit.chunk_id, ())
        score = PassageScore(total(terms), terms, signals.time, path)
        scored.append(replace(candidate, score=score))
    return sorted(scored, key=lambda one: (-one.score.total, one.hit.chunk_id))


def _weights(matched: Sequence[Matched], question: Question) -> ScoreWeights:
    """Returns the question's weights, gamma by what the preferred scopes hold for it."""
    if question.recipe.scale is not Scale.LOG_ODDS:
        return question.weights
    answering = math.fsum(
        probability(evidence.relevance) * candidate.membership
        for candidate, evidence in matched
        if candidate.membership
    )
    return replace(question.weights, gamma=outside_prior(question.weights.gamma, answering))


def _likeliest(
    matched: Sequence[Matched], weights: ScoreWeights, timed: TimedWeights, count: int
) -> list[Matched]:
    def key(one: Matched) -> tuple[float, ChunkId]:
        candidate, evidence = one
        likely = timed.scale * (evidence.relevance + timed.page * evidence.page_gap)
        if candidate.membership is not None:
            likely += weights.beta * log_prior(candidate.membership, weights.gamma)
        return -likely, candidate.hit.chunk_id

    return sorted(matched, key=key)[:count]
