"""Finds in a passage the words that somebody claims to quote from it.

Word for word, else set in other type, else by local alignment of tokens (Smith and Waterman,
1981) where at least 95 % of them agree. What is found is quoted as the passage has it, so a word
that the claim changed is not shown; whether the claim then holds is for `grounding` to say.
"""

import re
from collections import Counter
from collections.abc import Sequence

from scops.explainer.citations.anchors import Span, find_ignoring_type

RATIO_MIN = 0.95
MATCH = 2
MISMATCH = -2
GAP = -1
TOKENS_MAX = 200
_TOKEN = re.compile(r"\w+|[^\w\s]")


def align_quote(quote: str, text: str, hint: int = -1) -> Span | None:
    """Returns where a text holds a quote; None where it does not.

    Args:
        hint: where the quote is said to begin; decides between equal places.
    """
    if not quote.strip():
        return None
    place = _nearest(quote, text, hint)
    if place >= 0:
        return place, place + len(quote)
    return find_ignoring_type(quote, text) or _by_tokens(quote, text)


def _nearest(quote: str, text: str, hint: int) -> int:
    places: list[int] = []
    place = text.find(quote)
    while place >= 0:
        places.append(place)
        place = text.find(quote, place + len(quote))
    if not places:
        return -1
    return min(places, key=lambda found: abs(found - hint)) if hint >= 0 else places[0]


def _by_tokens(quote: str, text: str) -> Span | None:
    wanted = [match.group().casefold() for match in _TOKEN.finditer(quote)][: TOKENS_MAX + 1]
    spans = [match.span() for match in _TOKEN.finditer(text)]
    if not wanted or len(wanted) > TOKENS_MAX:
        return None
    tokens = [text[start:end].casefold() for start, end in spans]
    if (Counter(wanted) & Counter(tokens)).total() < RATIO_MIN * len(wanted):
        return None
    first, last, matches = _best_local(wanted, tokens)
    # Both sides count: neither may the quote lack words nor the span hold strangers.
    longer = max(len(wanted), last - first)
    if longer == 0 or matches / longer < RATIO_MIN:
        return None
    return spans[first][0], spans[last - 1][1]


def _best_local(wanted: Sequence[str], tokens: Sequence[str]) -> tuple[int, int, int]:
    """Returns the first and behind the last token of the best local alignment, and its matches."""
    # A cell holds (score, where its alignment began, matches); rows go over the quote.
    above = [(0, place, 0) for place in range(len(tokens) + 1)]
    best = (0, 0, 0, 0)
    for word in wanted:
        row = [(0, 0, 0)]
        for place, token in enumerate(tokens, start=1):
            score, began, matches = above[place - 1]
            equal = word == token
            cell = max(
                (0, place, 0),
                (score + (MATCH if equal else MISMATCH), began, matches + equal),
                _worse(above[place]),
                _worse(row[-1]),
                key=lambda entry: entry[0],
            )
            row.append(cell)
            if cell[0] > best[0]:
                best = (cell[0], cell[1], place, cell[2])
        above = row
    return best[1], best[2], best[3]


def _worse(cell: tuple[int, int, int]) -> tuple[int, int, int]:
    return cell[0] + GAP, cell[1], cell[2]
