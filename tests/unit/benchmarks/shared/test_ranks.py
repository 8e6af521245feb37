"""Paired differences of systems by the places of what was wanted."""

import pytest

from benchmarks.shared.judged.ranks import against


def test_difference_is_told_with_what_chance_may_have_done() -> None:
    """Places after the tenth count 0, as what was not found."""
    ranks = {"ours": [1, 1, 1, 2, 11], "dense": [2, 2, 2, 2, 0]}
    told = against(ranks, ("ours",), ("dense",))

    assert told["ours.dense.mrr@10"] == pytest.approx(0.3)
    assert {"ours.dense.mrr@10", "ours.dense.mrr@10_interval", "ours.dense.mrr@10_p"} == set(told)


def test_questions_of_a_page_are_drawn_together() -> None:
    """One page alone tells nothing of others: its interval is a point."""
    ranks = {"ours": [1, 2, 1], "dense": [2, 2, 2]}
    told = against(ranks, ("ours",), ("dense",), units=["a", "a", "a"])

    assert [pytest.approx(1 / 3, abs=1e-4)] * 2 == told["ours.dense.mrr@10_interval"]


def test_no_question_is_no_comparison() -> None:
    """As where a kind of question is not in a set."""
    assert {} == against({"ours": [], "dense": []}, ("ours",), ("dense",))
