"""Pairs what resembles each other inside a gap that equal elements left open."""

from collections import Counter
from collections.abc import Sequence

import regex

from scops.change_detector.matching.scripts import LETTERS, WIDE_LETTER

Pair = tuple[int, int]
# Two pieces that share fewer of their words read as one removed and one added.
LIKENESS_MIN = 0.4
COMPARISONS_MAX = 10_000
_TOKENS = regex.compile(rf"{WIDE_LETTER}|{LETTERS}(?:[.'’]{LETTERS})*|[^\w\s]")


def tokens_of(text: str) -> Counter[str]:
    """Returns the words and signs of a text with their numbers, lower-cased."""
    return Counter(_TOKENS.findall(text.lower()))


def jaccard(first: Counter[str], second: Counter[str], *, total: int) -> float:
    """Returns shared over all tokens, counted with multiplicity, in [0, 1]; 0 for two empty.

    Args:
        total: tokens of both together.
    """
    few, many = (first, second) if len(first) < len(second) else (second, first)
    shared = sum(min(count, many[token]) for token, count in few.items() if token in many)
    return shared / (total - shared) if total else 0.0


def pair_similar(
    old: Sequence[Counter[str]],
    new: Sequence[Counter[str]],
    *,
    jaccard_min: float = LIKENESS_MIN,
    cells_max: int = COMPARISONS_MAX,
) -> list[Pair]:
    """Returns the most similar pairs (i, j), greedily, each element at most once, by rising j.

    Args:
        jaccard_min: least similar pair that counts.
        cells_max: most comparisons; beyond it an element meets only those at about its own
            place.
    """
    reach = max(1, cells_max // max(len(old), 1))
    old_totals, new_totals = [t.total() for t in old], [t.total() for t in new]
    found = []
    for i, tokens in enumerate(old):
        for j in _near(i, len(old), len(new), reach):
            fewer, more = sorted((old_totals[i], new_totals[j]))
            if fewer < jaccard_min * more:
                # Even if all tokens were shared, the likeness would be too small.
                continue
            likeness = jaccard(tokens, new[j], total=fewer + more)
            if likeness >= jaccard_min:
                # Of equally similar ones, those at about the same place.
                found.append((-likeness, abs(i - j), i, j))
    taken_old: set[int] = set()
    pairs: dict[int, int] = {}
    for _, _, i, j in sorted(found):
        if i not in taken_old and j not in pairs:
            taken_old.add(i)
            pairs[j] = i
    return [(pairs[j], j) for j in sorted(pairs)]


def _near(i: int, old_count: int, new_count: int, reach: int) -> range:
    if new_count <= reach:
        return range(new_count)
    middle = i * new_count // old_count
    first = min(max(0, middle - reach // 2), new_count - reach)
    return range(first, first + reach)
