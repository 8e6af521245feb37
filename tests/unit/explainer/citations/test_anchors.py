"""Where a cited span stands in another text of its page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.common.contract.messages.explanation import Anchor
from scops.explainer.citations.anchors import find_again

TEXT = "Fees\n\nThe fee is 14 euros. It is due in May.\n\nOwls\n\nOwls hunt at night.\n\nEnd"
QUOTE = "The fee is 14 euros."


def _found(other: str, quote: str = QUOTE, text: str = TEXT) -> tuple[Anchor, str] | None:
    start = text.index(quote)
    found = find_again(text, (start, start + len(quote)), other)
    return None if found is None else (found.anchor, other[found.start : found.end])


@pytest.mark.parametrize(
    "other",
    [
        TEXT,
        "News\n\n" + TEXT,
        TEXT.replace("It is due in May.", "It is due in June."),
        TEXT.replace("Owls hunt at night.", "Mice hide."),
        TEXT.replace("\n\nEnd", ""),
    ],
)
def test_span_that_stands_where_it_stood_is_the_same(other: str) -> None:
    """Offsets may shift and neighbours may change."""
    assert (Anchor.SAME, QUOTE) == _found(other)


def test_span_whose_line_went_elsewhere_is_moved() -> None:
    """The text is still there, behind lines that stood after it."""
    line = "The fee is 14 euros. It is due in May."
    other = TEXT.replace(f"{line}\n\n", "").replace("End", f"{line}\n\nEnd")

    assert (Anchor.MOVED, QUOTE) == _found(other)


def test_span_find_ignoring_type_is_moved() -> None:
    """Spaces, dashes, quotes and case are no words; the place is told exactly."""
    text = "A “well-known” fact of the house.\n\nEnd"
    other = 'So: a "well\u2011known"\u00a0 Fact of the house.\n\nEnd'

    assert (Anchor.MOVED, 'a "well\u2011known"\u00a0 Fact of the house.') == _found(
        other, "A “well-known” fact of the house.", text
    )


@pytest.mark.parametrize(
    "other",
    [
        TEXT.replace("14", "17"),
        TEXT.replace("is 14", "is not 14"),
        TEXT.replace("The fee is 14 euros. ", ""),
        "",
    ],
)
def test_span_that_is_not_there_is_not_found(other: str) -> None:
    """One digit or one word makes it another text: nothing like it is taken for it."""
    assert _found(other) is None


def test_repeated_span_keeps_its_place() -> None:
    """Of several places the one between the same lines counts."""
    text = "A\n\nYes.\n\nB\n\nYes.\n\nC"
    start = text.rindex("Yes.")
    other = f"Yes.\n\n{text}"
    found = find_again(text, (start, start + 4), other)

    assert found is not None
    assert (Anchor.SAME, other.rindex("Yes.")) == (found.anchor, found.start)


@given(st.text(max_size=40), st.text(max_size=40), st.integers(0, 39), st.integers(1, 40))
def test_what_is_found_is_the_span(text: str, other: str, start: int, length: int) -> None:
    """Same means word for word, whatever the texts."""
    quote = text[start : start + length]
    found = find_again(text, (start, start + len(quote)), other) if quote else None

    if found is not None and found.anchor is Anchor.SAME:
        assert quote == other[found.start : found.end]
    if found is None:
        assert not quote or quote not in other
