"""Aligns two texts: by blocks, then by segments in the gaps, then similar segments in pairs.

Blocks and segments are matched by 64-bit hashes with patience diff; what matches outside of the
common order was moved; inside a gap the rest is paired by likeness. Every comparison comes out of
a budget, so that hostile texts cost no more than linear time beyond it.

Source: patience diff (Bram Cohen).
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from scops.change_detector.chunking.atoms import hash64
from scops.change_detector.matching.sequences import match
from scops.change_detector.matching.similar import Pair, pair_similar
from scops.change_detector.strategies.salient.segments import (
    Segment,
    blocks_of,
    segments_of,
)
from scops.change_detector.strategies.salient.tokens import Spans, Tokens
from scops.common.contract.messages.content import Block

Span = tuple[int, int]
TokenRun = tuple[int, int, int, int]
"""Tokens that differ: old start, old end, new start, new end."""
GAP_TOKENS_MAX = 4_000
# Segments compared for likeness in one pair of texts, all gaps together.
COMPARISONS_MAX = 100_000


@dataclass(frozen=True, slots=True)
class SegmentChange:
    """Segments that stand against each other, and the runs of tokens that differ.

    Attributes:
        old, new: the segments of either side; one of them may be empty.
        runs: places in the tokens of all `old` and all `new` segments, joined.
    """

    old: tuple[Segment, ...]
    new: tuple[Segment, ...]
    runs: tuple[TokenRun, ...] = ()


@dataclass(frozen=True, slots=True)
class Correspondence:
    """How two texts correspond, beside what is equal in both.

    Attributes:
        moved: equal segments or blocks out of order, by their places in old and new text.
        rewritten: old and new spans that say the same in other signs.
        changes: what differs in words.
    """

    moved: tuple[tuple[Span, Span], ...]
    rewritten: tuple[tuple[Span, Span], ...]
    changes: tuple[SegmentChange, ...]


def correspondence(
    old_text: str,
    old_blocks: Sequence[Block],
    new_text: str,
    new_blocks: Sequence[Block],
    *,
    languages: tuple[str, str] = ("", ""),
) -> Correspondence:
    """Returns how two texts correspond; of a text with itself, nothing.

    Args:
        languages: of the old text and of the new one.
    """
    if old_text == new_text:
        return Correspondence((), (), ())
    olds, news = blocks_of(old_text, old_blocks), blocks_of(new_text, new_blocks)
    found = _Found()
    gaps = [
        (
            segments_of(old_text, old, language=languages[0]),
            segments_of(new_text, new, language=languages[1]),
        )
        for old, new in _block_gaps(old_text, olds, new_text, news, found)
    ]
    left = [_unequal(*gap, found) for gap in gaps]
    left = _without_moved(left, found)
    spent = _Budget(sum(len(a) * len(b) for a, b in left))
    for old, new in left:
        if _keys(old) == _keys(new):
            if old:
                found.rewritten.append((_extent(old), _extent(new)))
            continue
        found.changes += _changes(old, new, spent)
    return Correspondence(tuple(found.moved), tuple(found.rewritten), tuple(found.changes))


@dataclass(slots=True)
class _Found:
    moved: list[tuple[Span, Span]] = field(default_factory=list)
    rewritten: list[tuple[Span, Span]] = field(default_factory=list)
    changes: list[SegmentChange] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Budget:
    """Shares the comparisons between gaps, each by its size."""

    asked: int

    def share(self, old: int, new: int) -> int:
        return max(1, old * new * COMPARISONS_MAX // max(self.asked, COMPARISONS_MAX))


def _block_gaps(
    old_text: str,
    olds: Sequence[Block],
    new_text: str,
    news: Sequence[Block],
    found: _Found,
) -> list[tuple[list[tuple[int, Block]], list[tuple[int, Block]]]]:
    """Returns the numbered blocks that differ, gap by gap between equal blocks."""
    old_keys = [hash64(old_text[block.start : block.end]) for block in olds]
    new_keys = [hash64(new_text[block.start : block.end]) for block in news]
    anchors = match(old_keys, new_keys)
    old_left, new_left = (
        _others(olds, [i for i, _ in anchors]),
        _others(news, [j for _, j in anchors]),
    )
    moved = _same_key([(old_keys[i], i) for i in old_left], [(new_keys[j], j) for j in new_left])
    found.moved += [((olds[i].start, olds[i].end), (news[j].start, news[j].end)) for i, j in moved]
    gone, come = {i for i, _ in moved}, {j for _, j in moved}
    gaps = []
    for (i, j), (next_i, next_j) in pairwise([(-1, -1), *anchors, (len(olds), len(news))]):
        if i + 1 == next_i and j + 1 == next_j:
            continue
        old = [(k, olds[k]) for k in range(i + 1, next_i) if k not in gone]
        new = [(k, news[k]) for k in range(j + 1, next_j) if k not in come]
        gaps.append((old, new))
    return gaps


def _others(blocks: Sequence[Block], taken: Iterable[int]) -> list[int]:
    known = set(taken)
    return [place for place in range(len(blocks)) if place not in known]


def _same_key(old: Iterable[tuple[int, int]], new: Iterable[tuple[int, int]]) -> list[Pair]:
    """The k-th of a key goes with the k-th of the same key."""
    places: defaultdict[int, deque[int]] = defaultdict(deque)
    for key, i in old:
        places[key].append(i)
    return [(places[key].popleft(), j) for key, j in new if places[key]]


def _unequal(
    old: list[Segment], new: list[Segment], found: _Found
) -> tuple[list[Segment], list[Segment]]:
    """Takes out the segments of a gap that are equal in order."""
    if not old or not new:
        return old, new
    equal = match([s.key for s in old], [s.key for s in new])
    found.rewritten += [((old[i].start, old[i].end), (new[j].start, new[j].end)) for i, j in equal]
    old_taken, new_taken = {i for i, _ in equal}, {j for _, j in equal}
    return (
        [segment for i, segment in enumerate(old) if i not in old_taken],
        [segment for j, segment in enumerate(new) if j not in new_taken],
    )


def _without_moved(
    gaps: list[tuple[list[Segment], list[Segment]]], found: _Found
) -> list[tuple[list[Segment], list[Segment]]]:
    """Takes out segments that stand in the other text too, elsewhere."""
    olds = [segment for old, _ in gaps for segment in old]
    news = [segment for _, new in gaps for segment in new]
    pairs = _same_key(
        [(s.key, place) for place, s in enumerate(olds)],
        [(s.key, place) for place, s in enumerate(news)],
    )
    found.moved += [((olds[i].start, olds[i].end), (news[j].start, news[j].end)) for i, j in pairs]
    gone, come = {id(olds[i]) for i, _ in pairs}, {id(news[j]) for _, j in pairs}
    return [
        ([s for s in old if id(s) not in gone], [s for s in new if id(s) not in come])
        for old, new in gaps
    ]


def _changes(old: list[Segment], new: list[Segment], budget: _Budget) -> list[SegmentChange]:
    """Pairs the segments of a gap; where cuts moved, the gap is compared as one."""
    pairs = pair_similar(
        [Counter(s.tokens.keys) for s in old],
        [Counter(s.tokens.keys) for s in new],
        cells_max=budget.share(len(old), len(new)),
    )
    if not pairs and len(old) == len(new) == 1 and set(_keys(old)) & set(_keys(new)):
        # Nothing else stands here: too short to be alike, and still one edited.
        pairs = [(0, 0)]
    paired = [_change((old[i],), (new[j],)) for i, j in pairs]
    old_taken, new_taken = {i for i, _ in pairs}, {j for _, j in pairs}
    alone = [SegmentChange((s,), ()) for i, s in enumerate(old) if i not in old_taken]
    alone += [SegmentChange((), (s,)) for j, s in enumerate(new) if j not in new_taken]
    if not alone or not old or not new:
        return [*paired, *alone]
    if sum(len(s.tokens.keys) for s in (*old, *new)) > GAP_TOKENS_MAX:
        return [*paired, *alone]
    joined = _change(tuple(old), tuple(new))
    apart = sum(_changed_mass(change.runs) for change in paired)
    apart += sum(len(s.tokens.keys) for change in alone for s in (*change.old, *change.new))
    # Sentences that were split or joined are one change; others are told apart.
    return [joined] if 2 * _changed_mass(joined.runs) < apart else [*paired, *alone]


def _change(old: tuple[Segment, ...], new: tuple[Segment, ...]) -> SegmentChange:
    runs = _token_runs(joined_tokens(old).keys, joined_tokens(new).keys)
    return SegmentChange(old, new, tuple(runs))


def joined_tokens(segments: Sequence[Segment]) -> Tokens:
    """Returns the tokens of some segments of one text as one sequence; of one at least."""
    if len(segments) == 1:
        return segments[0].tokens
    return Tokens(
        segments[0].tokens.original,
        tuple(key for s in segments for key in s.tokens.keys),
        Spans.joined(s.tokens.spans for s in segments),
        segments[0].tokens.notation,
    )


def _keys(segments: Sequence[Segment]) -> list[str]:
    return [key for segment in segments for key in segment.tokens.keys]


def _extent(segments: Sequence[Segment]) -> Span:
    return segments[0].start, segments[-1].end


def _token_runs(old: Sequence[str], new: Sequence[str]) -> list[TokenRun]:
    """Returns (old start, old end, new start, new end) of what is not common; rising in both."""
    runs: list[TokenRun] = []
    i = j = 0
    for next_i, next_j in [*match(old, new), (len(old), len(new))]:
        if i < next_i or j < next_j:
            runs.append((i, next_i, j, next_j))
        i, j = next_i + 1, next_j + 1
    return runs


def _changed_mass(runs: Sequence[TokenRun]) -> int:
    """Returns how many tokens stand in runs, of both sides."""
    return sum(old_end - old + new_end - new for old, old_end, new, new_end in runs)
