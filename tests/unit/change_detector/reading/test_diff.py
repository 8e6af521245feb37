"""Word-level differences: applying one to the old text gives the new."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.change_detector.chunking.chunker import Body
from scops.change_detector.reading.diff import apply, diff, shortened
from scops.common.contract.messages.change import DiffHunk, DiffKind, DiffPart
from tests.fakes import page_lines
from tests.fakes.worlds.change import body_of

PAGES = page_lines.PAGES.map("\n".join)


def body(text: str) -> Body:
    """Returns a body whose lines are blocks."""
    return Body(text=text, document=body_of(text))


def parts(hunk: DiffHunk) -> list[tuple[str, str]]:
    """Returns the parts of a hunk as pairs."""
    return [(part.kind.value, part.text) for part in hunk.parts]


@given(PAGES, PAGES)
def test_applying_a_diff_to_the_old_text_gives_the_new(old: str, new: str) -> None:
    """Whatever the two texts are."""
    assert apply(old, diff(body(old), body(new))) == new


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_diff_of_any_two_texts_applies(old: str, new: str) -> None:
    """Texts without any block structure, and with characters of every kind."""
    before, after = (Body(text=text, document=body_of("")) for text in (old, new))

    assert apply(old, diff(before, after)) == new


@given(PAGES)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    """No hunks at all."""
    assert diff(body(text), body(text)) == []


def test_one_changed_number_is_one_hunk_of_words() -> None:
    """The hunk is the block, with its section and both places."""
    old = "# Fees\nThe fee is 5 euros.\nPay at the desk."
    new = "# Fees\nThe fee is 60 euros.\nPay at the desk."

    (hunk,) = diff(body(old), body(new))

    assert parts(hunk) == [
        ("equal", "The fee is "),
        ("delete", "5"),
        ("insert", "60"),
        ("equal", " euros."),
    ]
    assert (hunk.section_path, hunk.from_start, hunk.to_start) == (("Fees",), 7, 7)


def test_two_changed_blocks_side_by_side_are_two_hunks() -> None:
    """Similar blocks in a gap are paired, so that each reads by itself."""
    old = "The fee is 5 euros.\nThe desk closes at 6 on Monday."
    new = "The fee is 7 euros.\nThe desk closes at 8 on Monday."

    hunks = diff(body(old), body(new))

    assert [[p for p in parts(h) if p[0] != "equal"] for h in hunks] == [
        [("delete", "5"), ("insert", "7")],
        [("delete", "6"), ("insert", "8")],
    ]


def test_an_inserted_block_is_one_insertion() -> None:
    """Its neighbours are not part of the hunk."""
    old = "First line.\nLast line."
    new = "First line.\nSomething else entirely!\nLast line."

    (hunk,) = diff(body(old), body(new))

    assert "Something else entirely!" in hunk.parts[0].text
    assert {part.kind for part in hunk.parts} == {DiffKind.INSERT}


def test_apply_refuses_a_hunk_of_another_text() -> None:
    """A diff belongs to one old text."""
    hunk = DiffHunk(parts=(DiffPart(kind=DiffKind.DELETE, text="x"),), from_start=0)

    with pytest.raises(ValueError, match="does not fit"):
        apply("y", [hunk])


def test_a_long_diff_is_cut_at_the_limit() -> None:
    """The answer says that something was left out."""
    hunks = diff(body("a b c"), body("a x y z"))

    kept, truncated = shortened(hunks, characters_max=3)

    assert truncated
    assert sum(len(part.text) for hunk in kept for part in hunk.parts) == 3


def test_a_short_diff_is_left_whole() -> None:
    """A limit that is just enough cuts nothing."""
    hunks = diff(body("a b c"), body("a x y z"))
    room = sum(len(part.text) for hunk in hunks for part in hunk.parts)

    assert shortened(hunks, characters_max=room) == (hunks, False)
