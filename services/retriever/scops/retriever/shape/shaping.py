"""Makes passages of ranked chunks: copies put together, neighbours joined, pages bounded.

Chunks are taken in the order of their scores until there are enough passages. One that says the
same as an earlier one is counted there. One that touches a passage of its version grows it; the
passage keeps the score of its best chunk. One of a page that has its passages already is left out.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import ManifestChunk
from scops.retriever.shape.near_duplicates import Fingerprint, place_of_same

# What stands between two blocks of a clean text: a line break, or an empty line.
GAP_MAX = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedChunk:
    """A chunk by its place in the ranking, 0 for the best."""

    place: int
    page_id: PageId
    version_id: VersionId
    chunk: ManifestChunk
    said: Fingerprint


@dataclass(slots=True)
class ShapedPassage:
    """A passage of one chunk, or of several that follow each other.

    Attributes:
        best: its chunk with the highest score.
        chunks: in reading order.
        near_duplicates: other chunks that say the same as one of them.
    """

    best: RankedChunk
    chunks: list[ManifestChunk]
    near_duplicates: int = 0

    @property
    def start(self) -> int:
        return self.chunks[0].start

    @property
    def end(self) -> int:
        return max(chunk.end for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How passages are made.

    Attributes:
        limit: passages wanted.
        page_max: most passages of a page; 0 for no bound.
        joined_characters_max: longest passage that joining makes; 0 joins nothing.
    """

    limit: int
    page_max: int
    joined_characters_max: int


@dataclass(slots=True)
class Shaped:
    """The passages, best first, and how many chunks were left out for which reason."""

    passages: list[ShapedPassage] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def shaped(ranked: Iterable[RankedChunk], bounds: Bounds) -> Shaped:
    """Returns the passages made of ranked chunks; see the module."""
    result = Shaped()
    taken: list[Fingerprint] = []
    owner: list[ShapedPassage] = []
    of_page: Counter[PageId] = Counter()
    for entry in ranked:
        known = place_of_same(taken, entry.said)
        if known is not None:
            owner[known].near_duplicates += 1
            result.left_out["near_duplicate"] += 1
            continue
        if len(result.passages) >= bounds.limit:
            # Full; what follows is only looked at for being a copy.
            continue
        passage = _neighbour(result.passages, entry, bounds)
        if passage is not None:
            passage.chunks.append(entry.chunk)
            passage.chunks.sort(key=lambda chunk: chunk.start)
            result.left_out["joined"] += 1
        elif bounds.page_max and of_page[entry.page_id] >= bounds.page_max:
            result.left_out["page_full"] += 1
            continue
        else:
            passage = ShapedPassage(best=entry, chunks=[entry.chunk])
            of_page[entry.page_id] += 1
            result.passages.append(passage)
        taken.append(entry.said)
        owner.append(passage)
    return result


def _neighbour(
    passages: Iterable[ShapedPassage], entry: RankedChunk, bounds: Bounds
) -> ShapedPassage | None:
    """Returns the best passage that a chunk touches and that stays short enough with it."""
    for passage in passages:
        is_same_version = passage.best.version_id == entry.version_id
        if is_same_version and passage.best.page_id == entry.page_id and _touch(passage, entry):
            first = min(passage.start, entry.chunk.start)
            last = max(passage.end, entry.chunk.end)
            if last - first <= bounds.joined_characters_max:
                return passage
    return None


def _touch(passage: ShapedPassage, entry: RankedChunk) -> bool:
    gap = max(entry.chunk.start - passage.end, passage.start - entry.chunk.end)
    return gap <= GAP_MAX
