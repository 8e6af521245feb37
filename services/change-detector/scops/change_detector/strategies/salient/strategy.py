"""The strategy `salient`: typed edits, of the page and of each chunk that was edited or moved.

Semantic is an edit of class critical, or a salience of at least `salience_min` in all.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scops.change_detector.compute import Compute
from scops.change_detector.strategies.port import (
    SEVERITY,
    ChangeLabels,
    ComparedChunk,
    Comparison,
)
from scops.change_detector.strategies.salient.alignment import SegmentBounds, Span
from scops.change_detector.strategies.salient.edits import (
    TypedEdit,
    combined_salience,
    typed_edits,
    without_templates,
)
from scops.change_detector.strategies.salient.judge import Judge, judged
from scops.common.contract.messages.change import ChunkOrigin
from scops.common.contract.messages.types import ChangeClass, ChangeSummary

NAME = "salient"
MOVED = "moved"
JUDGED_EDITS_MAX = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SalientStrategy:
    """ChangeLabels by typed edits; asks a model only where one is given.

    Attributes:
        salience_min: tau; from here a change is semantic whatever its class.
        judge: decides about edits of class lexical; None leaves them to their words.
        judged_edits_max: most edits put to it in one comparison.
    """

    salience_min: float
    bounds: SegmentBounds
    compute: Compute
    judge: Judge | None = None
    judged_edits_max: int = JUDGED_EDITS_MAX
    name: str = NAME

    async def label(self, comparison: Comparison) -> ChangeLabels:
        old, new = comparison.old, comparison.new
        edits = await self.compute(
            lambda: typed_edits(
                old.text, old.document.blocks, new.text, new.document.blocks, self.bounds
            ),
            characters=len(old.text) + len(new.text),
        )
        edits = without_templates(edits, old.repeated, new.repeated)
        if self.judge is not None:
            edits = await judged(
                edits,
                old.text,
                new.text,
                self.judge,
                salience_min=self.salience_min,
                edits_max=self.judged_edits_max,
            )
        return self._labels(comparison, edits)

    def _labels(self, comparison: Comparison, edits: Sequence[TypedEdit]) -> ChangeLabels:
        chunks = {
            j: self._of_chunk(edits, comparison, j)
            for j, aligned in enumerate(comparison.alignment.chunks)
            if aligned.origin in {ChunkOrigin.EDITED, ChunkOrigin.MOVED}
        }
        return ChangeLabels(page=summary_of(edits, salience_min=self.salience_min), chunks=chunks)

    def _of_chunk(
        self, edits: Sequence[TypedEdit], comparison: Comparison, place: int
    ) -> ChangeSummary:
        aligned = comparison.alignment.chunks[place]
        if aligned.origin is ChunkOrigin.MOVED or aligned.previous is None:
            return ChangeSummary(change_class=ChangeClass.MOVED, reasons=(MOVED,), strategy=NAME)
        before, after = comparison.old.chunks[aligned.previous], comparison.new.chunks[place]
        inside = [
            edit
            for edit in edits
            if _overlaps(edit.new, after) or (edit.new is None and _overlaps(edit.old, before))
        ]
        return summary_of(inside, salience_min=self.salience_min)


def summary_of(edits: Iterable[TypedEdit], *, salience_min: float) -> ChangeSummary:
    """Returns what some edits amount to: the worst class, every reason, their joint salience."""
    by_weight = sorted(edits, key=lambda edit: -edit.salience)
    salience = combined_salience(edit.salience for edit in by_weight)
    change_class = max(
        (edit.change_class for edit in by_weight), key=SEVERITY.index, default=ChangeClass.NONE
    )
    return ChangeSummary(
        change_class=change_class,
        reasons=tuple(dict.fromkeys(reason for edit in by_weight for reason in edit.reasons)),
        salience=salience,
        semantic=change_class is ChangeClass.CRITICAL or salience >= salience_min,
        strategy=NAME,
    )


def _overlaps(span: Span | None, chunk: ComparedChunk) -> bool:
    return span is not None and span[0] < chunk.end and chunk.start < span[1]
