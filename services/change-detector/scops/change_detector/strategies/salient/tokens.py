"""Tokens: the words, numbers and signs that a comparison is made of.

Punctuation, bullets, emphasis marks and white space are no tokens: where only these differ, the
tokens are equal. Contractions are the words they stand for. Scripts that write no spaces give a
token a character, numbers are split from letters, and an address is one token. Numbers, dates and
amounts are what they stand for in the language of their text (`written_values`).
"""

import sys
import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import regex

from scops.change_detector.matching.scripts import WIDE
from scops.change_detector.strategies.salient.comparison_text import comparison_text
from scops.change_detector.strategies.salient.notation import Notation, notation_of
from scops.change_detector.strategies.salient.written_values import with_values

Span = tuple[int, int]

_TOKEN = regex.compile(
    rf"""
      (?P<address>(?:https?|ftp)://[^\s<>"'()\[\]{{}}|\\^]+|mailto:[^\s<>"'()\[\]{{}}|\\^]+)
    | (?P<number>(?:(?<=^|[\s(=,<>:*/\[])-)?\p{{Nd}}+(?:[.,'٫٬]\p{{Nd}}+)*)
    | (?P<wide>[{WIDE}]\p{{M}}*)
    | (?P<word>(?:(?![{WIDE}])
        [\p{{L}}\p{{M}}])+(?:'\p{{L}}+)*)
    | (?P<ruler>={{3,}}|<{{3,}}|>{{3,}}|\+{{3,}}|%{{3,}})
    | (?P<sign>[<>=!]=|&&|\|\||->|=>|<-|[%‰°№§\p{{Sc}}]|(?<=\w)\++(?![\w+])
        |[≤≥≠±×÷≈]|(?<=\w)[<>](?=\w)|(?<=[\w)\]][^\S\n]+)[<>](?=[^\S\n]+[\w($.-]))
    """,
    regex.VERBOSE | regex.MULTILINE,
)
_SCHEME = regex.compile(r"https?://(?:www\.)?")
_TRAILING = ".,;:!?/-*_~"
_PRONOUNS = frozenset(
    ("it", "he", "she", "that", "there", "what", "who", "where", "here", "how", "when", "let")
)
_CONTRACTED = {"'re": "are", "'ll": "will", "'ve": "have", "'m": "am", "'d": "would"}
_WHOLE = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is", "cannot": "can"}
_SAME = {
    "pct": "%",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
}


class Spans:
    """Spans in the order of their tokens, eight bytes each: a page has a million."""

    __slots__ = ("_places",)

    def __init__(self, places: "array[int]") -> None:
        # Start and end in turn.
        self._places = places

    def __getitem__(self, place: int) -> Span:
        """Returns a span by its place, which is not negative."""
        return self._places[2 * place], self._places[2 * place + 1]

    def __iter__(self) -> Iterator[Span]:
        places = iter(self._places)
        return zip(places, places, strict=True)

    def __len__(self) -> int:
        return len(self._places) // 2

    def slice(self, first: int, last: int) -> "Spans":
        """Returns some of the spans."""
        return Spans(self._places[2 * first : 2 * last])

    @classmethod
    def joined(cls, parts: Iterable["Spans"]) -> "Spans":
        """Returns the spans of several, one after the other."""
        places = array("I")
        for part in parts:
            places.extend(part._places)
        return cls(places)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text.

    Attributes:
        original: the text that the spans lie in.
        keys: what is compared.
        spans: where each token stands; two tokens of one contraction share theirs.
        notation: how the text's language is written.
    """

    original: str
    keys: Sequence[str]
    spans: Spans
    notation: Notation

    def written(self, place: int) -> str:
        """Returns a token as it stands in the text."""
        start, end = self.spans[place]
        return self.original[start:end]

    def slice(self, first: int, last: int) -> "Tokens":
        """Returns some of the tokens."""
        spans = self.spans.slice(first, last)
        return Tokens(self.original, self.keys[first:last], spans, self.notation)


def tokens_of(
    original: str, start: int = 0, end: int | None = None, *, language: str = ""
) -> Tokens:
    """Returns the tokens of a text or a part of it; spans count from the text's beginning.

    Args:
        language: of the text; nothing where it is not known.
    """
    part = original if start == 0 and end is None else original[start:end]
    compared = comparison_text(part)
    keys: list[str] = []
    places = array("I")
    for found in _TOKEN.finditer(compared.text):
        kind = found.lastgroup
        assert kind is not None
        span = (
            start + compared.origin(found.start()),
            start + compared.origin(found.end() - 1) + 1,
        )
        for key in _keys(kind, found.group()):
            # A word stands in memory once, however often it is written.
            keys.append(sys.intern(key))
            places.extend(span)
    notation = notation_of(language)
    keys, places = with_values(original, keys, places, notation)
    return Tokens(original, tuple(keys), Spans(places), notation)


def _keys(kind: str, found: str) -> Iterator[str]:
    match kind:
        case "word":
            yield from _word_keys(found)
        case "number":
            yield _number_key(found)
        case "address":
            yield _SCHEME.sub("", found).rstrip(_TRAILING)
        case "wide":
            yield found
        case "sign":
            yield _SAME.get(found, found)


def _word_keys(word: str) -> Iterator[str]:
    if "'" not in word and word != "cannot":
        yield _SAME.get(word, word)
        return
    if word in _WHOLE or word.endswith("n't"):
        yield _WHOLE.get(word, word.removesuffix("n't"))
        yield "not"
        return
    head, _, tail = word.rpartition("'")
    if meant := _CONTRACTED.get(f"'{tail}"):
        yield from (head, meant)
    elif tail == "s":
        yield head
        if head in _PRONOUNS:
            yield "us" if head == "let" else "is"
    else:
        yield word


def _number_key(number: str) -> str:
    if number.isascii():
        return number
    plain = (str(unicodedata.digit(sign)) if sign.isdecimal() else sign for sign in number)
    # The signs of Arabic: before the fraction, and between groups.
    return "".join(plain).replace("٬", "").replace("٫", ".")
