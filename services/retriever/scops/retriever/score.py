"""The score of a passage, as parts that add up to it.

Log-odds recipes: score = prior + vector + bm25 + lead + sentence + time + graph + scope + fresh,
each part a change of the log-odds that the passage is relevant. BM25 is itself a sum of log-odds,
so it adds as it is; `lead` is what a passage has more of it than most of the candidates, so that
a rare word that one passage alone holds outweighs a mere resemblance. Neither is scaled by the
other candidates: where one side says little, it adds little.

Recipe `owlerlite`: h = alpha sim_vec + (1 - alpha) score_graph + beta log g + delta fresh.
Source: OwlerLite, section 4. Without graph evidence alpha counts as 1.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scops.common.messages.retrieval import ScorePart
from scops.retriever.recipes import Recipe, Scale

DAY = timedelta(days=1)
# Fitted together on halves of three judged sets; see docs/benchmarks.md before turning one.
PRIOR = -7.0
WEIGHT_SIMILARITY = 10.0
WEIGHT_BM25 = 0.1
WEIGHT_LEAD = 0.36
LEAD_RANK = 6
WEIGHT_GRAPH = 5.0
WEIGHT_SENTENCE = 40.0
WEIGHT_TIME = 26.0
# What the best sentence of a passage that answers usually has: such a one adds nothing.
SENTENCE_LEVEL = 0.65
# A question about the recent trades so many log-odds for a text of today against an old one.
WEIGHT_FRESH = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreWeights:
    """The weights of one question.

    Attributes:
        alpha: share of relevance against graph evidence.
        beta, gamma: factor of log g; g of a passage in none of the preferred scopes.
        delta: factor of freshness; 0 leaves it out.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSignals:
    """What the sentences of a passage say of the time asked for.

    Attributes:
        fit: in [0, 1]; see `time_kernel.time_fit`.
        sentence: cosine of the question without its time and the best window, in [-1, 1].
    """

    fit: float
    sentence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known of one passage for one question.

    Attributes:
        similarity: cosine in [-1, 1].
        bm25: the store's score, >= 0; 0 where BM25 did not find it.
        lead: how far its BM25 lies above that of the candidates' sixth, >= 0.
        graph: in [0, 1]; None where the graph has nothing to say.
        membership: how much the page belongs to a preferred scope, in [0, 1]; None where no
            scope is preferred to another.
        freshness: in (0, 1]; None where the question does not care.
        time: None where the question names no time.
    """

    similarity: float
    bm25: float
    lead: float
    graph: float | None = None
    membership: float | None = None
    freshness: float | None = None
    time: TimeSignals | None = None


def score_parts(signals: Signals, recipe: Recipe, weights: ScoreWeights) -> tuple[ScorePart, ...]:
    """Returns the parts of a passage's score; the `weighted` of those present add up to it.

    Source: algorithms.md, section 2.2 (g = gamma + (1 - gamma) membership).
    """
    outer = tuple(
        part
        for part in (
            _part("scope", _log_prior(signals.membership, weights.gamma), weights.beta),
            _part("fresh", signals.freshness, weights.delta),
        )
        if part.present
    )
    if recipe.scale is Scale.CONVEX:
        alpha = weights.alpha if signals.graph is not None else 1.0
        return (
            _part("vector", signals.similarity, alpha),
            _part("graph", signals.graph, 1 - alpha),
            *outer,
        )
    return (*relevance_parts(signals), *_evidence_parts(signals, weights), *outer)


def relevance_parts(signals: Signals) -> tuple[ScorePart, ...]:
    """Returns the parts that the two sides of the store give, in log-odds."""
    return (
        _part("prior", 1.0, PRIOR),
        _part("vector", signals.similarity, WEIGHT_SIMILARITY),
        _part("bm25", signals.bm25, WEIGHT_BM25),
        _part("lead", signals.lead, WEIGHT_LEAD),
    )


def relevance(similarity: float, bm25: float, lead: float) -> float:
    """Returns the log-odds of relevance by the two sides of the store alone."""
    return PRIOR + WEIGHT_SIMILARITY * similarity + WEIGHT_BM25 * bm25 + WEIGHT_LEAD * lead


def leads(scores: Sequence[float]) -> list[float]:
    """Returns how far each BM25 score lies above the sixth best; 0 for those below it."""
    ranked = sorted(scores, reverse=True)
    level = ranked[min(LEAD_RANK, len(ranked)) - 1] if ranked else 0.0
    return [max(score - level, 0.0) for score in scores]


def total(parts: Sequence[ScorePart]) -> float:
    """Returns the score: the sum of the parts that are present."""
    return math.fsum(part.weighted for part in parts if part.present)


def recency_weight(age_days: float, *, half_life_days: float) -> float:
    """Weighs a passage by age with exponential decay, in (0, 1]; future dates count as age 0.

    Source: OwlerLite, section 4, fresh(p).
    """
    return float(0.5 ** (max(age_days, 0.0) / half_life_days))


def age_days(since: datetime, now: datetime) -> float:
    """Returns the days from an instant to now; negative when it lies ahead."""
    return (now - since) / DAY


def _evidence_parts(signals: Signals, weights: ScoreWeights) -> tuple[ScorePart, ...]:
    """Returns what is known beyond the store: absent parts are those that were not asked for."""
    time = signals.time
    graph = _part("graph", signals.graph, WEIGHT_GRAPH * (1 - weights.alpha))
    if time is None:
        return (graph,)
    return (
        graph,
        _part("sentence", time.sentence - SENTENCE_LEVEL, WEIGHT_SENTENCE),
        # A misfit takes away, so that a passage of the time asked for keeps its log-odds.
        _part("time", time.fit - 1.0, WEIGHT_TIME),
    )


def _log_prior(membership: float | None, gamma: float) -> float | None:
    if membership is None:
        return None
    return math.log(max(gamma + (1 - gamma) * membership, 1e-9))


def _part(name: str, raw: float | None, weight: float) -> ScorePart:
    if raw is None:
        return ScorePart(name=name)
    return ScorePart(name=name, raw=raw, weight=weight, weighted=raw * weight, present=True)
