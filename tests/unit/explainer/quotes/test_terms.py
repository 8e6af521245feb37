"""Words, stems and shares."""

import pytest

from scops.explainer.quotes.terms import (
    content_terms,
    coverage,
    inverse_frequencies,
    overlap,
    stem,
    words,
)


def test_words_keep_codes_and_versions_whole() -> None:
    """A hyphen, dot or apostrophe inside a word does not end it."""
    assert ["e-311", "in", "release", "4.2", "isn't", "hmac-sha256"] == words(
        "E-311 in release 4.2 isn't HMAC-SHA256."
    )


def test_script_without_spaces_is_read_by_the_character() -> None:
    """A whole clause must not count as one word that nothing matches."""
    assert ["保", "存", "期", "v2", "는"] == words("保存期v2는")


@pytest.mark.parametrize(
    "forms",
    [
        ("limit", "limits", "limited", "limiting"),
        ("expire", "expires", "expired"),
        ("stop", "stops", "stopped", "stopping"),
        ("battery", "batteries"),
        ("day", "days"),
        ("key", "keys"),
        ("store", "stores", "stored", "storing"),
    ],
)
def test_forms_of_a_word_share_a_stem(forms: tuple[str, ...]) -> None:
    """A question's form of a word meets the text's."""
    assert 1 == len({stem(form) for form in forms})


@pytest.mark.parametrize(("one", "other"), [("class", "clash"), ("tree", "trend"), ("sell", "set")])
def test_different_words_keep_different_stems(one: str, other: str) -> None:
    """Stripping must not make strangers meet."""
    assert stem(one) != stem(other)


def test_question_words_carry_no_meaning() -> None:
    """What asks is not what is asked about."""
    assert {"river", "plan", "cost"} == content_terms("How much does the River plan cost?")


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
