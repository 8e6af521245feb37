"""Paired comparison: an interval over units, and a test that swaps the systems of each."""

import pytest

from scops.standalone.evaluation.paired import paired


def test_a_difference_of_every_unit_is_no_chance() -> None:
    """Twenty units that all gain as much: the interval is the gain, and p is small."""
    figures = paired("ndcg@10", [0.6] * 20, [0.5] * 20)

    assert figures["ndcg@10"] == 0.1
    assert figures["ndcg@10_interval"] == [0.1, 0.1]
    assert figures["ndcg@10_p"] == pytest.approx(0.0001)


def test_gains_and_losses_that_cancel_out_are_chance() -> None:
    """Half of the units gain what the others lose: the interval holds 0, and p is 1."""
    figures = paired("hit@1", [1.0, 0.0] * 10, [0.0, 1.0] * 10)
    low, high = figures["hit@1_interval"]  # type: ignore[misc]

    assert figures["hit@1"] == 0.0
    assert low < 0 < high
    assert figures["hit@1_p"] == 1.0


def test_few_units_are_little_evidence() -> None:
    """Three of three units that gain may do so by chance: one swap in four is as far."""
    figures = paired("f1", [1.0] * 3, [0.0] * 3)

    assert figures["f1_p"] == pytest.approx(0.25, abs=0.02)


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing was compared"):
        paired("f1", [], [])


def test_units_are_compared_one_by_one() -> None:
    """Another number of units is another question."""
    with pytest.raises(ValueError, match="shape"):
        paired("f1", [1.0, 0.0], [1.0, 0.0, 1.0])


def test_questions_of_one_page_are_little_evidence() -> None:
    """Thirty questions of three pages tell as much as three: of each page all or none swap."""
    pages = ["a"] * 10 + ["b"] * 10 + ["c"] * 10
    figures = paired("f1", [1.0] * 30, [0.0] * 30, units=pages)

    assert figures["f1"] == 1.0
    assert figures["f1_p"] == pytest.approx(0.25, abs=0.02)


def test_a_page_weighs_as_many_as_its_questions() -> None:
    """The mean is over questions; the interval draws pages."""
    figures = paired("f1", [1.0] * 30 + [0.0] * 10, [0.0] * 40, units=["a"] * 30 + ["b"] * 10)

    assert figures["f1"] == 0.75
    assert figures["f1_interval"] == [0.0, 1.0]
