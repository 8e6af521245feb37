"""Makes passages of ranked chunks: copies put together, neighbours joined, pages bounded.

Chunks are taken in the order of their scores until there are enough passages. One that says the
same as an earlier one is counted there. One that touches a passage of its version grows it; the
passage keeps the score of its best chunk. One of a page that has its passages already is left out.

What no passage is made of needs no manifest: whoever shapes reads those of `ShapedPassages.unread`
and shapes again, until there are none.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import ManifestChunk
from scops.retriever.candidates.candidate import Candidate
from scops.retriever.shape.near_duplicates import Fingerprint, index_of_same

# What stands between two blocks of a clean text: a line break, or an empty line.
GAP_MAX = 2


@dataclass(slots=True)
class PassageDraft:
    """A passage of one chunk, or of several that follow each other.

    Attributes:
        best: its candidate with the highest score.
        candidates: whose chunks it is made of, in reading order.
        near_duplicates: other chunks that say the same as one of them.
    """

    best: Candidate
    candidates: list[Candidate]
    near_duplicates: int = 0

    @property
    def chunks(self) -> list[ManifestChunk]:
        """Its chunks in reading order, where their page's manifest was read."""
        return [one.chunk for one in self.candidates]

    @property
    def start(self) -> int:
        return self.candidates[0].chunk.start

    @property
    def end(self) -> int:
        return max(chunk.end for chunk in self.chunks)

    def add(self, candidate: Candidate) -> None:
        """Joins a candidate's chunk, at its place."""
        self.candidates.append(candidate)
        self.candidates.sort(key=lambda one: one.chunk.start)


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
class ShapedPassages:
    """The passages, best first, and how many chunks were left out for which reason."""

    passages: list[PassageDraft] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def unread(self) -> frozenset[PageId]:
        """The pages of passages whose manifests were not read."""
        best = (one.best for one in self.passages)
        return frozenset(one.version.page_id for one in best if one.listed is None)


def shape_passages(ranked: Iterable[Candidate], bounds: Bounds) -> ShapedPassages:
    """Returns the passages made of ranked candidates; see the module."""
    result = ShapedPassages()
    taken: list[Fingerprint] = []
    owner: list[PassageDraft] = []
    of_page: Counter[PageId] = Counter()
    for entry in ranked:
        page_id = entry.hit.page_id
        fingerprint = _fingerprint(entry)
        known = index_of_same(taken, fingerprint)
        if known is not None:
            owner[known].near_duplicates += 1
            result.left_out["near_duplicate"] += 1
            continue
        if len(result.passages) >= bounds.limit:
            # Full; what follows is only looked at for being a copy.
            continue
        passage = _neighbour(result.passages, entry, bounds)
        if passage is not None:
            passage.add(entry)
            result.left_out["joined"] += 1
        elif bounds.page_max and of_page[page_id] >= bounds.page_max:
            result.left_out["page_full"] += 1
            continue
        else:
            passage = PassageDraft(best=entry, candidates=[entry])
            of_page[page_id] += 1
            result.passages.append(passage)
        taken.append(fingerprint)
        owner.append(passage)
    return result


def _fingerprint(entry: Candidate) -> Fingerprint:
    # Without its manifest a chunk is compared by its text and by what the index recorded.
    simhash = 0 if entry.listed is None else entry.chunk.simhash
    context = entry.version.access_context
    return Fingerprint(entry.hit.text, simhash, entry.wording_id, context)


def _neighbour(
    passages: Iterable[PassageDraft], entry: Candidate, bounds: Bounds
) -> PassageDraft | None:
    """Returns the best passage that a chunk touches and that stays short enough with it."""
    if entry.listed is None:
        return None
    chunk = entry.chunk
    page_id, version_id = entry.hit.page_id, entry.version.version_id
    for passage in passages:
        best = passage.best
        if best.hit.page_id != page_id or best.version.version_id != version_id:
            continue
        gap = max(chunk.start - passage.end, passage.start - chunk.end)
        length = max(passage.end, chunk.end) - min(passage.start, chunk.start)
        if gap <= GAP_MAX and length <= bounds.joined_characters_max:
            return passage
    return None
