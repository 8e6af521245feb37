"""The score h(q, p) of a passage, as parts that add up to it.

Source: OwlerLite, section 4: h = alpha sim_vec + (1 - alpha) score_graph + beta log g +
delta fresh. Differs: sim_vec is relevance, a convex mix of cosine and normalised BM25, returned
as two parts; without graph evidence alpha counts as 1 and the graph part is left out visibly.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scops.common.messages.retrieval import ScorePart

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreWeights:
    """The weights of one question; see `RetrieverSettings`."""

    alpha: float
    beta: float
    gamma: float
    delta: float
    lexical_share: float
    half_life_days: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What is known of one passage for one question.

    Attributes:
        similarity: cosine in [-1, 1].
        lexical: BM25 divided by the best of the candidates, in [0, 1].
        graph: in [0, 1]; None where the graph has nothing to say.
        membership: how much the page belongs to a scope asked for, in (0, 1]; 1 by a rule.
        age_days: days since the text was first observed, >= 0.
    """

    similarity: float
    lexical: float
    graph: float | None
    membership: float
    age_days: float


def score_parts(signals: Signals, weights: ScoreWeights) -> tuple[ScorePart, ...]:
    """Returns the parts of a passage's score; their `weighted` values add up to it.

    Source: algorithms.md, section 2.2 (g = gamma + (1 - gamma) membership).
    """
    alpha = weights.alpha if signals.graph is not None else 1.0
    prior = math.log(weights.gamma + (1 - weights.gamma) * signals.membership)
    fresh = recency_weight(signals.age_days, half_life_days=weights.half_life_days)
    return (
        _part("vector", signals.similarity, alpha * (1 - weights.lexical_share)),
        _part("bm25", signals.lexical, alpha * weights.lexical_share),
        _part("graph", signals.graph, 1 - alpha),
        _part("scope", prior, weights.beta),
        _part("fresh", fresh, weights.delta),
    )


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


def _part(name: str, raw: float | None, weight: float) -> ScorePart:
    if raw is None:
        return ScorePart(name=name)
    return ScorePart(name=name, raw=raw, weight=weight, weighted=raw * weight, present=True)
