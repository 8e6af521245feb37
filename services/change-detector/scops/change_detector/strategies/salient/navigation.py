"""Tells what of a text leads elsewhere rather than says something: menus and lists of contents.

An extractor lets some of them through, and what it lets through differs from fetch to fetch. They
are told from lists of facts by what stands around them: a list of facts is introduced, by its
heading or by a line that ends in a colon, and repeats no headings.

- A *menu* is a run of at least four labels (a few words, no number, no full stop, nothing like
  "not", "must" or "all") that nothing introduces, before a heading or at the end of the text. It is
  navigation where it came or went as a whole and no other took its place, and whatever comes or
  goes in it where it names something twice, as no list of facts does.
- *Contents* are a run of labels of which at least three, and half, are what headings of the other
  text say, with the heading above them. So is a heading alone that still stands in the other text.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from scops.change_detector.strategies.salient.tokens import tokens_of
from scops.change_detector.strategies.salient.words import (
    COMPARATORS,
    MODALITIES,
    NEGATIONS,
    QUANTIFIERS,
)
from scops.common.contract.messages.content import Block, BlockKind

MENU_LABELS_MIN = 4
CONTENTS_LABELS_MIN = 3
LABEL_WORDS_MAX = 6
LABEL_CHARACTERS_MAX = 48
PROSE_WORDS_MIN = 8

Span = tuple[int, int]
_WORD = regex.compile(r"\w+")
_CLOSED = regex.compile(r"[.!?…。！？؟।][\"'”’»)\]]*$")
_NO_LABEL = regex.compile(r"\p{N}|\p{Sc}|%|[.!?…。！？؟।:;：；][\"'”’»)\]]*$")
# Words that tell what holds, and what does not: names of pages seldom have them.
_SAYING = NEGATIONS | MODALITIES | QUANTIFIERS | COMPARATORS
_LISTED = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})


@dataclass(frozen=True, slots=True)
class _BlockRun:
    """Blocks that follow each other: places of the first, and of the one after the last."""

    first: int
    end: int


class NavigationSide:
    """One of two texts that are compared, with the places where it alone has something.

    Args:
        alone: spans of what the other text does not have.
    """

    def __init__(self, text: str, blocks: Sequence[Block], alone: Iterable[Span]) -> None:
        self._text = text
        self._blocks = blocks
        self._starts = [block.start for block in blocks]
        places = (self._place(span) for span in alone)
        self._alone = {place for place in places if place is not None}

    def headings(self) -> frozenset[tuple[str, ...]]:
        """Returns what the headings say, without the numbers before them."""
        return frozenset(
            self._said(place)
            for place, block in enumerate(self._blocks)
            if block.kind is BlockKind.HEADING
        )

    def has_whole_menu(self) -> bool:
        """Returns whether the other text has nothing of some menu."""
        return any(self._is_alone(run) for run in self._menus())

    def navigation(
        self, other_headings: frozenset[tuple[str, ...]], *, whole_menus: bool
    ) -> list[Span]:
        """Returns the spans of blocks in which a change leads elsewhere and says nothing.

        Args:
            whole_menus: whether menus count that came or went as a whole.
        """
        found: set[int] = set()
        for run in self._menus():
            if (whole_menus and self._is_alone(run)) or self._names_twice(run):
                found.update(range(run.first, run.end))
        for run in self._contents(other_headings):
            found.update(range(run.first, run.end))
        found.update(p for p in self._alone if self._is_heading(p, of=other_headings))
        return [(self._blocks[place].start, self._blocks[place].end) for place in sorted(found)]

    def _menus(self) -> Iterable[_BlockRun]:
        for run in self._runs(self._is_label):
            before, after = run.first - 1, run.end
            is_introduced = before >= 0 and not self._is_prose(before)
            if is_introduced or run.end - run.first < MENU_LABELS_MIN:
                continue
            if after == len(self._blocks) or self._blocks[after].kind is BlockKind.HEADING:
                yield run

    def _is_alone(self, run: _BlockRun) -> bool:
        return self._alone.issuperset(range(run.first, run.end))

    def _names_twice(self, run: _BlockRun) -> bool:
        said = [self._said(place) for place in range(run.first, run.end)]
        return len(set(said)) < len(said)

    def _is_heading(self, place: int, *, of: frozenset[tuple[str, ...]]) -> bool:
        return self._blocks[place].kind is BlockKind.HEADING and self._said(place) in of

    def _contents(self, headings: frozenset[tuple[str, ...]]) -> Iterable[_BlockRun]:
        for run in self._runs(self._is_label):
            repeated = sum(self._said(place) in headings for place in range(run.first, run.end))
            if repeated < max(CONTENTS_LABELS_MIN, (run.end - run.first) / 2):
                continue
            above = run.first - 1
            has_title = above in self._alone and self._blocks[above].kind is BlockKind.HEADING
            yield _BlockRun(above if has_title else run.first, run.end)

    def _runs(self, belongs: Callable[[int], bool]) -> Iterable[_BlockRun]:
        edges = [-1, *(p for p in range(len(self._blocks)) if not belongs(p)), len(self._blocks)]
        return [_BlockRun(one + 1, other) for one, other in pairwise(edges) if one + 1 < other]

    def _is_label(self, place: int) -> bool:
        block = self._blocks[place]
        if block.kind not in _LISTED or block.end - block.start > LABEL_CHARACTERS_MAX:
            return False
        text = self._text[block.start : block.end].strip()
        if _NO_LABEL.search(text) or not 0 < len(_WORD.findall(text)) <= LABEL_WORDS_MAX:
            return False
        return _SAYING.isdisjoint(tokens_of(self._text, block.start, block.end).keys)

    def _is_prose(self, place: int) -> bool:
        """Whether a block says something and introduces nothing."""
        block = self._blocks[place]
        if block.kind not in _LISTED:
            return False
        text = self._text[block.start : block.end].strip()
        if text.endswith((":", "：")):
            return False
        return bool(_CLOSED.search(text)) or len(_WORD.findall(text)) >= PROSE_WORDS_MIN

    def _said(self, place: int) -> tuple[str, ...]:
        block = self._blocks[place]
        keys = tokens_of(self._text, block.start, block.end).keys
        return tuple(keys[1:] if len(keys) > 1 and keys[0].isdigit() else keys)

    def _place(self, span: Span) -> int | None:
        place = bisect_right(self._starts, span[0]) - 1
        return place if place >= 0 and span[1] <= self._blocks[place].end else None
