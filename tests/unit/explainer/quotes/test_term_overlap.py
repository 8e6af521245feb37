"""How much sentences share with a question."""

import pytest

from scops.explainer.quotes.term_overlap import coverage, inverse_frequencies, overlap


def test_coverage_counts_terms_that_are_known() -> None:
    """The share of the question that anything found names at all."""
    assert 0.5 == coverage({"ocean", "plan"}, {"plan", "river"})
    assert 1.0 == coverage(set(), {"plan"})


def test_overlap_weighs_rare_terms_more() -> None:
    """A sentence with the rare term shares more than one with the common term."""
    sentences = [frozenset({"plan", "river"}), frozenset({"plan"}), frozenset({"plan", "lake"})]
    weights = inverse_frequencies(sentences)
    asked = {"river", "plan"}
    shares = [overlap(asked, s, set(), weights, context_share=0.5) for s in sentences]

    assert 1.0 == pytest.approx(shares[0])
    assert shares[1] == shares[2] < 0.5


def test_overlap_counts_the_context_in_part() -> None:
    """What only the heading says counts by the share given."""
    weights = {"river": 1.0, "plan": 1.0}
    share = overlap({"river", "plan"}, {"plan"}, {"river", "plan"}, weights, context_share=0.5)

    assert 0.75 == pytest.approx(share)


def test_term_that_nothing_holds_weighs_as_much_as_the_heaviest() -> None:
    """A missing word is not forgotten."""
    share = overlap({"plan", "ocean"}, {"plan"}, set(), {"plan": 1.0, "x": 3.0}, context_share=0.5)

    assert 0.25 == pytest.approx(share)


def test_question_without_terms_shares_nothing() -> None:
    """`What is it?` asks about nothing."""
    assert 0.0 == overlap(set(), {"plan"}, set(), {"plan": 1.0}, context_share=0.5)
