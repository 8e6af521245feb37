"""The strategy `salient`: typed edits, of the page and of each chunk that was edited or moved.

Semantic is an edit of class critical, or a salience of at least `salience_min` in all.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scops.change_detector.strategies.port import (
    ChangeLabels,
    ComparedChunk,
    ComparedVersion,
    Comparison,
    TypedEdit,
    edits_of_page,
    overlapping,
    reasons_of,
    worst_class,
)
from scops.change_detector.strategies.salient.edits import combined_salience, typed_edits
from scops.change_detector.strategies.vectors import Vectors
from scops.common.contract.messages.change import ChunkOrigin
from scops.common.contract.messages.types import ChangeClass, ChangeSummary

NAME = "salient"
MOVED = "moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class SalientStrategy:
    """Labels by typed edits.

    Attributes:
        salience_min: from here a change is semantic whatever its class.
    """

    salience_min: float
    name: str = NAME

    async def edits(self, old: ComparedVersion, new: ComparedVersion) -> Sequence[TypedEdit]:
        edits = typed_edits(
            old.text,
            old.document.blocks,
            new.text,
            new.document.blocks,
            languages=(old.document.language, new.document.language),
        )
        return [
            replace(edit, semantic=self._is_semantic(edit.change_class, edit.salience))
            for edit in edits_of_page(edits, old, new)
        ]

    def summary(self, edits: Iterable[TypedEdit]) -> ChangeSummary:
        by_weight = sorted(edits, key=lambda edit: -edit.salience)
        change_class = worst_class(by_weight)
        salience = combined_salience(edit.salience for edit in by_weight)
        return ChangeSummary(
            change_class=change_class,
            reasons=reasons_of(by_weight),
            salience=salience,
            semantic=self._is_semantic(change_class, salience),
            strategy=NAME,
        )

    async def label(self, comparison: Comparison) -> ChangeLabels:
        edits = await self.edits(comparison.old, comparison.new)
        by_chunk = _edits_by_chunk(edits, comparison)
        chunks = {
            j: self._of_chunk(by_chunk[j], comparison, j)
            for j, aligned in enumerate(comparison.alignment.chunks)
            if aligned.origin in {ChunkOrigin.EDITED, ChunkOrigin.MOVED}
        }
        return ChangeLabels(page=self.summary(edits), chunks=chunks)

    def apart(self, vectors: Vectors) -> "SalientStrategy":
        return self

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        return {}

    def _is_semantic(self, change_class: ChangeClass, salience: float) -> bool:
        return change_class is ChangeClass.CRITICAL or salience >= self.salience_min

    def _of_chunk(
        self, edits: Sequence[TypedEdit], comparison: Comparison, place: int
    ) -> ChangeSummary:
        aligned = comparison.alignment.chunks[place]
        if aligned.origin is ChunkOrigin.MOVED or aligned.previous is None:
            return ChangeSummary(change_class=ChangeClass.MOVED, reasons=(MOVED,), strategy=NAME)
        return self.summary(edits)


def _edits_by_chunk(
    edits: Iterable[TypedEdit], comparison: Comparison
) -> Mapping[int, list[TypedEdit]]:
    """Returns the edits of each new chunk: those in it, and what went out of its predecessor."""
    found: defaultdict[int, list[TypedEdit]] = defaultdict(list)
    followers = {
        aligned.previous: j
        for j, aligned in enumerate(comparison.alignment.chunks)
        if aligned.previous is not None
    }
    olds, news = _bounds(comparison.old.chunks), _bounds(comparison.new.chunks)
    for edit in edits:
        if edit.new is not None:
            places = [*overlapping(*news, edit.new)]
        else:
            places = [followers[i] for i in overlapping(*olds, edit.old) if i in followers]
        for j in places:
            found[j].append(edit)
    return found


def _bounds(chunks: Sequence[ComparedChunk]) -> tuple[list[int], list[int]]:
    return [chunk.start for chunk in chunks], [chunk.end for chunk in chunks]
