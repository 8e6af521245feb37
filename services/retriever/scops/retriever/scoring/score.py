"""The score of a passage, as parts that add up to it.

Log-odds recipes: score = prior + vector + bm25 + bm25_margin + graph + scope + fresh, and where
the question names a time + sentence + time + page + length, each part a change of the log-odds
that the passage is relevant. BM25 is itself a sum of log-odds, so it adds as it is; `bm25_margin`
is what a passage has more of it than most of the candidates, so that a rare word that one passage
alone holds outweighs a mere resemblance. Neither is scaled by the other candidates: where one side
says little, it adds little.

Recipe `owlerlite`: h = alpha sim_vec + (1 - alpha) score_graph + beta log g + delta fresh, where
sim_vec is the likeness of question and passage, whatever range the embedder's cosines lie in.
Source: OwlerLite, section 4. Without graph evidence score_graph counts 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scops.common.contract.messages.retrieval import ScorePart
from scops.libraries.embedder.calibration import TimedWeights
from scops.retriever.scoring.fusion import SideWeights
from scops.retriever.scoring.recipes import Recipe, Scale
from scops.retriever.time.event_times import TextWindow

# Name, value (None where nothing is known) and weight of a part.
Term = tuple[str, float | None, float]
# gamma 0 shuts out; the logarithm needs a number all the same.
PRIOR_MIN = 1e-9
# Chosen by hand on development sets; see docs/fitting.md before turning one.
WEIGHT_GRAPH = 5.0
# A passage that the walk reaches exp(-8) times as often as the closest is not reached.
GRAPH_RANGE = 8.0
# A passage of so many words counts as it is; of the logarithm of the words per such a passage.
WORDS_TYPICAL = 60
# What likeness the best sentence of a passage that answers usually has: that adds nothing.
SENTENCE_LEVEL = 0.65
# A question about the recent trades so many log-odds for a text of today against an old one.
WEIGHT_FRESH = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreWeights:
    """The weights of one question.

    Attributes:
        alpha: share of relevance against graph evidence.
        beta, gamma: factor of log g; g of a passage in none of the preferred scopes, in the
            log-odds recipes where those hold nothing that answers (see `outside_prior`).
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
        sentence: likeness of the question without its time and the best window.
        page: how far the log-odds of its page's best passage lie below those of the best of all,
            <= 0: a sentence that fits speaks of what its page is about.
        words: of the passage; a heading seldom answers, however well it fits.
        window: the best window; None where it is not known.
    """

    fit: float
    sentence: float
    page: float = 0.0
    words: int = WORDS_TYPICAL
    window: TextWindow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSignals:
    """What is known of one passage for one question.

    Attributes:
        similarity: cosine in [-1, 1].
        likeness: the same on the scale that all embedders share.
        bm25: the store's score, >= 0; 0 where BM25 did not find it.
        bm25_margin: how far its BM25 lies above that of the candidates' sixth, >= 0.
        graph: of the walk, in [0, 1]; None where the graph has nothing to say.
        membership: how much the page belongs to a preferred scope, in [0, 1]; None where no
            scope is preferred to another.
        freshness: in (0, 1]; None where the question does not care.
        time: None where the question names no time.
    """

    similarity: float
    likeness: float
    bm25: float
    bm25_margin: float
    graph: float | None = None
    membership: float | None = None
    freshness: float | None = None
    time: TimeSignals | None = None


@dataclass(frozen=True, slots=True)
class PassageScore:
    """A passage's score with the terms that it is the sum of.

    Attributes:
        time: what decided its fit to the question's time; None without one.
        graph_path: mentions that lead to it from what the question names; may be empty.
    """

    total: float = 0.0
    terms: Sequence[Term] = ()
    time: TimeSignals | None = None
    graph_path: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[ScorePart, ...]:
        """The terms as they are shown; made for the few that are returned."""
        return tuple(
            ScorePart(name=name)
            if raw is None
            else ScorePart(name=name, raw=raw, weight=weight, weighted=raw * weight, present=True)
            for name, raw, weight in self.terms
        )


UNSCORED = PassageScore()


def score_terms(
    signals: ScoreSignals,
    recipe: Recipe,
    weights: ScoreWeights,
    sides: SideWeights,
    timed: TimedWeights,
) -> list[Term]:
    """Returns the terms of a passage's score; those with a value add up to it.

    Args:
        sides: weights of what the store says, of this query.
        timed: weights of what the time asked for adds, of the embedder.

    Source: OwlerLite, section 4, with g = gamma + (1 - gamma) membership.
    """
    if recipe.scale is Scale.CONVEX:
        terms: list[Term] = [
            ("vector", signals.likeness, weights.alpha),
            ("graph", signals.graph, 1 - weights.alpha),
        ]
    else:
        terms = _log_odds_terms(signals, recipe, weights, sides, timed)
    if signals.membership is not None:
        terms.append(("scope", log_prior(signals.membership, weights.gamma), weights.beta))
    if signals.freshness is not None:
        terms.append(("fresh", signals.freshness, weights.delta))
    return terms


def total(terms: Sequence[Term]) -> float:
    """Returns the score: the sum of the terms that have a value."""
    return math.fsum(raw * weight for _, raw, weight in terms if raw is not None)


def length(words: int) -> float:
    """Returns the logarithm of a passage's length in typical passages."""
    return math.log((1 + words) / (1 + WORDS_TYPICAL))


