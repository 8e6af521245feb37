"""The scores and generators of `benchmarks.change`."""

import random

import pytest

from benchmarks.change.inserts import generated_paragraph, with_paragraph
from benchmarks.change.scores import counts, scores
from benchmarks.change.sets import text_side
from scops.common.contract.messages.content import BlockKind

JUDGED = [
    ("a", True, True),
    ("a", True, False),
    ("a", False, True),
    ("b", True, True),
    ("b", False, False),
    ("b", False, False),
]


def test_scores_are_those_of_the_four_cells() -> None:
    """Two hits, one false alarm, one miss, two rejections."""
    found = counts(JUDGED)
    told = scores(JUDGED)

    assert (2, 1, 1, 2) == (found.hits, found.false_alarms, found.misses, found.rejections)
    assert (0.6667, 0.6667, 0.6667) == (told["precision"], told["recall"], told["f1"])
    assert pytest.approx(33.3333) == told["false_alarms_per_100"]
    assert (6, 3, 2) == (told["n"], told["positives"], told["pages"])


def test_an_interval_holds_the_score_and_is_the_same_again() -> None:
    """Pages are drawn by a fixed seed."""
    interval = scores(JUDGED * 3)["f1_interval"]

    assert isinstance(interval, list)
    assert interval[0] <= 0.6667 <= interval[1]
    assert scores(JUDGED) == scores(JUDGED)


def test_scores_of_nothing_are_none() -> None:
    """Without a positive there is no recall."""
    told = scores([("a", False, False)])

    assert (None, None, None, 0.0) == (
        told["precision"],
        told["recall"],
        told["f1"],
        told["false_alarms_per_100"],
    )


def test_an_inserted_paragraph_leaves_the_rest_as_it_is() -> None:
    """Taking it out again gives the text."""
    chance, same = random.Random(3), random.Random(3)
    text = "One.\n\nTwo.\n\nThree."
    edited = with_paragraph(text, chance)
    same.choice([4, 10])
    paragraph = generated_paragraph(same)

    assert text == edited.replace(f"\n\n{paragraph}", "")


def test_blocks_of_a_text_hold_every_word_once() -> None:
    """Paragraphs, headings, items and rows are told apart."""
    text = "# Title\n\nA paragraph\nof two lines.\n- one\n- two\n\n| a | b |\n"
    side = text_side(text)

    assert text.split() == " ".join(text[b.start : b.end] for b in side.blocks).split()
    assert [
        BlockKind.HEADING,
        BlockKind.PARAGRAPH,
        BlockKind.LIST_ITEM,
        BlockKind.LIST_ITEM,
        BlockKind.TABLE_ROW,
    ] == [block.kind for block in side.blocks]
