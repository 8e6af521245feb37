"""Comparison text: ways of writing vanish, offsets lead back."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.change_detector.strategies.salient.comparison_text import comparison_text
from scops.change_detector.strategies.salient.tokens import tokens_of

TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from(list("ab1 .'-\n&;#")),
        st.sampled_from(list("ﬁé“”–\u00ad\u200b\u00a0ßİ한글漢ا\u0301\u202e🦉½")),
        st.characters(codec="utf-8"),
    ),
    max_size=60,
)


@given(TEXTS)
def test_offsets_rise_and_end_at_the_end(text: str) -> None:
    """Every character of the comparison text has a place in the original."""
    compared = comparison_text(text)
    offsets = [compared.origin(at) for at in range(len(compared.text))]

    assert sorted(offsets) == offsets
    assert all(0 <= at < len(text) for at in offsets)
    assert not compared.text or compared.origin(len(compared.text)) == len(text)


@given(TEXTS)
def test_tokens_lie_in_the_text_in_order(text: str) -> None:
    """Spans are not empty and begin in reading order."""
    spans = tokens_of(text).spans

    assert sorted(start for start, _ in spans) == [start for start, _ in spans]
    assert all(0 <= start < end <= len(text) for start, end in spans)


@given(TEXTS)
def test_normal_forms_of_a_text_have_the_same_tokens(text: str) -> None:
    """Composed, decomposed and compatibility characters are one."""
    expected = tokens_of(unicodedata.normalize("NFC", text)).keys

    assert expected == tokens_of(unicodedata.normalize("NFD", text)).keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the office", "the o\ufb03ce"),
        ("don't stop", "don\u2019t stop"),
        ("do not stop", "don't stop"),
        ("You cannot", "You can not"),
        ("it is late", "it's late"),
        ("a well-known name", "a well\u2013known name"),
        ("information", "infor\u00admation"),
        ("wide space", "wide\u00a0\u2003 space"),
        ("no\u200bwhere", "nowhere"),
        ("- first\n- second", "* first\n• second"),
        ("**bold** and _slanted_", "bold and slanted"),
        ("A Title\n=======", "# A title"),
        ("AT&T", "AT&amp;T"),
        ("1,000 users", "1000 users"),
        ("12 %", "12 percent"),
        ("Wait…", "Wait..."),
        ("full ＷＩＤＴＨ １２", "full width 12"),
        ("http://example.org/a/", "https://example.org/a"),
        ("٣ كتب", "3 كتب"),
        ("\u202bשלום\u202c עולם", "שלום עולם"),
    ],
)
def test_ways_of_writing_have_the_same_tokens(one: str, other: str) -> None:
    """What looks different and says the same is equal."""
    assert tokens_of(one).keys == tokens_of(other).keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("You can", "You cannot"),
        ("version 1.2", "version 1.3"),
        ("a <= b", "a < b"),
        ("x == y", "x != y"),
        ("$5", "€5"),
        ("5", "-5"),
        ("https://example.org/a", "https://example.org/b"),
        ("10%", "10"),
        ("漢字", "漢語"),
        ("हिन्दी", "हिन्दू"),
    ],
)
def test_what_says_something_else_has_other_tokens(one: str, other: str) -> None:
    """Signs that mean something are tokens."""
    assert tokens_of(one).keys != tokens_of(other).keys


def test_a_token_leads_back_to_what_was_written() -> None:
    """Offsets survive ligatures, soft hyphens and entities."""
    tokens = tokens_of("An o\ufb03ce with co\u00adsts &amp; fees")
    written = [tokens.written(place) for place in range(len(tokens.keys))]

    assert ["An", "o\ufb03ce", "with", "co\u00adsts", "fees"] == written


def test_scripts_without_spaces_have_a_token_a_character() -> None:
    """A change of one character is seen as one."""
    assert ("漢", "字", "か", "な") == tokens_of("漢字、かな。").keys