def probability(log_odds: float) -> float:
    """Returns the probability that log-odds stand for, without overflow."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    return math.exp(log_odds) / (1.0 + math.exp(log_odds))


def log_prior(membership: float, gamma: float) -> float:
    """Returns ln g of a passage, g = gamma + (1 - gamma) membership."""
    return math.log(max(gamma + (1 - gamma) * membership, PRIOR_MIN))


def outside_prior(gamma: float, answering: float) -> float:
    """Returns g of a passage outside of the preferred scopes, for one question.

    The more passages inside are likely to answer, the less reason there is to go outside: the
    odds of gamma are divided by one more than their number. 1 stays 1, and 0 stays 0.

    Args:
        answering: how many passages of the preferred scopes answer, as expected by their
            log-odds, each counted by its membership.
    """
    return gamma / (gamma + (1.0 - gamma) * (1.0 + answering))


def graph_closeness(score: float) -> float:
    """Returns graph evidence on a logarithmic scale, in [0, 1]; 1 for the closest passage.

    Each step of a walk divides what goes on, so that steps add up where log-odds do.

    Args:
        score: standing probability of the walk, relative to the closest passage's, in [0, 1].
    """
    return max(0.0, 1.0 + math.log(max(score, PRIOR_MIN)) / GRAPH_RANGE)


def _log_odds_terms(
    signals: ScoreSignals,
    recipe: Recipe,
    weights: ScoreWeights,
    sides: SideWeights,
    timed: TimedWeights,
) -> list[Term]:
    terms: list[Term] = [
        ("prior", 1.0, sides.prior),
        ("vector", signals.similarity, sides.similarity),
        ("bm25", signals.bm25, sides.bm25),
        ("bm25_margin", signals.bm25_margin, sides.bm25_margin),
    ]
    if recipe.graph:
        closeness = None if signals.graph is None else graph_closeness(signals.graph)
        terms.append(("graph", closeness, WEIGHT_GRAPH * (1 - weights.alpha)))
    if signals.time is not None:
        terms.append(("sentence", signals.time.sentence - SENTENCE_LEVEL, timed.sentence))
        # A misfit takes away, so that a passage of the time asked for keeps its log-odds.
        terms.append(("time", signals.time.fit - 1.0, timed.time))
        terms.append(("page", signals.time.page, timed.page))
        terms.append(("length", length(signals.time.words), timed.length))
        terms = [(name, raw, weight * timed.scale) for name, raw, weight in terms]
    return terms
