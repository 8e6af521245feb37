"""How much of each block's words stand in the text that an extractor from a library kept.

Nearly every block stands there as a line of its own, or not at all; only what is left of both is
compared by its words.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

SHINGLE_WORDS = 4
# What trafilatura writes before the text of a list item.
_BULLET = "- "
_WORD = re.compile(r"\w+")

_Shingle = tuple[str, ...]


class WordShares:
    """The blocks of a page, to be looked up in texts.

    Args:
        texts: of the blocks, each on one line unless it is code.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._known = frozenset(texts)
        # Words of the blocks that were compared by them, for the next text.
        self._words: dict[str, list[str]] = {}

    def of(self, text: str) -> list[float]:
        """Returns for each block the share of its words that stand in a text in their order.

        Blocks that are no line of the text are looked up in the lines that are no block; of more
        than three words each four in a row count.
        """
        lines = [line.strip().removeprefix(_BULLET) for line in text.splitlines()]
        whole = self._known.intersection(lines)
        rest = _Rest.of(line for line in lines if line and line not in whole)
        return [1.0 if entry in whole else self._share(entry, rest) for entry in self._texts]

    def _share(self, text: str, rest: "_Rest") -> float:
        if not rest.lines and not rest.shingles:
            return 0.0
        words = self._words.get(text)
        if words is None:
            words = self._words[text] = _words(text)
        if len(words) < SHINGLE_WORDS:
            return float(tuple(words) in rest.lines)
        shingles = _shingles(words)
        return sum(map(rest.shingles.__contains__, shingles)) / len(shingles)


class _Rest(NamedTuple):
    """Lines to look words up in: short ones as a whole, all of them by shingles."""

    lines: frozenset[_Shingle]
    shingles: frozenset[_Shingle]

    @classmethod
    def of(cls, lines: Iterable[str]) -> "_Rest":
        words_of_lines = [_words(line) for line in lines]
        return cls(
            frozenset(tuple(words) for words in words_of_lines if len(words) < SHINGLE_WORDS),
            frozenset(_shingles([word for words in words_of_lines for word in words])),
        )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _shingles(words: Sequence[str]) -> list[_Shingle]:
    # One slice a word of SHINGLE_WORDS.
    return list(zip(words, words[1:], words[2:], words[3:], strict=False))
