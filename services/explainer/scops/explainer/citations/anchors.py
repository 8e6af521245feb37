"""Finds a cited span again in another text of its page.

It is the *same* where it still stands between the lines that it stood between, whatever its
offset; *moved* where it stands elsewhere, or set in other type (spaces, quotes, dashes, case).
Any other difference, be it one digit, means that the text does not show it any more: a page that
says 17 instead of 14 must not pass as the source of 14.

Source: W3C Web Annotation, TextPositionSelector and TextQuoteSelector.
Differs: no fuzzy match, for that reason.
"""

import bisect
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scops.common.contract.messages.explanation import Anchor

Span = tuple[int, int]
OCCURRENCES_MAX = 1000
CONTEXT_CHARACTERS = 64
_LINE = re.compile(r"^[^\S\n]*+\S[^\n]*+", re.MULTILINE)
_TYPE = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "\N{SOFT HYPHEN}": "",
        "\u200b": "", "\u200c": "", "\u200d": "", "\u2060": "", "\ufeff": "",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnchorMatch:
    """Where a span stands in the other text."""

    anchor: Anchor
    start: int
    end: int


def find_again(text: str, span: Span, other: str) -> AnchorMatch | None:
    """Returns where `text[start:end]` stands in another text; None where it does not.

    Among several places the one that is the same wins, then the one with the same surroundings.
    """
    start, end = span
    if text == other:
        return AnchorMatch(Anchor.SAME, start, end)
    quote = text[start:end]
    places = _occurrences(other, quote)
    if not places:
        place = find_ignoring_type(quote, other)
        return None if place is None else AnchorMatch(Anchor.MOVED, *place)
    low, high = _window(text, span, other)
    standing = [place for place in places if low <= place and place + len(quote) <= high]
    best = max(standing or places, key=lambda place: _agreement(text, span, other, place))
    anchor = Anchor.SAME if standing else Anchor.MOVED
    return AnchorMatch(anchor, best, best + len(quote))


def find_ignoring_type(quote: str, other: str) -> Span | None:
    """Returns where a text holds a quote, whatever the type of both; None where it does not."""
    sought, _ = _plain(quote)
    text, offsets = _plain(other)
    place = text.find(sought) if sought else -1
    if place < 0:
        return None
    return offsets[place], offsets[place + len(sought) - 1] + 1


def _occurrences(text: str, quote: str) -> list[int]:
    places: list[int] = []
    place = text.find(quote) if quote else -1
    while place >= 0 and len(places) < OCCURRENCES_MAX:
        places.append(place)
        place = text.find(quote, place + 1)
    return places


def _window(text: str, span: Span, other: str) -> Span:
    """Returns the part of the other text that lies where the span lay: between its neighbours.

    The neighbours are the nearest lines that both texts hold once each and in the same order; a
    line that holds the span itself is its own neighbour.
    """
    old, new = _lines(text), _lines(other)
    pairs = _kept_lines(text, old, other, new)
    first = bisect.bisect_right(old, span[0], key=lambda line: line[0]) - 1
    last = bisect.bisect_left(old, span[1], key=lambda line: line[0]) - 1
    before = bisect.bisect_right(pairs, first, key=lambda pair: pair[0]) - 1
    after = bisect.bisect_left(pairs, last, key=lambda pair: pair[0])
    low = new[pairs[before][1]][0] if before >= 0 else 0
    high = new[pairs[after][1]][1] if after < len(pairs) else len(other)
    return low, high


def _lines(text: str) -> list[Span]:
    return [match.span() for match in _LINE.finditer(text)]


def _kept_lines(
    text: str, old: Sequence[Span], other: str, new: Sequence[Span]
) -> list[tuple[int, int]]:
    """Returns the lines that are unique in both texts, the longest run of them in one order."""
    old_texts = [text[slice(*line)].strip() for line in old]
    new_texts = [other[slice(*line)].strip() for line in new]
    once = {line for line, count in Counter(old_texts).items() if count == 1}
    once &= {line for line, count in Counter(new_texts).items() if count == 1}
    places = {line: place for place, line in enumerate(new_texts) if line in once}
    pairs = [(i, places[line]) for i, line in enumerate(old_texts) if line in once]
    return [pairs[i] for i in _longest_rising([j for _, j in pairs])]


def _longest_rising(values: Sequence[int]) -> list[int]:
    """Returns the places of a longest rising subsequence."""
    tails: list[int] = []
    tail_places: list[int] = []
    previous: list[int] = []
    for place, value in enumerate(values):
        length = bisect.bisect_left(tails, value)
        previous.append(tail_places[length - 1] if length else -1)
        if length == len(tails):
            tails.append(value)
            tail_places.append(place)
        else:
            tails[length], tail_places[length] = value, place
    chain: list[int] = []
    place = tail_places[-1] if tail_places else -1
    while place >= 0:
        chain.append(place)
        place = previous[place]
    return chain[::-1]


def _agreement(text: str, span: Span, other: str, place: int) -> int:
    """Returns how many characters around a place are those around the span."""
    start, end = span
    other_end = place + end - start
    before = zip(
        reversed(text[max(start - CONTEXT_CHARACTERS, 0) : start]),
        reversed(other[max(place - CONTEXT_CHARACTERS, 0) : place]),
        strict=False,
    )
    after = zip(
        text[end : end + CONTEXT_CHARACTERS],
        other[other_end : other_end + CONTEXT_CHARACTERS],
        strict=False,
    )
    return _equal_run(before) + _equal_run(after)


def _equal_run(pairs: "zip[tuple[str, str]]") -> int:
    run = 0
    for left, right in pairs:
        if left != right:
            break
        run += 1
    return run


def _plain(text: str) -> tuple[str, list[int]]:
    """Returns a text without its type, and where each of its characters comes from."""
    letters: list[str] = []
    offsets: list[int] = []
    for offset, letter in enumerate(text):
        plain = unicodedata.normalize("NFKC", letter.translate(_TYPE)).casefold()
        if letter.isspace():
            plain = " " if letters and letters[-1] != " " else ""
        letters.extend(plain)
        offsets.extend([offset] * len(plain))
    while letters and letters[-1] == " ":
        letters.pop()
        offsets.pop()
    return "".join(letters), offsets
