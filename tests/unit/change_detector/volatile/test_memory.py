"""What a page's history teaches: which blocks are volatile, when calm, and what has settled."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from scops.change_detector.chunking.chunker import Body
from scops.change_detector.volatile import memory as rules
from scops.change_detector.volatile.memory import (
    NO_MEMORY,
    PageLook,
    Recollection,
    SilentSpans,
    VolatileSpans,
    learned,
    made_loud,
    settled,
    settles_at,
    volatile_spans,
)
from scops.change_detector.volatile.steps import page_step
from scops.common.contract.messages.change import MemoryKind
from tests.fakes.worlds.change import at, body_of

FRAME = "# Fees\nPay at the desk.\n{}\nThe desk is open all day.\nAsk for a receipt."
CALM = rules.CALM_LOOKS_MIN


def body(line: str, frame: str = FRAME) -> Body:
    """Returns a page that says a line among others; an empty one leaves it out."""
    text = frame.format(line) if line else frame.replace("{}\n", "")
    return Body(text=text, document=body_of(text))


def look_at(number: int, minutes: float | None = None) -> PageLook:
    """Returns a look, by default one a minute."""
    return PageLook(number, at(number if minutes is None else minutes))


class History:
    """Learns from one text after another, as the service does."""

    def __init__(self) -> None:
        self.memory = NO_MEMORY
        self.shown: Body | None = None
        self.run = at(0)
        self.number = 0

    def see(self, line: str, *, minutes: float | None = None, looks: int = 1) -> VolatileSpans:
        """Shows a line for some looks; returns what was volatile when it came."""
        coming, look = body(line), look_at(self.number, minutes)
        found = rules.NOTHING_VOLATILE
        if self.shown is not None and coming.text != self.shown.text:
            step = page_step(self.shown, coming)
            found = volatile_spans(self.memory, step, look)
            before = Recollection(memory=self.memory, look=look, told_before=self.run)
            silent = SilentSpans(found.old, found.new)
            self.memory = learned(before, step, silent, run=look.time)
            self.run = look.time
        self.shown, self.number = coming, self.number + looks
        return found

    def silent(self, lines: Sequence[str], **options: float) -> list[bool]:
        """Returns which of some texts came silently."""
        return [bool(self.see(line, **options)) for line in lines]  # type: ignore[arg-type]


def test_texts_that_alternate_are_volatile_after_their_second_turn() -> None:
    """There and back is told; whatever alternates from then on is not."""
    assert [False, False, False, True, True] == History().silent(
        ["a b", "c d", "a b", "c d", "a b"]
    )


def test_a_block_that_comes_and_goes_is_volatile_after_its_second_turn() -> None:
    """The same without anything in its place."""
    assert [False, False, False, True, True] == History().silent(["a b", "", "a b", "", "a b"])


def test_a_text_that_never_stood_is_news_where_texts_alternate() -> None:
    """What is volatile are the texts that came and went, not what is said in their place."""
    days, words = History(), History()
    days.silent(["due by 3 May", "due by 9 May"] * 4)
    words.silent(["not yet due", "due soon"] * 4)

    assert not days.see("due by 8 May").new
    assert not words.see("not due at all").new


def test_numbers_that_change_at_each_look_are_volatile_after_three() -> None:
    """A counter never shows the same twice."""
    history = History()
    counts = [f"{n} people are here" for n in (5, 9, 14, 20, 31)]

    assert [False, False, False, False, True] == history.silent(counts)
    assert MemoryKind.NUMBERS in {block.kind for block in history.memory.blocks}


def test_another_wording_beside_a_counter_is_news() -> None:
    """Only what has changed so far is usual."""
    history = History()
    history.silent([f"{n} people are here" for n in (5, 9, 14, 20)])

    assert not history.see("21 people are not here").new


def test_a_place_whose_texts_change_at_each_look_is_volatile_after_three() -> None:
    """Quotes of the day, for one."""
    quotes = ["one thing", "quite another", "something else", "yet more words", "and so on"]

    assert [False, False, False, False, True] == History().silent(quotes)


def test_numbers_that_stay_for_a_while_are_news_each_time() -> None:
    """A price that changes now and then changes by a fact."""
    history = History()
    prices = [f"the fee is {n} euros" for n in (5, 6, 7, 8, 9, 10)]

    assert [False] * 6 == [bool(history.see(price, looks=3)) for price in prices]


def test_a_page_that_gives_way_as_a_whole_has_no_volatile_place() -> None:
    """Where nothing stands still, nothing tells a place."""
    memory, shown = NO_MEMORY, None
    for number in range(6):
        text = "\n".join(f"line {chr(97 + number)} {word}" for word in ("one", "two", "three"))
        coming = Body(text=text, document=body_of(text))
        if shown is not None:
            step = page_step(shown, coming)
            assert not volatile_spans(memory, step, look_at(number))
            before = Recollection(memory=memory, look=look_at(number), told_before=at(0))
            memory = learned(before, step, SilentSpans(), run=at(number))
        shown = coming


def test_a_volatile_block_is_calm_once_nothing_has_happened_for_some_looks() -> None:
    """From then on a change is news."""
    history = History()
    history.silent(["a b", "c d", "a b", "c d"])
    history.number += CALM

    assert not history.see("a b")


def test_what_alternates_slowly_is_calm_after_twice_its_longest_stay() -> None:
    """Else each of its turns would come to stay."""
    history = History()
    for line in ("a b", "c d", "a b"):
        history.see(line, looks=10)

    assert history.see("c d", looks=19)
    assert history.see("a b", looks=40)
    assert not history.see("c d")


def test_what_flipped_long_ago_teaches_nothing() -> None:
    """Opening hours of summer and winter are news each time."""
    history = History()
    month = timedelta(days=31) / timedelta(minutes=1)
    found = [
        bool(history.see(line, minutes=n * month))
        for n, line in enumerate(["in summer", "in winter"] * 3)
    ]

    assert [False] * 6 == found
    assert len(history.memory.blocks) == 3


def test_a_silent_change_that_stays_settles_and_is_told_against_what_is_known() -> None:
    """Told against the newest run that nothing of was silent."""
    history = History()
    history.silent(["a b", "c d", "a b"])
    known = history.run
    history.see("c d")
    due = settles_at(history.memory)
    assert due is not None
    before = settled(history.memory, look_at(due - 1), run=history.run)
    after = settled(history.memory, look_at(due), run=history.run)

    assert known == history.memory.told_from_time
    assert (due, known) == (settles_at(before), before.told_from_time)
    assert (None, history.run) == (settles_at(after), after.told_from_time)


def test_a_change_that_is_taken_back_is_not_told_apart_from_what_is_known() -> None:
    """The run that readers know stays the same one, however long it goes on."""
    history = History()
    history.silent(["a b", "c d", "a b"])
    known = history.run
    history.silent(["c d", "a b", "c d"])

    assert known == history.memory.told_from_time


def test_a_loud_block_is_never_volatile() -> None:
    """Whatever its history; and what is asked for can be taken back."""
    history = History()
    history.silent(["a b", "c d", "a b"])
    key = next(block.key for block in history.memory.blocks)
    again = history.memory
    history.memory = made_loud(history.memory, key, loud=True)
    seen = history.see("c d")
    history.memory = made_loud(again, key, loud=False)

    assert not (seen.old and seen.new)
    assert again == history.memory


def test_what_is_remembered_of_a_page_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is loud, waits or flips most is kept."""
    monkeypatch.setattr(rules, "BLOCKS_MAX", 4)
    history = History()
    history.silent(["a b", "c d", "a b", *(f"word {chr(97 + n)}" for n in range(9))])

    assert len(history.memory.blocks) == 4
    assert {2, 3} <= {block.flips for block in history.memory.blocks}


def test_a_memory_without_looks_is_the_same_when_nothing_is_due() -> None:
    """Settling tells of what is due and touches nothing else."""
    history = History()
    history.silent(["a b", "c d", "a b", "c d"])
    later = settled(history.memory, look_at(history.number), run=history.run)

    assert history.memory == later
