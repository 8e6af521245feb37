"""Matching two sequences by equal elements: patience anchors, then difflib in small gaps."""

import difflib
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Pair = tuple[int, int]
CELLS_MAX = 250_000
# Comparisons of one pair of sequences, for each of their elements and at least; ordinary texts
# take a tenth of it, and what repeats a few elements without end would take the cube.
STEPS_PER_ELEMENT, STEPS_MIN = 300, 50_000


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
    steps = _Steps(STEPS_MIN + STEPS_PER_ELEMENT * (len(old) + len(new)))
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
            pairs += _compare(old[low:high], new[left:right], low, left, steps)
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


@dataclass(slots=True)
class _Steps:
    """Comparisons that are left."""

    left: int


def _compare(
    old: Sequence[Hashable], new: Sequence[Hashable], low: int, left: int, steps: _Steps
) -> list[Pair]:
    """Returns the pairs of difflib's matching blocks, as many as the steps allow."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    places = Counter(new)
    pairs: list[Pair] = []
    gaps = [(0, len(old), 0, len(new))]
    while gaps:
        a_low, a_high, b_low, b_high = gaps.pop()
        # What difflib does to find one longest block: each element meets all its equals.
        steps.left -= a_high - a_low + sum(places[old[i]] for i in range(a_low, a_high))
        if steps.left < 0:
            break
        a, b, size = matcher.find_longest_match(a_low, a_high, b_low, b_high)
        if not size:
            continue
        pairs += [(low + a + k, left + b + k) for k in range(size)]
        around = ((a_low, a, b_low, b), (a + size, a_high, b + size, b_high))
        gaps += [gap for gap in around if gap[0] < gap[1] and gap[2] < gap[3]]
    return pairs
