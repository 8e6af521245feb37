"""Matching two sequences by equal elements: patience anchors, then difflib in small gaps."""

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise

Pair = tuple[int, int]
CELLS_MAX = 250_000


def longest_increasing(values: Sequence[int]) -> list[int]:
    """Returns the places of one longest strictly increasing subsequence; O(n log n)."""
    tails: list[int] = []
    places: list[int] = []
    previous: list[int] = []
    for place, value in enumerate(values):
        length = bisect_left(tails, value)
        previous.append(places[length - 1] if length else -1)
        if length == len(tails):
            tails.append(value)
            places.append(place)
        else:
            tails[length], places[length] = value, place
    chain: list[int] = []
    place = places[-1] if places else -1
    while place >= 0:
        chain.append(place)
        place = previous[place]
    return chain[::-1]


def match(
    old: Sequence[Hashable], new: Sequence[Hashable], *, cells_max: int = CELLS_MAX
) -> list[Pair]:
    """Returns pairs (i, j) with `old[i] == new[j]`, rising in both: a common subsequence.

    Equal ends are taken first, then elements that stand once in both, then each gap between them
    is compared element by element.

    Args:
        cells_max: a gap with a larger product of its lengths is left unmatched, so that hostile
            input costs no more than linear time.
    """
    pairs: list[Pair] = []
    gaps = [(0, len(old), 0, len(new))]
    while gaps:
        low, high, left, right = gaps.pop()
        while low < high and left < right and old[low] == new[left]:
            pairs.append((low, left))
            low, left = low + 1, left + 1
        while low < high and left < right and old[high - 1] == new[right - 1]:
            high, right = high - 1, right - 1
            pairs.append((high, right))
        anchors = _unique_anchors(old, new, (low, high, left, right))
        if anchors:
            pairs += anchors
            gaps += _gaps_between(anchors, (low, high, left, right))
        elif 0 < (high - low) * (right - left) <= cells_max:
            pairs += _compare(old[low:high], new[left:right], low, left)
    return sorted(pairs)


Gap = tuple[int, int, int, int]


def _unique_anchors(old: Sequence[Hashable], new: Sequence[Hashable], gap: Gap) -> list[Pair]:
    low, high, left, right = gap
    if low == high or left == right:
        return []
    in_old, in_new = Counter(old[low:high]), Counter(new[left:right])
    places = {old[i]: i for i in range(low, high) if in_old[old[i]] == 1}
    shared = [
        (places[new[j]], j) for j in range(left, right) if in_new[new[j]] == 1 and new[j] in places
    ]
    return [shared[k] for k in longest_increasing([i for i, _ in shared])]


def _gaps_between(anchors: Sequence[Pair], gap: Gap) -> list[Gap]:
    low, high, left, right = gap
    bounds = [(low - 1, left - 1), *anchors, (high, right)]
    gaps = [(i + 1, next_i, j + 1, next_j) for (i, j), (next_i, next_j) in pairwise(bounds)]
    return [g for g in gaps if g[0] < g[1] and g[2] < g[3]]


def _compare(old: Sequence[Hashable], new: Sequence[Hashable], low: int, left: int) -> list[Pair]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        (low + block.a + k, left + block.b + k)
        for block in matcher.get_matching_blocks()
        for k in range(block.size)
    ]
