"""Quotes that somebody claims, found in a passage."""

import pytest

from scops.explainer.quotes.alignment import align_quote

WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
TEXT = f"Owls hunt at night. {WORDS * 2}end. Owls hunt at night."


def _found(quote: str, hint: int = -1) -> str | None:
    span = align_quote(quote, TEXT, hint=hint)
    return None if span is None else TEXT[slice(*span)]


def test_exact_quote_is_found_nearest_to_its_hint() -> None:
    """The claimed offset only decides between equal places."""
    assert (0, 19) == align_quote("Owls hunt at night.", TEXT)
    assert len(TEXT) == (align_quote("Owls hunt at night.", TEXT, hint=9999) or (0, 0))[1]


def test_other_type_is_found() -> None:
    """Case and spaces are type; what is quoted is the passage's own."""
    assert "Owls hunt at night." == _found("owls  HUNT at night.")


def test_nearly_all_tokens_find_the_passages_own_words() -> None:
    """One word in thirty-two may differ: the source's words are quoted, not the claim's."""
    quote = f"{WORDS * 2}end.".replace("seven", "se7en", 1)

    assert f"{WORDS * 2}end." == _found(quote)


@pytest.mark.parametrize(
    "quote",
    ["Owls sleep at night.", "Mice hide.", "one two three four five SIX-PACK seven", "", "   "],
)
def test_other_words_are_not_found(quote: str) -> None:
    """Below 95 % of the tokens a quote is an invention."""
    assert _found(quote) is None


def test_overlong_quote_is_not_aligned() -> None:
    """The work is bounded."""
    assert _found("word " * 500) is None
