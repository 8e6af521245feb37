"""The parts of a passage's score."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from scops.common.contract.messages.retrieval import ScorePart
from scops.libraries.embedder.calibration import TimedWeights
from scops.retriever.scoring.freshness import age_days, recency_weight
from scops.retriever.scoring.fusion import SideWeights
from scops.retriever.scoring.recipes import RECIPES
from scops.retriever.scoring.score import (
    WORDS_TYPICAL,
    PassageScore,
    ScoreSignals,
    ScoreWeights,
    Term,
    TimeSignals,
    graph_closeness,
    length,
    outside_prior,
    probability,
    score_terms,
    total,
)

SIDES = SideWeights(prior=-7.0, similarity=10.0, bm25=0.1, bm25_margin=0.4)
WEIGHTS = ScoreWeights(alpha=0.8, beta=0.2, gamma=0.1, delta=0.1)
TIMED = TimedWeights(sentence=25.0, time=20.0, page=1.0, length=2.0, scale=0.2)
SIGNALS = ScoreSignals(similarity=0.6, likeness=0.7, bm25=4.0, bm25_margin=0.0)
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _terms(signals: ScoreSignals, recipe: str) -> list[Term]:
    return score_terms(signals, RECIPES[recipe], WEIGHTS, SIDES, TIMED)


def _names(signals: ScoreSignals, recipe: str) -> list[str]:
    return [name for name, _, _ in _terms(signals, recipe)]


def _parts(terms: list[Term]) -> tuple[ScorePart, ...]:
    return PassageScore(terms=terms).parts


def test_owlerlite_is_the_published_sum() -> None:
    """h(q, p) = alpha sim + (1 - alpha) graph + beta log g + delta fresh; sim is the likeness."""
    signals = replace(SIGNALS, graph=0.5, membership=0.5, freshness=0.5)
    score = total(_terms(signals, "owlerlite"))

    expected = 0.8 * 0.7 + 0.2 * 0.5 + 0.2 * math.log(0.1 + 0.9 * 0.5) + 0.1 * 0.5
    assert expected == pytest.approx(score)


def test_owlerlite_without_graph_keeps_its_weights() -> None:
    """Without graph evidence score_graph counts 0, and the graph's part is visibly absent."""
    terms = _terms(replace(SIGNALS, membership=0.0), "owlerlite")
    parts = {p.name: p for p in _parts(terms)}

    assert not parts["graph"].present
    assert 0.8 * 0.7 + 0.2 * math.log(0.1) == pytest.approx(total(terms))


def test_hybrid_adds_up_log_odds_of_both_sides() -> None:
    """Prior, similarity and BM25 as it is: nothing is scaled by the other candidates."""
    score = total(_terms(replace(SIGNALS, bm25_margin=2.0), "hybrid"))

    assert -7.0 + 0.6 * 10.0 + 4.0 * 0.1 + 2.0 * 0.4 == pytest.approx(score)


def test_part_that_nobody_asked_for_is_not_listed() -> None:
    """Scope, freshness and time are listed only where they have a say."""
    assert ["prior", "vector", "bm25", "bm25_margin", "graph"] == _names(SIGNALS, "default")
    timed = replace(SIGNALS, time=TimeSignals(fit=0.5, sentence=0.5), membership=0.0, freshness=1.0)

    listed = ["sentence", "time", "page", "length", "scope", "fresh"]
    assert listed == _names(timed, "default")[-6:]


def test_time_that_fits_takes_nothing_away() -> None:
    """A misfit lowers the score; a perfect fit leaves it."""
    fits = replace(SIGNALS, time=TimeSignals(fit=1.0, sentence=0.5))
    parts = {p.name: p.weighted for p in _parts(_terms(fits, "default"))}

    assert 0.0 == parts["time"]


def test_scope_weighs_the_more_against_evidence_that_is_too_sure_of_itself() -> None:
    """With a time the evidence is scaled to log-odds; the prior of the scope is one already."""
    timed = replace(SIGNALS, time=TimeSignals(fit=0.5, sentence=0.5), membership=0.5)
    plain = replace(timed, time=None)
    weights = {
        signals.time is not None: {name: weight for name, _, weight in _terms(signals, "default")}
        for signals in (timed, plain)
    }

    assert weights[False]["vector"] * TIMED.scale == pytest.approx(weights[True]["vector"])
    assert weights[False]["scope"] == weights[True]["scope"] == WEIGHTS.beta


def test_heading_needs_more_than_a_sentence_that_fits() -> None:
    """Of two that fit alike the longer one is likelier to answer; a typical one counts as it is."""
    heading, typical, long = (
        replace(SIGNALS, time=TimeSignals(fit=1.0, sentence=0.5, words=words))
        for words in (4, WORDS_TYPICAL, 200)
    )
    scores = [total(_terms(one, "default")) for one in (heading, typical, long)]

    assert scores == sorted(scores)
    assert 0.0 == length(WORDS_TYPICAL)


@pytest.mark.parametrize(
    ("gamma", "answering", "expected"),
    [(0.01, 0.0, 0.01), (0.5, 3.0, 0.2), (1.0, 9.0, 1.0), (0.0, 0.0, 0.0), (0.0, 5.0, 0.0)],
)
def test_odds_outside_fall_with_what_answers_inside(
    gamma: float, answering: float, expected: float
) -> None:
    """They are divided by one more than the passages that answer; 0 and 1 stay what they are."""
    assert expected == pytest.approx(outside_prior(gamma, answering))


@pytest.mark.parametrize(
    ("log_odds", "expected"), [(0.0, 0.5), (math.log(3), 0.75), (-800.0, 0.0), (800.0, 1.0)]
)
def test_probability_of_log_odds_does_not_overflow(log_odds: float, expected: float) -> None:
    """A logistic function that is safe at both ends."""
    assert expected == pytest.approx(probability(log_odds))


@pytest.mark.parametrize(("age", "expected"), [(0.0, 1.0), (90.0, 0.5), (180.0, 0.25), (-3.0, 1.0)])
def test_recency_halves_with_each_half_life(age: float, expected: float) -> None:
    """fresh(p) decays exponentially; the future counts as now."""
    assert expected == pytest.approx(recency_weight(age, half_life_days=90))


def test_age_is_counted_in_days() -> None:
    """Half a day is 0.5."""
    assert 0.5 == age_days(NOW - timedelta(hours=12), NOW)


@pytest.mark.parametrize(
    ("walked", "expected"), [(1.0, 1.0), (math.exp(-4), 0.5), (math.exp(-8), 0.0), (0.0, 0.0)]
)
def test_steps_of_a_walk_add_up(walked: float, expected: float) -> None:
    """Each one takes as much away as the one before; what is out of reach counts nothing."""
    assert expected == pytest.approx(graph_closeness(walked))


def test_graph_part_of_log_odds_is_logarithmic_and_of_owlerlite_is_not() -> None:
    """OwlerLite's is as published."""
    walked = replace(SIGNALS, graph=math.exp(-4))
    parts = {
        recipe: {p.name: p.raw for p in _parts(_terms(walked, recipe))}
        for recipe in ("graph", "owlerlite")
    }

    assert pytest.approx(0.5) == parts["graph"]["graph"]
    assert pytest.approx(math.exp(-4)) == parts["owlerlite"]["graph"]
