"""Weights of the parts of a time, fitted on made-up questions."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.reference.fit_timed import fitted
from benchmarks.reference.timed_queries import PARTS, TimedQuery, columns
from scops.libraries.embedder.calibration import TimedWeights

PASSAGES = 30
# Of each part: how far its values lie apart.
SPREADS = {"sentence": 0.1, "time": 0.3, "page": 3.0, "length": 1.0}


def made_up(sharpness: Mapping[str, float], *, questions: int = 200) -> list[TimedQuery]:
    """Returns questions that are answered by what these weights would draw."""
    chance = np.random.default_rng(3)
    spread = np.array([2.0, *SPREADS.values()])
    weights = np.array([1.0, *(sharpness[name] / SPREADS[name] for name in PARTS)])
    found = []
    for number in range(questions):
        table = chance.normal(size=(PASSAGES, len(spread))) * spread
        gain = np.zeros(PASSAGES)
        gain[np.argmax(table @ weights + chance.gumbel(size=PASSAGES))] = 2.0
        found.append(TimedQuery(f"page {number}", table, gain, 2.0))
    return found


def test_what_drew_the_answers_is_found() -> None:
    """Each weight beside that of both sides, within a third of what it is."""
    sharpness = {"sentence": 3.0, "time": 2.0, "page": 1.0, "length": 2.0}
    weights = fitted(made_up(sharpness))

    for name, drawn in sharpness.items():
        assert drawn / SPREADS[name] == pytest.approx(getattr(weights, name), rel=0.35)


def test_part_that_says_nothing_is_left_out() -> None:
    """It cannot count against a passage either."""
    weights = fitted(made_up({"sentence": 3.0, "time": 2.0, "page": 0.0, "length": 0.0}))

    assert 0.0 <= weights.page * SPREADS["page"] < 0.3
    assert 0.0 <= weights.length * SPREADS["length"] < 0.3


def test_scores_are_log_odds() -> None:
    """Evidence twice as strong as it should be is scaled by half as much."""
    queries = made_up(dict.fromkeys(PARTS, 2.0))
    doubled = [replace(one, table=2 * one.table) for one in queries]

    assert fitted(queries).scale / 2 == pytest.approx(fitted(doubled).scale, rel=0.05)


def test_fitted_weights_find_more_than_others() -> None:
    """On the very questions; by nDCG@10."""
    queries = made_up({"sentence": 3.0, "time": 0.5, "page": 1.0, "length": 0.5})
    other = TimedWeights(sentence=5.0, time=20.0, page=1.0, length=2.0, scale=0.2)
    ours, theirs = (
        sum(one.ndcg(columns(weights)) for one in queries) for weights in (fitted(queries), other)
    )

    assert ours > 1.1 * theirs
