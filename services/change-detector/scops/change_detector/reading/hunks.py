"""Says of each hunk of a difference what the words that differ amount to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from scops.change_detector.strategies.port import ChangeStrategy, TypedEdit
from scops.common.contract.messages.change import DiffHunk, DiffKind
from scops.common.text.sentences import Span


def typed_hunks(
    hunks: Iterable[DiffHunk], edits: Sequence[TypedEdit], strategy: ChangeStrategy
) -> list[DiffHunk]:
    """Returns the hunks with the summary of the edits that touch them."""
    return [replace(hunk, change=strategy.summary(_touching(hunk, edits))) for hunk in hunks]


def _touching(hunk: DiffHunk, edits: Sequence[TypedEdit]) -> Iterator[TypedEdit]:
    old = _span(hunk, hunk.from_start, DiffKind.INSERT)
    new = _span(hunk, hunk.to_start, DiffKind.DELETE)
    for edit in edits:
        if _meet(edit.old, old) or _meet(edit.new, new):
            yield edit


def _span(hunk: DiffHunk, start: int, other_side: DiffKind) -> Span:
    length = sum(len(part.text) for part in hunk.parts if part.kind is not other_side)
    return start, start + length


def _meet(one: Span | None, other: Span) -> bool:
    return one is not None and one[0] < other[1] and other[0] < one[1]
