"""Compares two encoded versions for readers, in work that a child process may do."""

from collections.abc import Sequence
from dataclasses import replace

from scops.change_detector.manifests.bodies import PackedVersion
from scops.change_detector.reading.diff import diff, shortened, typed_hunks
from scops.change_detector.reading.news import counted_edits, text_edit
from scops.change_detector.strategies.port import (
    ChangeStrategy,
    ComparedVersion,
    TypedEdit,
    is_within,
)
from scops.change_detector.strategies.vectors import MADE, VectorsWanted, finished, wanted_parts
from scops.change_detector.templates.blocks import TemplateMask
from scops.change_detector.volatile.memory import (
    flipping_spans,
    untold_spans,
)
from scops.change_detector.volatile.steps import page_step
from scops.common.contract import wire
from scops.common.contract.messages.change import ChangeRule, DiffResponse, PageMemory
from scops.common.processes.tasks import Parts

# Edits that are shown of a page, and characters of each side of one.
EDITS_MAX, EDIT_CHARACTERS_MAX = 5, 240


def fill_diff(
    old: PackedVersion,
    new: PackedVersion,
    answer: DiffResponse,
    characters_max: int,
    strategy: ChangeStrategy,
) -> Parts:
    """Returns an encoded answer with the hunks between two versions.

    Args:
        answer: what it says beside its hunks.
        characters_max: of all hunks together.
        strategy: apart from its model.
    """
    before, after = old.compared(), new.compared()
    try:
        edits = finished(strategy.edits(before, after))
    except VectorsWanted as wanted:
        return wanted_parts(wanted)
    kept, truncated = shortened(diff(before, after), characters_max=characters_max)
    hunks = tuple(typed_hunks(kept, edits, strategy))
    return (MADE, wire.encode(replace(answer, hunks=hunks, truncated=truncated)))


def count_edits(
    old: PackedVersion,
    new: PackedVersion,
    mask: TemplateMask,
    memory: PageMemory,
    settled: bool,
    rule: ChangeRule,
    strategy: ChangeStrategy,
) -> Parts:
    """Returns the edits that count under a rule: their number, their summary and the first ones.

    Args:
        memory: of the page; what it has not told yet is no news.
        settled: only what was silent once counts.
        strategy: apart from its model.
    """
    before, after = old.compared(mask), new.compared(mask)
    try:
        found = edits_to_tell(before, after, memory, strategy, settled=settled)
    except VectorsWanted as wanted:
        return wanted_parts(wanted)
    edits = counted_edits(found, rule)
    shown = (
        text_edit(edit, before, after, characters_max=EDIT_CHARACTERS_MAX)
        for edit in edits[:EDITS_MAX]
    )
    summary = wire.encode(strategy.summary(edits))
    return (MADE, str(len(edits)).encode(), summary, *map(wire.encode, shown))


def edits_to_tell(
    before: ComparedVersion,
    after: ComparedVersion,
    memory: PageMemory,
    strategy: ChangeStrategy,
    *,
    settled: bool = False,
) -> Sequence[TypedEdit]:
    """Returns the edits between two versions as readers are told them; see `count_edits`.

    Raises:
        VectorsWanted: the strategy has no vector of a text that it needs.
    """
    if not memory.blocks:
        return () if settled else finished(strategy.edits(before, after))
    step = page_step(before, after)
    volatile, flipping = untold_spans(memory, step), flipping_spans(memory, step)
    edits = finished(
        strategy.edits(
            replace(before, volatile=volatile.old), replace(after, volatile=volatile.new)
        )
    )
    if not settled:
        return edits
    return [
        edit
        for edit in edits
        if is_within(edit.old, flipping.old) and is_within(edit.new, flipping.new)
    ]
