"""Which blocks came and went from one text of a page to the next, and what each is known by.

Pure; costs time in proportion to both texts.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scops.change_detector.chunking.atoms import hash64
from scops.change_detector.chunking.chunker import Body
from scops.change_detector.templates.blocks import BlockKey, block_key
from scops.common.contract.messages.change import MemoryKind
from scops.common.text.sentences import Span

# Where more of a page than this gives way at once, nothing is left that tells a place.
PLACE_SHARE_MAX = 0.5
# Where more blocks come and go at once, none of them is followed.
CHANGED_BLOCKS_MAX = 5_000
# Blocks of a page of which those that differ by numbers alone are told from each other.
NUMBERED_BLOCKS_MAX = 5_000
_FIRST, _LAST = "first", "last"


@dataclass(frozen=True, slots=True)
class ChangedBlock:
    """A block that came or went.

    Attributes:
        text: what its text is known by.
        pair: what its numbers or its place are known by where another block stands for it on the
            other side; None where none does.
        keys: all of these.
    """

    span: Span
    text: int
    pair: int | None
    keys: Mapping[int, MemoryKind]


@dataclass(frozen=True, slots=True)
class PageStep:
    """What came and what went, in the order of the texts."""

    went: tuple[ChangedBlock, ...]
    came: tuple[ChangedBlock, ...]

    @property
    def keys(self) -> dict[int, MemoryKind]:
        """What flips in this step, each once."""
        return {key: kind for block in (*self.went, *self.came) for key, kind in block.keys.items()}


@dataclass(frozen=True, slots=True)
class _Side:
    """One text: what its blocks say, and those of them that the other text lacks."""

    body: Body
    said: Sequence[str]
    changed: Mapping[int, BlockKey]

    def shapes(self) -> Counter[int]:
        """Counts the shapes of changed blocks that hold numbers."""
        return Counter(key.shape for key in self.changed.values() if key.shape != key.text)

    def places(self) -> dict[int, str]:
        """Returns for each changed block the kept blocks around it."""
        count = len(self.said)
        before = self._anchors(range(count), _FIRST)
        after = self._anchors(range(count - 1, -1, -1), _LAST)
        return {place: f"{before[place]} {after[place]}" for place in self.changed}

    def _anchors(self, order: range, edge: str) -> dict[int, str]:
        """Returns for each changed block the kept one that was passed last."""
        found: dict[int, str] = {}
        passed: int | None = None
        for place in order:
            if place not in self.changed:
                passed = place
            elif passed is None:
                found[place] = edge
            else:
                found[place] = f"{self.key_of(passed).text:x}"
        return found

    def key_of(self, place: int) -> BlockKey:
        """Returns what a block is known by."""
        return block_key(self.body.text, self.body.document.blocks[place])


def page_step(old: Body, new: Body) -> PageStep:
    """Returns what came and went from one text to another."""
    old_said, new_said = _said(old), _said(new)
    went, came = _side(old, old_said, new_said), _side(new, new_said, old_said)
    went, came = _without_format(went, came), _without_format(came, went)
    if len(went.changed) + len(came.changed) > CHANGED_BLOCKS_MAX:
        return PageStep((), ())
    numbers = _shared_shapes(went, came)
    places = _shared_places(went, came, numbers)
    return PageStep(_blocks(went, numbers, places), _blocks(came, numbers, places))


def text_keys(body: Body) -> Iterator[tuple[int, Span]]:
    """Yields what each block is known by wherever it stands: its text, and its numbers."""
    for block in body.document.blocks:
        key = block_key(body.text, block)
        yield key.text, (block.start, block.end)
        if key.shape != key.text:
            yield _numbers_key(key), (block.start, block.end)


def _numbers_key(key: BlockKey) -> int:
    return hash64(f"numbers {key.shape:x}")


def _said(body: Body) -> list[str]:
    return [body.text[block.start : block.end] for block in body.document.blocks]


def _side(body: Body, said: Sequence[str], other: Sequence[str]) -> _Side:
    there = frozenset(other)
    changed = {
        place: block_key(body.text, body.document.blocks[place])
        for place, text in enumerate(said)
        if text not in there
    }
    return _Side(body, said, changed)


def _without_format(side: _Side, other: _Side) -> _Side:
    """A block that is only written otherwise has not changed."""
    same = {key.text for key in other.changed.values()}
    changed = {place: key for place, key in side.changed.items() if key.text not in same}
    return _Side(side.body, side.said, changed)


def _shared_shapes(went: _Side, came: _Side) -> frozenset[int]:
    """Shapes of which one block went and one came: the same sentence with other numbers."""
    gone, there = went.shapes(), came.shapes()
    shared = {shape for shape, count in gone.items() if count == 1 and there[shape] == 1}
    if not shared or len(came.said) > NUMBERED_BLOCKS_MAX:
        return frozenset()
    kept = (place for place in range(len(came.said)) if place not in came.changed)
    return frozenset(shared - {came.key_of(place).shape for place in kept})


def _shared_places(went: _Side, came: _Side, numbers: frozenset[int]) -> frozenset[str]:
    """Places of which something went and something came."""
    for side in (went, came):
        if len(side.changed) > PLACE_SHARE_MAX * len(side.said):
            return frozenset()
    return _places(went, numbers) & _places(came, numbers)


def _places(side: _Side, numbers: frozenset[int]) -> frozenset[str]:
    return frozenset(
        around
        for place, around in side.places().items()
        if side.changed[place].shape not in numbers
    )


def _blocks(
    side: _Side, numbers: frozenset[int], places: frozenset[str]
) -> tuple[ChangedBlock, ...]:
    found = []
    around = side.places() if places else {}
    for place, key in side.changed.items():
        block = side.body.document.blocks[place]
        pair, kind = None, MemoryKind.UNSPECIFIED
        if key.shape in numbers:
            pair, kind = _numbers_key(key), MemoryKind.NUMBERS
        elif around.get(place) in places:
            pair, kind = hash64(f"place {around[place]}"), MemoryKind.PLACE
        keys = {key.text: MemoryKind.TEXT} | ({pair: kind} if pair is not None else {})
        found.append(ChangedBlock((block.start, block.end), key.text, pair, keys))
    return tuple(found)
