"""The strategy `salient`: typed edits, of the page and of each chunk that was edited or moved.

Semantic is an edit of class critical, or a salience of at least `salience_min` in all.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scops.change_detector.ports import Compute
from scops.change_detector.strategies.port import (
    ChangeLabels,
    ComparedChunk,
    ComparedVersion,
    Comparison,
    TypedEdit,
    reasons_of,
    without_templates,
    worst_class,
)
from scops.change_detector.strategies.salient.alignment import Span
from scops.change_detector.strategies.salient.edits import combined_salience, typed_edits
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
    compute: Compute
    name: str = NAME

    async def edits(self, old: ComparedVersion, new: ComparedVersion) -> Sequence[TypedEdit]:
        edits = await self.compute(
            lambda: typed_edits(old.text, old.document.blocks, new.text, new.document.blocks),
            characters=len(old.text) + len(new.text),
        )
        return [
            replace(edit, semantic=self._is_semantic(edit.change_class, edit.salience))
            for edit in without_templates(edits, old, new)
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
        chunks = {
            j: self._of_chunk(edits, comparison, j)
            for j, aligned in enumerate(comparison.alignment.chunks)
            if aligned.origin in {ChunkOrigin.EDITED, ChunkOrigin.MOVED}
        }
        return ChangeLabels(page=self.summary(edits), chunks=chunks)

    def _is_semantic(self, change_class: ChangeClass, salience: float) -> bool:
        return change_class is ChangeClass.CRITICAL or salience >= self.salience_min

    def _of_chunk(
        self, edits: Sequence[TypedEdit], comparison: Comparison, place: int
    ) -> ChangeSummary:
        aligned = comparison.alignment.chunks[place]
        if aligned.origin is ChunkOrigin.MOVED or aligned.previous is None:
            return ChangeSummary(change_class=ChangeClass.MOVED, reasons=(MOVED,), strategy=NAME)
        before, after = comparison.old.chunks[aligned.previous], comparison.new.chunks[place]
        return self.summary(
            edit
            for edit in edits
            if _overlaps(edit.new, after) or (edit.new is None and _overlaps(edit.old, before))
        )


def _overlaps(span: Span | None, chunk: ComparedChunk) -> bool:
    return span is not None and span[0] < chunk.end and chunk.start < span[1]
