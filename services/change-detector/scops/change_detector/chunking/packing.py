"""Packs atoms into chunks so that an insertion moves few boundaries.

Each place between two atoms has a priority that hangs on the atom after it alone: headings first,
then beginnings of blocks, then the rest, and among equals a hash of the text. Places are taken by
falling priority wherever the run around them is still too long and both parts stay long enough.
So which places are taken inside a run depends on that run only: an inserted paragraph changes the
chunk it falls into, and splits it where it no longer fits.

Measured on 400 documentation pages (`benchmarks.change`): see `chunks_per_insert`.
Source: content-defined chunking, by local priorities instead of a rolling minimum.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import accumulate, pairwise

from scops.change_detector.chunking.atoms import Atom

# Ordinary text has four to five; only a chunk made of white space comes near it.
CHARACTERS_PER_TOKEN_MAX = 32


def pack(atoms: Sequence[Atom], *, tokens_min: int, tokens_max: int) -> list[Sequence[Atom]]:
    """Returns runs of atoms that hold every atom once, in order.

    No run has more than `tokens_max` tokens or 32 characters a token, except a single atom that
    has. Runs have at least `tokens_min` tokens where the sizes of the atoms allow it, and do not
    end in a heading.
    """
    if not atoms:
        return []
    room = _Room(atoms, tokens_max)
    by_priority = sorted(
        range(1, len(atoms)), key=lambda at: (atoms[at].priority, -at), reverse=True
    )
    behind_headings = [at for at in by_priority if _heads(atoms[at - 1], atoms[at])]
    free = [at for at in by_priority if not _heads(atoms[at - 1], atoms[at])]
    cuts = [0, len(atoms)]
    for candidates, least in ((free, tokens_min), (free, tokens_min // 4), (free, 0)):
        _take(candidates, cuts, room, tokens_min=least)
    _take(behind_headings, cuts, room, tokens_min=0)
    return [atoms[first:last] for first, last in pairwise(cuts)]


class _Room:
    """How much runs of atoms hold, and whether that is too much for a chunk."""

    def __init__(self, atoms: Sequence[Atom], tokens_max: int) -> None:
        self._atoms = atoms
        self._ends = [0, *accumulate(atom.tokens for atom in atoms)]
        self._tokens_max = tokens_max

    def tokens(self, first: int, last: int) -> int:
        return self._ends[last] - self._ends[first]

    def overflows(self, first: int, last: int) -> bool:
        # White space between atoms has no tokens, but whoever reads a passage goes through it.
        characters = self._atoms[last - 1].end - self._atoms[first].start
        return (
            self.tokens(first, last) > self._tokens_max
            or characters > CHARACTERS_PER_TOKEN_MAX * self._tokens_max
        )


def _take(candidates: Sequence[int], cuts: list[int], room: _Room, *, tokens_min: int) -> None:
    """Takes cuts by falling priority in runs that are too long; `cuts` stays sorted."""
    for at in candidates:
        place = bisect_left(cuts, at)
        before, after = cuts[place - 1], cuts[place]
        if after == at or not room.overflows(before, after):
            continue
        if min(room.tokens(before, at), room.tokens(at, after)) >= tokens_min:
            insort(cuts, at)


def _heads(before: Atom, atom: Atom) -> bool:
    return before.is_heading and not atom.is_heading
