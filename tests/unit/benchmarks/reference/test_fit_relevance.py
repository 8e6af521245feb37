"""Probabilities of relevance are fitted on sets of questions and judged on those left out."""

import numpy as np
import pytest

from benchmarks.reference.fit_relevance import PLAIN, TIMED, Seen, fit, fitted_record, judge


def _set(family: str, *, slope: float, offset: float, questions: int = 200) -> Seen:
    """Builds passages that are relevant by chance, with log-odds linear in their score."""
    chance = np.random.default_rng(len(family))
    score = chance.normal(0.0, 2.0, 10 * questions)
    odds = slope * score + offset
    relevant = (chance.random(len(score)) < 1 / (1 + np.exp(-odds))).astype(float)
    return Seen(family, score, relevant, questions)


def test_slope_and_offset_of_what_was_drawn_are_found() -> None:
    """Both, within what chance allows."""
    slope, offset = fit({"a": _set("a", slope=0.8, offset=-1.0)})

    assert slope == pytest.approx(0.8, abs=0.1)
    assert offset == pytest.approx(-1.0, abs=0.15)


def test_family_is_judged_without_itself_and_told_against_what_is() -> None:
    """A set unlike all others is told wrong, which its figures say."""
    seen = {
        "one": _set("one", slope=1.0, offset=0.0),
        "two_": _set("two_", slope=1.0, offset=0.0),
        "other": _set("other", slope=1.0, offset=-4.0),
    }
    told = judge({PLAIN: seen, TIMED: {}})[PLAIN]

    assert isinstance(told, dict)
    assert told["other"]["told"] > told["other"]["relevant"] + 0.3
    assert told["ece"] > 0.05


def test_kind_that_few_asked_has_no_odds() -> None:
    """Ten questions with a time say too little; those without are told with their number."""
    record = fitted_record(
        {
            PLAIN: {"a": _set("a", slope=1.0, offset=0.0)},
            TIMED: {"a": _set("a", slope=1.0, offset=0.0, questions=10)},
        }
    )

    assert {PLAIN, "sets", "questions"} == set(record)
    assert (1, 210) == (record["sets"], record["questions"])
