"""The port of change strategies: what changed between two texts, and what it amounts to.

Storage never depends on a label: any difference in a chunk's exact text is a new chunk, whatever a
strategy calls it. What versions are labelled with and what readers are shown comes from the same
edits, so that both agree under every strategy.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from scops.change_detector.chunking.chunker import Body
from scops.change_detector.manifests.alignment import Alignment
from scops.change_detector.strategies.vectors import Vectors
from scops.common.contract.messages.change import ChunkOrigin
from scops.common.contract.messages.types import ChangeClass, ChangeSummary
from scops.common.text.sentences import Span

FIRST_VERSION = "first_version"
TEMPLATE = "template"
VOLATILE = "volatile"
# Blocks that stand this close together are one repeated stretch.
BLOCK_GAP_MAX = 2
SEVERITY = (
    ChangeClass.UNSPECIFIED,
    ChangeClass.NONE,
    ChangeClass.FORMAT,
    ChangeClass.MOVED,
    ChangeClass.LEXICAL,
    ChangeClass.CRITICAL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedChunk:
    """A chunk as strategies see it; it lies in its version's text from `start` to `end`."""

    text: str
    header: str
    simhash: int
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedVersion(Body):
    """One side of a comparison: the whole text with its blocks, and its chunks in order.

    Attributes:
        repeated: spans of blocks that are the host's; what happens there is no change of the page.
        volatile: spans of blocks that change without end, by the page's own history; what happens
            there is no news.
    """

    chunks: tuple[ComparedChunk, ...]
    repeated: tuple[Span, ...] = ()
    volatile: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two versions of a page and how their chunks correspond."""

    old: ComparedVersion
    new: ComparedVersion
    alignment: Alignment


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedEdit:
    """One edit.

    Attributes:
        salience: in [0, 1].
        old, new: where it stands in either text; None on the side that has nothing.
        semantic: to the strategy, the edit alone counts as a change of meaning.
    """

    change_class: ChangeClass
    reasons: tuple[str, ...]
    salience: float
    old: Span | None
    new: Span | None
    semantic: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLabels:
    """What a strategy says: of the page, and of each new chunk that was moved or edited.

    The page's counts of kept, moved, edited, added and removed chunks are not the strategy's.
    """

    page: ChangeSummary
    chunks: Mapping[int, ChangeSummary]


class ChangeStrategy(Protocol):
    """Types the edits between two versions and labels versions by them.

    The same input always gets the same answer, and a text has no edits against itself.
    """

    @property
    def name(self) -> str:
        """The name that `ChangeSummary.strategy` carries."""
        ...

    async def edits(self, old: ComparedVersion, new: ComparedVersion) -> Sequence[TypedEdit]:
        """Returns the edits that lead from one version to the other.

        Edits in blocks that the host repeats, and in volatile ones, are of class format.

        Raises:
            TransientError: a model that the strategy asks does not answer.
        """
        ...

    def summary(self, edits: Iterable[TypedEdit]) -> ChangeSummary:
        """Returns what some edits amount to: the worst class, every reason, a joint salience."""
        ...

    async def label(self, comparison: Comparison) -> ChangeLabels:
        """Returns the labels; the page's is the summary of its edits.

        Raises:
            TransientError: like `edits`.
        """
        ...

    def apart(self, vectors: Vectors) -> "ChangeStrategy":
        """Returns the strategy for a child process: it asks no model and never waits.

        Raises:
            VectorsWanted: by its methods, where a text that they need has no vector here.
        """
        ...

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """Returns what its copies apart want; raises like `edits`."""
        ...


def summary_of_first(strategy: str, *, chunks: int) -> ChangeSummary:
    """Returns the summary of a version that has nothing to be compared with: no change."""
    return ChangeSummary(
        change_class=ChangeClass.NONE, reasons=(FIRST_VERSION,), strategy=strategy, added=chunks
    )


def worst_class(edits: Iterable[TypedEdit]) -> ChangeClass:
    """Returns the most severe class of some edits; none where there are no edits."""
    return max((edit.change_class for edit in edits), key=SEVERITY.index, default=ChangeClass.NONE)


def reasons_of(edits: Iterable[TypedEdit]) -> tuple[str, ...]:
    """Returns the reasons of some edits, each once."""
    return tuple(dict.fromkeys(reason for edit in edits for reason in edit.reasons))


def as_format(edit: TypedEdit, reason: str) -> TypedEdit:
    """Returns an edit as a matter of format."""
    return replace(
        edit, change_class=ChangeClass.FORMAT, reasons=(reason,), salience=0.0, semantic=False
    )


def edits_of_page(
    edits: Iterable[TypedEdit], old: ComparedVersion, new: ComparedVersion
) -> list[TypedEdit]:
    """Returns the edits; those in blocks that the host repeats, or volatile ones, become format."""
    noise = {TEMPLATE: (old.repeated, new.repeated), VOLATILE: (old.volatile, new.volatile)}
    known = list(edits)
    for reason, (before, after) in noise.items():
        if before or after:
            known = [
                as_format(edit, reason)
                if is_within(edit.old, before) and is_within(edit.new, after)
                else edit
                for edit in known
            ]
    return known


def is_within(span: Span | None, blocks: Sequence[Span]) -> bool:
    """Returns whether every part of a span lies in some blocks; what is missing does.

    Args:
        blocks: in order.
    """
    if span is None:
        return True
    place = bisect_right(blocks, span[0], key=lambda block: block[0]) - 1
    reached = span[0]
    while 0 <= place < len(blocks) and blocks[place][0] <= reached + BLOCK_GAP_MAX:
        reached = max(reached, blocks[place][1])
        if reached >= span[1]:
            return True
        place += 1
    return False


def counted(summary: ChangeSummary, alignment: Alignment) -> ChangeSummary:
    """Returns a page's summary with the numbers of its chunks by origin."""
    origins: Sequence[ChunkOrigin] = [chunk.origin for chunk in alignment.chunks]
    return replace(
        summary,
        kept=origins.count(ChunkOrigin.KEPT),
        moved=origins.count(ChunkOrigin.MOVED),
        edited=origins.count(ChunkOrigin.EDITED),
        added=origins.count(ChunkOrigin.ADDED),
        removed=len(alignment.removed),
    )


def overlapping(starts: Sequence[int], ends: Sequence[int], span: Span | None) -> range:
    """Returns the places of the spans that share a character with one; none for None.

    Args:
        starts, ends: of the spans, both rising.
    """
    if span is None:
        return range(0)
    return range(bisect_right(ends, span[0]), bisect_left(starts, span[1]))
