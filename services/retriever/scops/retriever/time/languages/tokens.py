"""Cuts a text into words, numbers and signs, and finds phrases among them."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

# Digits, letters, or one sign; no place is looked at twice.
TOKEN = re.compile(r"\d+|[^\W\d_]+|[^\w\s]|_")
PHRASE_TOKENS_MAX = 6
# Signs that are typed in two ways.
_SAME = str.maketrans({"’": "'", "ʼ": "'", "‐": "-", "‑": "-", "İ": "i"})
_FULL_WIDTH = {ord("０") + digit: str(digit) for digit in range(10)}
Phrase = tuple[str, ...]


@dataclass(frozen=True)
class TextPieces:
    """A text in pieces.

    Attributes:
        text: the text, with each character at its place; digits are ASCII.
        words: the pieces in lower case.
        spans: where each begins and ends in the text.
    """

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.words)

    def word(self, place: int) -> str:
        """Returns a piece; empty outside of the text."""
        return self.words[place] if 0 <= place < len(self.words) else ""

    def written(self, place: int) -> str:
        """Returns a piece as it stands in the text."""
        start, end = self.spans[place]
        return self.text[start:end]

    def glued(self, place: int) -> bool:
        """Says whether nothing stands between a piece and the next one."""
        return 0 <= place < len(self) - 1 and self.spans[place][1] == self.spans[place + 1][0]

    @cached_property
    def has_capitals(self) -> bool:
        """Whether a word after the first begins with a capital letter."""
        first = self.spans[0][1] if self.spans else 0
        return any(letter.isupper() for letter in self.text[first:])


def cut(text: str) -> TextPieces:
    """Returns a text in pieces; the places are those of `text`."""
    same = plain(text)
    spans = tuple(match.span() for match in TOKEN.finditer(same))
    lowered = tuple(same[start:end].lower() for start, end in spans)
    return TextPieces(same, lowered, spans)


def plain(text: str) -> str:
    """Returns a text of the same length, with signs and digits in one form."""
    return text.translate(_SAME).translate(_FULL_WIDTH)


def phrases(text: str) -> frozenset[Phrase]:
    """Returns the phrases between commas, in pieces."""
    parts = (tuple(TOKEN.findall(plain(part))) for part in text.split(","))
    return frozenset(part for part in parts if part)


def kinds(table: Mapping[str, str]) -> dict[Phrase, frozenset[str]]:
    """Returns for each phrase the names of the rows that hold it."""
    found: dict[Phrase, frozenset[str]] = {}
    for name, text in table.items():
        for phrase in phrases(text):
            found[phrase] = found.get(phrase, frozenset()) | {name}
    return found


def length_before(known: Collection[Phrase], words: Sequence[str], place: int) -> int:
    """Returns how many pieces the longest phrase has that ends in front of a place; 0 for none."""
    for count in range(min(PHRASE_TOKENS_MAX, place), 0, -1):
        if tuple(words[place - count : place]) in known:
            return count
    return 0


def length_after(known: Collection[Phrase], words: Sequence[str], place: int) -> int:
    """Returns how many pieces the longest phrase has that begins at a place; 0 for none."""
    for count in range(min(PHRASE_TOKENS_MAX, len(words) - place), 0, -1):
        if tuple(words[place : place + count]) in known:
            return count
    return 0
