"""Aligns the chunks of a version with those of the version it is compared with.

Chunks of equal text are kept, or moved where their order changed; inside the gaps between kept
ones, similar chunks are pairs of an edit; the rest was added or removed. Each old chunk has at
most one successor and each new one at most one predecessor: a lineage is a line.
"""

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from scops.change_detector.matching.sequences import longest_increasing
from scops.change_detector.matching.similar import Pair, pair_similar, tokens_of
from scops.common.contract.messages.change import ChunkOrigin


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedChunk:
    """Where a new chunk comes from; `previous` is the old one's place, None when added."""

    origin: ChunkOrigin
    previous: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """One entry per new chunk in order, and the places of the old chunks without a successor."""

    chunks: tuple[AlignedChunk, ...]
    removed: tuple[int, ...]


def align(old: Sequence[str], new: Sequence[str]) -> Alignment:
    """Aligns two sequences of chunk texts."""
    equal = _equal_pairs(old, new)
    in_order = {equal[k] for k in longest_increasing([i for i, _ in equal])}
    chunks: dict[int, AlignedChunk] = {}
    for i, j in equal:
        origin = ChunkOrigin.KEPT if (i, j) in in_order else ChunkOrigin.MOVED
        chunks[j] = AlignedChunk(origin=origin, previous=i)
    for i, j in _edited_pairs(old, new, equal, sorted(in_order)):
        chunks[j] = AlignedChunk(origin=ChunkOrigin.EDITED, previous=i)
    followed = {chunk.previous for chunk in chunks.values()}
    added = AlignedChunk(origin=ChunkOrigin.ADDED)
    return Alignment(
        chunks=tuple(chunks.get(j, added) for j in range(len(new))),
        removed=tuple(i for i in range(len(old)) if i not in followed),
    )


def _equal_pairs(old: Sequence[str], new: Sequence[str]) -> list[Pair]:
    """The k-th chunk of a text goes with the k-th chunk of the same text; by rising j."""
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for i, text in enumerate(old):
        places[text].append(i)
    return [(places[text].popleft(), j) for j, text in enumerate(new) if places[text]]


def _edited_pairs(
    old: Sequence[str],
    new: Sequence[str],
    equal: Sequence[Pair],
    anchors: Sequence[Pair],
) -> list[Pair]:
    taken_old, taken_new = {i for i, _ in equal}, {j for _, j in equal}
    bounds = [(-1, -1), *anchors, (len(old), len(new))]
    pairs: list[Pair] = []
    for (i, j), (next_i, next_j) in pairwise(bounds):
        olds = [k for k in range(i + 1, next_i) if k not in taken_old]
        news = [k for k in range(j + 1, next_j) if k not in taken_new]
        if olds and news:
            similar = pair_similar(
                [tokens_of(old[k]) for k in olds],
                [tokens_of(new[k]) for k in news],
            )
            pairs += [(olds[a], news[b]) for a, b in similar]
    return pairs
