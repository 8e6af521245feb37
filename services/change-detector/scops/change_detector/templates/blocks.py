"""Templates: blocks that a host repeats, and what of them a page leaves out of its chunks.

Pure. The text of a version never changes: a mask only says which blocks are not chunked. One page
of the host, the keeper of a block, goes on showing it, so that no sentence is lost to search.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from urllib.parse import urlsplit

from scops.change_detector.chunking.atoms import hash64
from scops.common.contract.ids import PageId
from scops.common.contract.messages.content import Block, BlockKind
from scops.common.text.sentences import Span

# Templates in a row that are left out: so many blocks at an edge of the text, where a single line
# may be a fact of this page ("Withdrawn"), or so many words anywhere, where a short run may be one.
EDGE_BLOCKS_MIN = 3
RUN_WORDS_MIN = 20
# Words outside of templates and headings without which nothing of a page is left out.
KEPT_WORDS_MIN = 20
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class BlockKey:
    """What a block is known by on its host.

    Attributes:
        text: hash of its words, whatever their case and white space.
        shape: the same with every number blanked, so that a counter keeps its shape.
    """

    text: int
    shape: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateMask:
    """The templates of a host.

    Attributes:
        epoch: rises with every change of the mask; 0 before anything was learned.
        keepers: for each repeated block the page that goes on showing it.
        retired: blocks that were repeated and are no longer; what becomes of them on the pages
            that are fetched later is no news, but they are chunked again.
    """

    epoch: int = 0
    keepers: Mapping[int, PageId] = field(default_factory=dict)
    retired: frozenset[int] = frozenset()

    def repeated(self, text: str, blocks: Sequence[Block]) -> tuple[Span, ...]:
        """Returns the spans of blocks whose changes are the host's, not the page's."""
        if not self.keepers and not self.retired:
            return ()
        return tuple(
            (block.start, block.end)
            for block in blocks
            if (key := block_key(text, block).text) in self.keepers or key in self.retired
        )

    def left_out(self, page_id: PageId, text: str, blocks: Sequence[Block]) -> frozenset[int]:
        """Returns the places of the blocks that are not chunked; none where little else is left."""
        if not self.keepers:
            return frozenset()
        flags = [self._is_foreign(page_id, text, block) for block in blocks]
        _keep_headings(flags, blocks)
        runs = [run for run in _runs(flags) if _is_frame(run, text, blocks)]
        places = frozenset(place for run in runs for place in run)
        kept = sum(
            _words(text, block)
            for place, block in enumerate(blocks)
            if place not in places and block.kind is not BlockKind.HEADING
        )
        return places if kept >= KEPT_WORDS_MIN else frozenset()

    def _is_foreign(self, page_id: PageId, text: str, block: Block) -> bool:
        keeper = self.keepers.get(block_key(text, block).text)
        return keeper is not None and keeper != page_id


NO_MASK = TemplateMask()


def host_of(url: str) -> str:
    """Returns the host, with its port where the URL names one, whose templates a page has.

    Empty for a file, which has no host.
    """
    parts = urlsplit(url)
    return "" if parts.scheme == "file" else parts.netloc


def block_key(text: str, block: Block) -> BlockKey:
    """Returns the key of a block."""
    said = " ".join(text[block.start : block.end].split()).casefold()
    return BlockKey(hash64(said), hash64(_DIGITS.sub("#", said)))


def kept_runs(blocks: Sequence[Block], left_out: frozenset[int]) -> Iterator[Sequence[Block]]:
    """Yields the runs of blocks between those left out; no chunk reaches across one of these."""
    if not left_out:
        yield blocks
        return
    for is_left_out, run in groupby(range(len(blocks)), key=lambda place: place in left_out):
        if not is_left_out:
            yield [blocks[place] for place in run]


def _keep_headings(flags: list[bool], blocks: Sequence[Block]) -> None:
    """A heading is left out only with what it heads."""
    for place in reversed(range(len(blocks) - 1)):
        if blocks[place].kind is BlockKind.HEADING and not flags[place + 1]:
            flags[place] = False


def _runs(flags: Sequence[bool]) -> Iterator[range]:
    start = 0
    for flag, group in groupby(flags):
        end = start + sum(1 for _ in group)
        if flag:
            yield range(start, end)
        start = end


def _is_frame(run: range, text: str, blocks: Sequence[Block]) -> bool:
    at_edge = run.start == 0 or run.stop == len(blocks)
    if at_edge and len(run) >= EDGE_BLOCKS_MIN:
        return True
    return sum(_words(text, blocks[place]) for place in run) >= RUN_WORDS_MIN


def _words(text: str, block: Block) -> int:
    return sum(1 for _ in _WORD.finditer(text, block.start, block.end))
