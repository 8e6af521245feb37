"""Measures of answers as the paper has them."""

import numpy as np
import pytest

from benchmarks.scholar.sciq_scores import MEASURES, PAPER, against, figures, scores_of, texts_of
from benchmarks.scholar.sciq_sets import SciqQuestion

QUESTION = SciqQuestion(
    scope="lamps",
    page="Lamp",
    kind="people",
    text="Where did the keeper come from?",
    answers=("Skagen",),
    distractors=("Tarn", "Odde", "Brekke"),
    support="He came from Skagen.",
)
RIGHT, WRONG = "He came from Skagen.", "He came from Tarn."
SAME, OTHER = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
VECTORS = {
    **dict.fromkeys(("Skagen", RIGHT), SAME),
    **dict.fromkeys(("Tarn", "Odde", "Brekke", WRONG), OTHER),
}


def test_right_answer_holds_the_gold_and_is_nearest_to_it() -> None:
    """All measures are at their best."""
    assert set(VECTORS) - {WRONG} == set(texts_of(QUESTION))
    assert dict.fromkeys(MEASURES, 1.0) == scores_of(QUESTION, RIGHT, VECTORS)


def test_wrong_answer_is_nearer_to_a_distractor() -> None:
    """It was said, and is not right."""
    scores = scores_of(QUESTION, WRONG, VECTORS)

    assert (0.0, 0.0, 1.0) == (
        scores["em"],
        scores["better_than_distractors"],
        scores["answered_share"],
    )
    assert 0 < scores["fuzzy"] < 1


def test_nothing_said_is_worth_nothing() -> None:
    """Without passages nothing can be quoted."""
    assert dict.fromkeys(MEASURES, 0.0) == scores_of(QUESTION, "", VECTORS)


def test_figures_have_intervals_over_pages() -> None:
    """Questions of one page are drawn together: with one page there is nothing to draw."""
    scores = [scores_of(QUESTION, said, VECTORS) for said in (RIGHT, WRONG, "", RIGHT)]
    apart = figures(scores, pages=["a", "b", "c", "d"])
    together = figures(scores, pages=["a"] * 4)

    assert (0.5, 0.75) == (apart["em"], apart["answered_share"])
    assert [0.5, 0.5] == together["em_interval"]
    assert [0.0, 1.0] == apart["em_interval"]
    assert {*MEASURES, *(f"{name}_interval" for name in MEASURES)} == set(apart)
    assert {} == figures([], pages=[])


def test_sides_are_compared_pair_by_pair() -> None:
    """The later side less the earlier."""
    right, wrong = (scores_of(QUESTION, said, VECTORS) for said in (RIGHT, WRONG))
    sides = {"top2": [wrong, wrong], "top5": [right, wrong]}
    found = against(sides, pages=["a", "b"])

    assert {"top5.top2.em", "top5.top2.em_interval", "top5.top2.em_p"} == set(found)
    assert 0.5 == found["top5.top2.em"]
    assert {} == against({"top2": [], "top5": []}, pages=[])


def test_paper_is_that_of_its_table() -> None:
    """Its best side is the third."""
    best = PAPER["top5"]

    assert isinstance(best, dict)
    assert (best["em"], best["fuzzy"]) == (PAPER["em"], PAPER["fuzzy"])
    assert 0.738 == pytest.approx(best["fuzzy"])
