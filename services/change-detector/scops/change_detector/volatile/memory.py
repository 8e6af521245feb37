"""What a page's own history teaches: which of its blocks are volatile, and what has settled.

Pure. A block whose text has come and gone is volatile, and so is a block that has had other
numbers, or a place that has had other texts, at nearly every look three times in a row, none of
which stood before. What happens in volatile blocks alone is no news: it is an edit between texts
that came and went, or one of a kind that the history makes usual. Where texts alternate, one that
never stood is news at once.

What was silent is *untold* until it is told or taken back. Once it has stood for longer than
anything in its place did, it has settled, and is news after all. Time is counted in looks, which
are what a history has; what flipped longer ago than `REMEMBERED` teaches nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scops.change_detector.volatile.steps import ChangedBlock, PageStep
from scops.common.contract.messages.change import BlockMemory, MemoryKind, PageMemory
from scops.common.text.sentences import Span

NO_MEMORY = PageMemory()
# Flips after which what flips is volatile.
FLIPS_MIN = {MemoryKind.TEXT: 2, MemoryKind.NUMBERS: 3, MemoryKind.PLACE: 3}
# Looks between two flips at which a block still changes with nearly every look.
RAPID_LOOKS_MAX = 2
# Looks without a flip after which a block is calm, at least; and as many times its longest stay.
CALM_LOOKS_MIN, CALM_STAYS = 4, 2
REMEMBERED = timedelta(days=30)
# Of a page; what flips most is kept.
BLOCKS_MAX = 600


@dataclass(frozen=True, slots=True)
class PageLook:
    """A look at a page.

    Attributes:
        number: counts the looks; as the page's `sequence` does.
    """

    number: int
    time: datetime


@dataclass(frozen=True, slots=True)
class VolatileSpans:
    """The volatile blocks of two texts that differ, in order."""

    old: tuple[Span, ...] = ()
    new: tuple[Span, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.old or self.new)


NOTHING_VOLATILE = VolatileSpans()


@dataclass(frozen=True, slots=True)
class SilentSpans:
    """Where edits were no news because they lie in volatile blocks, in each text."""

    old: Sequence[Span] = ()
    new: Sequence[Span] = ()


NOTHING_SILENT = SilentSpans()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """What is remembered of a page when another text of it comes.

    Attributes:
        told_before: names the run whose text gives way.
    """

    memory: PageMemory
    look: PageLook
    told_before: datetime


def block_name(block: BlockMemory) -> str:
    """Returns what people name a block by."""
    return f"{block.key:016x}"


def calm_after(block: BlockMemory) -> int:
    """Returns how many looks without a flip make a block calm."""
    return max(CALM_LOOKS_MIN, CALM_STAYS * block.stay_max)


def is_volatile(block: BlockMemory, look: PageLook) -> bool:
    """Returns whether what happens in a block at a look is no news."""
    return _has_flipped(block, look.time) and not _is_calm(block, look)


def volatile_spans(memory: PageMemory, step: PageStep, look: PageLook) -> VolatileSpans:
    """Returns the blocks of a step in which nothing is news when it comes at a look."""
    volatile = {one.key for one in memory.blocks if is_volatile(one, look)}
    # What stands in the place of another block may have been away for long: how long the other
    # one stood tells whether the place is calm.
    back = {one.key for one in memory.blocks if _has_flipped(one, look.time)}
    restless = {block.pair for block in step.went if block.keys.keys() & volatile}

    def of_came(block: ChangedBlock) -> Collection[int]:
        if block.pair is None:
            return volatile
        return back if block.pair in restless else ()

    return _spans(memory, step, went=lambda _: volatile, came=of_came)


def untold_spans(memory: PageMemory, step: PageStep) -> VolatileSpans:
    """Returns the blocks of two versions whose differences are not told to readers, or not yet."""
    untold = {one.key for one in memory.blocks if one.untold}
    if not untold:
        return NOTHING_VOLATILE
    # Of what was replaced, what stands in its place tells.
    flipped = {one.key for one in memory.blocks if _has_flipped(one)}
    return _spans(
        memory,
        step,
        went=lambda block: untold if block.pair is None else flipped,
        came=lambda _: untold,
    )


def flipping_spans(memory: PageMemory, step: PageStep) -> VolatileSpans:
    """Returns the blocks of two versions that have been volatile, whatever has been told."""
    flipped = {one.key for one in memory.blocks if _has_flipped(one)}
    return _spans(memory, step, went=lambda _: flipped, came=lambda _: flipped)


def learned(
    recollection: Recollection, step: PageStep, silent: SilentSpans, *, run: datetime
) -> PageMemory:
    """Returns what is remembered after a step.

    Args:
        silent: edits of the step that were no news for what was remembered before it.
        run: names the run that the step leads to.
    """
    memory, look = recollection.memory, recollection.look
    known = {block.key: block for block in memory.blocks if _is_kept(block, look)}
    gone = [block for block in step.went if block.pair is None]
    silent_keys = _keys_in(gone, silent.old) | _keys_in(step.came, silent.new)
    unheard = {key for block in step.came if block.text not in known for key in block.keys}
    away = {block.text for block in step.came if block.pair is not None}
    flipped = {}
    for key, kind in step.keys.items():
        counts = kind is MemoryKind.TEXT or key in unheard
        before = known.get(key)
        now = _flipped(before, key, kind, look, counts=counts, stayed=key not in away)
        untold = key in silent_keys and before is not None and _has_flipped(before, look.time)
        flipped[key] = replace(now, untold=untold)
    known |= flipped
    _share_stays(known, step)
    kept = _most_telling(known)
    waits = any(block.untold for block in kept)
    return PageMemory(
        blocks=kept,
        told_from_time=(memory.told_from_time or recollection.told_before) if waits else run,
    )


def settles_at(memory: PageMemory) -> int | None:
    """Returns the look at which a silent change comes to stay if nothing happens; None for none."""
    due = (block.look + calm_after(block) for block in memory.blocks if block.untold)
    return min(due, default=None)


def settling_since(memory: PageMemory, look: PageLook) -> datetime | None:
    """Returns when the newest silent change came that has come to stay by a look; or None."""
    stays = (block for block in memory.blocks if block.untold and _is_calm(block, look))
    return max((block.flipped_time for block in stays), default=None)


def settled(memory: PageMemory, look: PageLook, *, run: datetime) -> PageMemory:
    """Returns what is remembered once the changes that have come to stay by a look are told.

    Args:
        run: names the run in which they are told.
    """
    blocks = tuple(
        replace(block, untold=block.untold and not _is_calm(block, look)) for block in memory.blocks
    )
    waits = any(block.untold for block in blocks)
    return PageMemory(
        blocks=blocks,
        told_from_time=memory.told_from_time if waits else run,
    )


def made_loud(memory: PageMemory, key: int, *, loud: bool) -> PageMemory:
    """Returns what is remembered once a block is said to be news, or not so any more."""
    return replace(
        memory,
        blocks=tuple(
            replace(block, loud=loud) if block.key == key else block for block in memory.blocks
        ),
    )


def _is_calm(block: BlockMemory, look: PageLook) -> bool:
    return look.number - block.look >= calm_after(block)


def _has_flipped(block: BlockMemory, now: datetime | None = None) -> bool:
    return (
        not block.loud
        and block.flips >= FLIPS_MIN.get(block.kind, block.flips + 1)
        and (now is None or now - block.flipped_time <= REMEMBERED)
    )


def _spans(
    memory: PageMemory,
    step: PageStep,
    *,
    went: Callable[[ChangedBlock], Collection[int]],
    came: Callable[[ChangedBlock], Collection[int]],
) -> VolatileSpans:
    """Returns the blocks known by one of the keys that count for them, but for loud ones."""
    loud_keys = {block.key for block in memory.blocks if block.loud}

    def is_among(block: ChangedBlock, keys: Collection[int]) -> bool:
        known = block.keys.keys()
        return not known.isdisjoint(keys) and known.isdisjoint(loud_keys)

    return VolatileSpans(
        old=tuple(block.span for block in step.went if is_among(block, went(block))),
        new=tuple(block.span for block in step.came if is_among(block, came(block))),
    )


def _flipped(
    known: BlockMemory | None,
    key: int,
    kind: MemoryKind,
    look: PageLook,
    *,
    counts: bool,
    stayed: bool,
) -> BlockMemory:
    """Returns what is remembered of a block after a flip.

    Args:
        counts: a text that stood before makes no place volatile in which others alternate.
        stayed: the looks since its last flip were a stay; those that others stood for it are none.
    """
    first = BlockMemory(
        key=key,
        kind=kind,
        flips=int(counts),
        look=look.number,
        flipped_time=look.time,
        loud=known is not None and known.loud,
    )
    if known is None:
        return first
    stay = look.number - known.look
    if kind is not MemoryKind.TEXT and stay > RAPID_LOOKS_MAX:
        return first
    longest = max(known.stay_max, stay if stayed else 0)
    flipped = replace(first, flips=known.flips + int(counts), stay_max=longest)
    if not _has_flipped(flipped):
        return flipped
    # One that was calm in between, and said something new, is volatile anew.
    since = known.volatile_time if is_volatile(known, look) else None
    return replace(flipped, volatile_time=since or look.time)


def _share_stays(known: dict[int, BlockMemory], step: PageStep) -> None:
    """Has the texts of a place know the longest stay of any of them."""
    texts: defaultdict[int, set[int]] = defaultdict(set)
    for block in (*step.went, *step.came):
        if block.pair is not None:
            texts[block.pair].add(block.text)
    for together in texts.values():
        longest = max(known[text].stay_max for text in together)
        for text in together:
            known[text] = replace(known[text], stay_max=longest)


def _is_kept(block: BlockMemory, look: PageLook) -> bool:
    return block.loud or block.untold or look.time - block.flipped_time <= REMEMBERED


def _most_telling(known: Mapping[int, BlockMemory]) -> tuple[BlockMemory, ...]:
    telling = sorted(
        known.values(),
        key=lambda block: (block.loud, block.untold, block.flips, block.look, block.key),
        reverse=True,
    )
    return tuple(telling[:BLOCKS_MAX])


def _keys_in(blocks: Sequence[ChangedBlock], spans: Sequence[Span]) -> set[int]:
    """Returns what blocks are known by that share a character with some spans."""
    found: set[int] = set()
    waiting = sorted(spans, reverse=True)
    reached = 0
    for block in blocks:
        start, end = block.span
        # Blocks follow each other: of the spans that begin before this one ends, the farthest
        # end tells whether any of them reaches into it.
        while waiting and waiting[-1][0] < end:
            reached = max(reached, waiting.pop()[1])
        if reached > start:
            found |= block.keys.keys()
    return found
