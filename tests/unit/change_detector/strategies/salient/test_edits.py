"""Typed edits: what matters is critical, what only looks different is not."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.change_detector.strategies.salient.edits import TypedEdit, typed_edits
from scops.change_detector.strategies.salient.strategy import SalientStrategy
from scops.common.contract.messages.content import Block, BlockKind
from scops.common.contract.messages.types import ChangeClass, ChangeSummary
from tests.fakes.page_lines import PAGES
from tests.fakes.worlds.change import body_of

TAU = 0.25


def edits(old: str, new: str) -> list[TypedEdit]:
    """Returns the edits between two texts whose lines are blocks."""
    return typed_edits(old, body_of(old).blocks, new, body_of(new).blocks)


def summary(old: str, new: str) -> ChangeSummary:
    """Returns what the edits amount to."""
    return SalientStrategy(salience_min=TAU).summary(edits(old, new))


@given(PAGES)
def test_a_text_has_no_edits_against_itself(lines: list[str]) -> None:
    """Of any text."""
    assert edits("\n".join(lines), "\n".join(lines)) == []


@given(PAGES, st.randoms(use_true_random=False))
def test_moving_blocks_is_never_critical(lines: list[str], chance: random.Random) -> None:
    """Whatever the order, every edit is of class moved or format."""
    shuffled = lines.copy()
    chance.shuffle(shuffled)
    found = {edit.change_class for edit in edits("\n".join(lines), "\n".join(shuffled))}

    assert found <= {ChangeClass.MOVED, ChangeClass.FORMAT}


@given(PAGES, PAGES)
def test_edits_lie_inside_their_texts(old: list[str], new: list[str]) -> None:
    """Each edit has a place on at least one side, and a salience in [0, 1]."""
    before, after = "\n".join(old), "\n".join(new)

    for edit in edits(before, after):
        assert edit.old is not None or edit.new is not None
        assert edit.old is None or 0 <= edit.old[0] < edit.old[1] <= len(before)
        assert edit.new is None or 0 <= edit.new[0] < edit.new[1] <= len(after)
        assert 0.0 <= edit.salience <= 1.0


@given(PAGES, PAGES)
def test_a_change_is_as_salient_backwards(old: list[str], new: list[str]) -> None:
    """Whether something changed does not depend on the direction."""
    before, after = "\n".join(old), "\n".join(new)

    assert summary(before, after).semantic == summary(after, before).semantic


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("The limit is 30 items.", "The limit is 40 items.", "number"),
        ("Choose three of them.", "Choose four of them.", "number"),
        ("It costs $30 a year.", "It costs $40 a year.", "money"),
        ("It costs 30 euros.", "It costs 35 euros.", "money"),
        ("The rate is 4% today.", "The rate is 5% today.", "percent"),
        ("Answer within 5 days.", "Answer within 5 weeks.", "unit"),
        ("Valid from 3 March 2024.", "Valid from 3 April 2024.", "date"),
        ("It began in 2019.", "It began in 2021.", "date"),
        ("Effective date: 3 May 2024", "Effective date: 12 June 2024", "date"),
        ("3. Fees and charges apply", "8. Fees and charges apply", "number"),
        ("Meet at 10:30 sharp.", "Meet at 11:30 sharp.", "date"),
        ("Needs Python 3.9.1 at least.", "Needs Python 3.10.0 at least.", "version"),
        ("You will be charged.", "You will not be charged.", "negation"),
        ("Anyone may enter, without a ticket.", "Anyone may enter, with a ticket.", "negation"),
        ("All members vote.", "Some members vote.", "quantifier"),
        ("Members must vote.", "Members may vote.", "modality"),
        ("Send it before Monday.", "Send it after Monday.", "antonym"),
        ("The area is public.", "The area is private.", "antonym"),
        ("This is lawful.", "This is unlawful.", "antonym"),
        ("The overpaid staff left.", "The underpaid staff left.", "antonym"),
        ("Cats and dogs stay out.", "Cats or dogs stay out.", "antonym"),
        ("We write to Maria Jensen today.", "We write to Peter Hansen today.", "entity"),
        ("Then we may share it.", "Then you may share it.", "entity"),
        ("Set max_size in the file.", "Set max_bytes in the file.", "identifier"),
        ("Call getUserName() first.", "Call getUserId() first.", "identifier"),
        ("See https://example.org/a now.", "See https://example.org/b now.", "link_target"),
        ("Where a < b holds.", "Where a > b holds.", "comparator"),
        ("Pay A 10 and B 20.", "Pay A 20 and B 10.", "number"),
        ("Now Anna pays Bert.", "So now Bert pays Anna.", "entity"),
        ("你可以复制。", "你不可以复制。", "negation"),
        ("Man darf es kopieren.", "Man darf es nicht kopieren.", "negation"),
        ("Vous pouvez le copier.", "Vous ne pouvez pas le copier.", "negation"),
    ],
)
def test_a_small_edit_that_matters_is_critical(old: str, new: str, reason: str) -> None:
    """And says why."""
    found = summary(f"Before.\n{old}\nAfter.", f"Before.\n{new}\nAfter.")

    assert (ChangeClass.CRITICAL, True) == (found.change_class, found.semantic)
    assert reason in found.reasons


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A line.\nAnother line.", "A line.\n\nAnother  line."),
        ("- one\n- two", "* one\n* two"),
        ('Say "yes" - or don\'t.', "Say “yes” – or don’t."),
        ("Terms of use", "TERMS OF USE"),
        ("Send an e-mail today.", "Send an email today."),
        ("Dated 14 June 2024.", "Dated 2024-06-14."),
        ("Posted 3 days ago", "Posted 4 days ago"),
        ("© 2024 Example", "© 2025 Example"),
        ("Last updated: 3 May 2024", "Last updated: 12 June 2024"),
        ("Fees and charges apply", "1. Fees and charges apply"),
        ("It takes 1,000 steps.", "It takes 1 000 steps."),
        ("Red, green and blue.", "Blue, red and green."),
        ("First sentence. Second sentence.", "Second sentence. First sentence."),
        ("One long sentence here. And more.", "One long sentence here.\nAnd more."),
    ],
)
def test_other_writing_is_no_news(old: str, new: str) -> None:
    """Every edit is of class format or moved, and weighs nothing."""
    found = edits(f"Before.\n{old}\nAfter.", f"Before.\n{new}\nAfter.")

    assert {edit.change_class for edit in found} <= {ChangeClass.FORMAT, ChangeClass.MOVED}
    assert {edit.salience for edit in found} <= {0.0}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The colour is organised.", "The color is organized."),
        ("It accepts the requests.", "It accepted the request."),
        ("The data that we keep.", "The data which we keep."),
        ("We recieved nothing new.", "We received nothing new."),
    ],
)
def test_rewording_that_says_the_same_is_lexical(old: str, new: str) -> None:
    """Stored, shown, and not semantic."""
    found = summary(old, new)

    assert (ChangeClass.LEXICAL, False) == (found.change_class, found.semantic)


def test_an_unknown_content_word_counts_without_any_list() -> None:
    """Words outside of the closed classes are news where they replace others."""
    found = summary("The vessel is painted teal.", "The vessel is painted ochre.")

    assert (ChangeClass.LEXICAL, True) == (found.change_class, found.semantic)


def test_a_sentence_added_or_removed_is_critical() -> None:
    """With the reason on the side it happened."""
    short, long = "We keep your data.", "We keep your data. Partners receive a full copy too."

    assert "sentence_added" in summary(short, long).reasons
    assert "sentence_removed" in summary(long, short).reasons


def test_a_sentence_that_still_stands_elsewhere_is_not_missed() -> None:
    """Removing one of two equal sentences takes nothing away."""
    old = "Bring your own tools.\nOther.\nBring your own tools."

    assert not summary(old, "Bring your own tools.\nOther.").semantic


def test_any_token_of_code_counts() -> None:
    """In code a word has no synonyms."""
    old, new = "run the task", "runs the task"

    def code(text: str) -> tuple[Block, ...]:
        return (Block(kind=BlockKind.CODE, start=0, end=len(text)),)

    found = typed_edits(old, code(old), new, code(new))

    assert [("code",)] == [edit.reasons for edit in found]


def test_another_language_is_one_semantic_change() -> None:
    """A page that answers in another language has changed, whatever it says."""
    assert summary(
        "The fee is five euros.\nPay at once.", "料金は五ユーロです。\n支払う。"
    ).semantic


@pytest.mark.parametrize("count", [50_000])
def test_very_many_blocks_are_compared_in_bounded_time(count: int) -> None:
    """Half of the blocks replaced in small gaps, and some moved."""
    chance = random.Random(7)
    words = [f"word{chance.randrange(count)}" for _ in range(count)]
    changed = [word if chance.random() < 0.5 else word + "x" for word in words]
    old, new = "\n".join(words), "\n".join([*changed[100:], *changed[:100]])
    began = time.process_time()
    found = edits(old, new)

    assert time.process_time() - began < 30
    assert found


def test_hostile_repetition_is_compared_in_bounded_time() -> None:
    """100,000 one-word blocks of three words each, in another order."""
    chance = random.Random(7)
    old = "\n".join(chance.choice("abc") for _ in range(100_000))
    new = "\n".join(chance.choice("abd") for _ in range(100_000))
    began = time.process_time()
    found = edits(old, new)

    assert time.process_time() - began < 30
    assert found


def test_one_very_large_row_is_compared_in_bounded_time() -> None:
    """A table of megabytes in one block."""
    cells = [f"cell{i}" for i in range(100_000)]
    old, new = " | ".join(cells), " | ".join([*cells[:50_000], "new", *cells[50_000:]])
    began = time.process_time()
    found = summary(old, new)

    assert time.process_time() - began < 30
    assert found.semantic
