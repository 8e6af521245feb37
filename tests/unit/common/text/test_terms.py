"""Words and stems."""

import pytest

from scops.common.text.terms import content_terms, stem, words


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
