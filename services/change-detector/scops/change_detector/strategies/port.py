"""The port of change strategies: they label what changed; storage never depends on a label.

Any difference in a chunk's exact text is a new chunk, whatever a strategy calls it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from scops.change_detector.manifests.alignment import Alignment
from scops.common.contract.messages.change import ChunkOrigin
from scops.common.contract.messages.content import Document
from scops.common.contract.messages.types import ChangeClass, ChangeSummary
from scops.common.text.sentences import Span

FIRST_VERSION = "first_version"
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
class ComparedVersion:
    """One side of a comparison: the whole text with its blocks, and its chunks in order.

    Attributes:
        repeated: spans of blocks that are the host's; what happens there is no change of the page.
    """

    text: str
    document: Document
    chunks: tuple[ComparedChunk, ...]
    repeated: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two versions of a page and how their chunks correspond."""

    old: ComparedVersion
    new: ComparedVersion
    alignment: Alignment


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLabels:
    """What a strategy says: of the page, and of each new chunk that was moved or edited.

    The page's counts of kept, moved, edited, added and removed chunks are not the strategy's.
    """

    page: ChangeSummary
    chunks: Mapping[int, ChangeSummary]


class ChangeStrategy(Protocol):
    """ChangeLabels a comparison."""

    @property
    def name(self) -> str:
        """The name that `ChangeSummary.strategy` carries."""
        ...

    async def label(self, comparison: Comparison) -> ChangeLabels:
        """Returns the labels; the same comparison always gets the same.

        Raises:
            TransientError: a model that the strategy asks does not answer.
        """
        ...


def summary_of_first(strategy: str, *, chunks: int) -> ChangeSummary:
    """Returns the summary of a version that has nothing to be compared with: no change."""
    return ChangeSummary(
        change_class=ChangeClass.NONE, reasons=(FIRST_VERSION,), strategy=strategy, added=chunks
    )


def gather(parts: Iterable[ChangeSummary], *, strategy: str) -> ChangeSummary:
    """Returns the summary of a page from those of its parts: the worst class, every reason."""
    labels = list(parts)
    if not labels:
        return ChangeSummary(change_class=ChangeClass.NONE, strategy=strategy)
    return ChangeSummary(
        change_class=max((label.change_class for label in labels), key=SEVERITY.index),
        reasons=tuple(dict.fromkeys(reason for label in labels for reason in label.reasons)),
        salience=max(label.salience for label in labels),
        semantic=any(label.semantic for label in labels),
        strategy=strategy,
    )


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
