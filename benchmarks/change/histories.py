"""What readers of a page are told, look by look, with and without what its history teaches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.change.scores import scores, share, share_interval
from benchmarks.change.sequences import PageSequence, SequenceLook
from benchmarks.change.sets import Side
from benchmarks.change.splits import f1_of_folds
from scops.change_detector.reading.comparing import edits_to_tell
from scops.change_detector.strategies.port import VOLATILE, ChangeStrategy, ComparedVersion
from scops.change_detector.strategies.vectors import finished
from scops.change_detector.volatile.memory import (
    NO_MEMORY,
    NOTHING_VOLATILE,
    PageLook,
    Recollection,
    SilentSpans,
    learned,
    settled,
    settles_at,
    volatile_spans,
)
from scops.change_detector.volatile.steps import page_step
from scops.common.contract.messages.content import Document


@dataclass(frozen=True, slots=True)
class Told:
    """What a reader is told at a look.

    Attributes:
        at_once: what differs from the look before is news.
        late: what was silent before is news now, for it has come to stay.
    """

    look: SequenceLook
    at_once: bool = False
    late: bool = False


def told(
    sequence: PageSequence, strategy: ChangeStrategy, *, with_memory: bool = True
) -> Iterator[Told]:
    """Yields what a reader is told at each look, the first one left out."""
    first, *others = sequence.looks
    memory, shown, runs = NO_MEMORY, _version(first.side), {first.time: _version(first.side)}
    run = first.time
    for number, look in enumerate(others, start=1):
        coming, at_once = _version(look.side), False
        if coming.text != shown.text:
            step, at = page_step(shown, coming), PageLook(number, look.time)
            volatile = volatile_spans(memory, step, at) if with_memory else NOTHING_VOLATILE
            edits = finished(
                strategy.edits(
                    replace(shown, volatile=volatile.old), replace(coming, volatile=volatile.new)
                )
            )
            at_once = strategy.summary(edits).semantic
            silent = [edit for edit in edits if VOLATILE in edit.reasons]
            spans = SilentSpans(
                [edit.old for edit in silent if edit.old], [edit.new for edit in silent if edit.new]
            )
            before = Recollection(memory=memory, look=at, told_before=run)
            memory = learned(before, step, spans, run=look.time)
            run, shown = look.time, coming
            runs[run] = coming
        due = settles_at(memory)
        late = False
        if due is not None and number + 1 >= due:
            since = memory.told_from_time
            memory = settled(memory, PageLook(number + 1, look.time), run=run)
            late = since is not None and any(
                edit.semantic
                for edit in edits_to_tell(runs[since], shown, memory, strategy, settled=True)
            )
        yield Told(look, at_once, late)


def sequence_scores(
    sequences: Sequence[PageSequence],
    by_kind: Mapping[str, Sequence[PageSequence]],
    strategy: ChangeStrategy,
) -> dict[str, object]:
    """Returns what readers are told, and the same without memory.

    Args:
        sequences: recorded pages.
        by_kind: pages that flap by design, by what they do.
    """
    with_memory = _scores(sequences, by_kind, strategy, with_memory=True)
    return with_memory | {
        "without_memory": _scores(sequences, by_kind, strategy, with_memory=False)
    }


def is_news(old: Side, new: Side, strategy: ChangeStrategy) -> bool:
    """Returns whether a change is news where nothing is known of its page."""
    edits = finished(strategy.edits(_version(old), _version(new)))
    return strategy.summary(edits).semantic


def _scores(
    sequences: Sequence[PageSequence],
    by_kind: Mapping[str, Sequence[PageSequence]],
    strategy: ChangeStrategy,
    *,
    with_memory: bool,
) -> dict[str, object]:
    heard = [
        (sequence.page, one)
        for sequence in sequences
        for one in told(sequence, strategy, with_memory=with_memory)
    ]
    judged = [
        (page, one.look.positive, one.at_once)
        for page, one in heard
        if one.look.positive is not None
    ]
    labelled = [one.at_once for _, one in heard if one.look.labelled]
    kinds = {
        kind: _by_design(pages, strategy, with_memory=with_memory)
        for kind, pages in by_kind.items()
    }
    flaps = [flap for found in kinds.values() for flap in found.flaps]
    return {
        **scores(judged),
        **f1_of_folds(judged),
        "told_late": sum(one.late for _, one in heard),
        "labelled_flaps_called": share(sum(labelled), len(labelled)),
        "labelled_flaps_n": len(labelled),
        **_flap_scores(flaps),
        "flapping": {
            kind: _flap_scores(found.flaps) | _lost(found) for kind, found in kinds.items()
        },
    }


@dataclass(frozen=True, slots=True)
class ByDesign:
    """What is told of pages that flap by design.

    Attributes:
        flaps: page and whether it was told, for each look past the second turn.
        edits: whether edits of the pages beside what flaps were told at once.
        final: whether the last text of each page was told when it came or since.
    """

    flaps: list[tuple[str, bool, bool]]
    edits: list[bool]
    final: list[bool]


def _by_design(
    sequences: Sequence[PageSequence], strategy: ChangeStrategy, *, with_memory: bool
) -> ByDesign:
    found = ByDesign([], [], [])
    for sequence in sequences:
        looks = list(told(sequence, strategy, with_memory=with_memory))
        found.flaps.extend(
            (sequence.page, True, one.at_once or one.late) for one in looks if one.look.flaps
        )
        edits = [one.at_once for one in looks if one.look.positive]
        found.edits.extend(edits)
        if not edits:
            found.final.append(_is_final_told(looks))
    return found


def _flap_scores(flaps: Sequence[tuple[str, bool, bool]]) -> dict[str, object]:
    return {
        "flapping_news_share": share(sum(called for _, _, called in flaps), len(flaps)),
        "flapping_news_share_interval": share_interval(flaps) if flaps else None,
        "flapping_n": len(flaps),
        "flapping_pages": len({page for page, _, _ in flaps}),
    }


def _lost(found: ByDesign) -> dict[str, object]:
    return {
        "edits_told": share(sum(found.edits), len(found.edits)),
        "final_text_told": share(sum(found.final), len(found.final)),
    }


def _is_final_told(looks: Sequence[Told]) -> bool:
    """The last text that came was told when it came or after, or is no news to the strategy."""
    last = next(
        place
        for place in reversed(range(1, len(looks)))
        if looks[place].look.side.text != looks[place - 1].look.side.text
    )
    ever = any(one.at_once for one in looks)
    return not ever or any(one.at_once or one.late for one in looks[last:])


def _version(side: Side) -> ComparedVersion:
    document = Document(blocks=side.blocks, language=side.language)
    return ComparedVersion(text=side.text, document=document, chunks=())
