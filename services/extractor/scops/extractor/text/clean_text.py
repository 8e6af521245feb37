"""Clean text: what a reader sees of a block, without characters that nobody sees.

The text of a page is its blocks joined by line breaks, in Unicode Normalization Form C, so that
`text[block.start:block.end]` is the block, counted in code points.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from scops.common.contract.messages.content import Block, BlockKind, TrustTier
from scops.common.text.instructions import gives_orders

SECTION_CHARACTERS_MAX = 200
# Of the paths of all blocks together, as long as the longest text; blocks behind have none. Long
# headings above many small blocks would make a document sixty times as long as its text.
PATHS_CHARACTERS_MAX = 2_000_000

# Lists and tables read as one piece; everything else is set apart by an empty line.
_TIGHT = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW})

# Controls but tab and line breaks, soft hyphen, zero-width, bidi and tag characters, surrogates.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RawBlock:
    """A block of a page before it has a place in the text.

    Attributes:
        text: clean, not empty.
        level: 1 to 6 for headings, else 0.
        container: number of the element that holds the block; neighbours share it.
        link_share: share of the characters that are anchor text, in [0, 1].
        boilerplate: stands in navigation, page header or footer, sidebar.
        page: on which it begins, from 1; 0 where there are no pages.
        read_by_ocr: out of a picture of the page.
    """

    kind: BlockKind
    text: str
    level: int = 0
    container: int = 0
    link_share: float = 0.0
    boilerplate: bool = False
    page: int = 0
    read_by_ocr: bool = False


@dataclass(frozen=True, slots=True)
class CleanText:
    """The clean text of a page with its blocks in order."""

    text: str
    blocks: tuple[Block, ...]
    truncated: bool


def seen_text(raw: str) -> str:
    """Returns text in Unicode Normalization Form C, without characters that nobody sees."""
    return unicodedata.normalize("NFC", _UNSEEN.sub("", raw))


def flow_text(raw: str) -> str:
    """Returns running text on one line, with single spaces."""
    return " ".join(seen_text(raw).split())


def code_text(raw: str) -> str:
    """Returns text whose white space matters, without empty lines around it."""
    lines = [line.rstrip() for line in seen_text(raw).splitlines()]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return "\n".join(lines)


def assemble(raw_blocks: Iterable[RawBlock], *, characters_max: int) -> CleanText:
    """Joins blocks to the text of a page and gives each its offsets and section path.

    Args:
        characters_max: the text ends there, in the middle of a block if need be.
    """
    parts: list[str] = []
    blocks: list[Block] = []
    sections = _Sections()
    length = 0
    for raw in raw_blocks:
        separator = _separator(blocks, raw)
        start = length + len(separator)
        text = raw.text[: max(characters_max - start, 0)].rstrip()
        if text:
            path = sections.enter(raw)
            length = start + len(text)
            parts += (separator, text)
            blocks.append(_block(raw, start, length, path))
        if len(text) < len(raw.text):
            return CleanText("".join(parts), tuple(blocks), truncated=True)
    return CleanText("".join(parts), tuple(blocks), truncated=False)


class _Sections:
    """The headings above the current block, by level."""

    def __init__(self) -> None:
        self._above: list[tuple[int, str]] = []
        self._room = PATHS_CHARACTERS_MAX

    def enter(self, raw: RawBlock) -> tuple[str, ...]:
        """Returns the path above a block; a heading then opens its own section."""
        if raw.kind is BlockKind.HEADING:
            self._above = [entry for entry in self._above if entry[0] < raw.level]
        path = tuple(title for _, title in self._above)
        if raw.kind is BlockKind.HEADING:
            self._above.append((raw.level, raw.text[:SECTION_CHARACTERS_MAX]))
        self._room -= sum(map(len, path))
        return path if self._room >= 0 else ()


def _separator(blocks: list[Block], raw: RawBlock) -> str:
    if not blocks:
        return ""
    return "\n" if raw.kind in _TIGHT and raw.kind is blocks[-1].kind else "\n\n"


def _block(raw: RawBlock, start: int, end: int, path: tuple[str, ...]) -> Block:
    suspicious = gives_orders(raw.text)
    return Block(
        kind=raw.kind,
        start=start,
        end=end,
        section_path=path,
        level=raw.level,
        page=raw.page,
        read_by_ocr=raw.read_by_ocr,
        trust=TrustTier.INSTRUCTION_LIKE if suspicious else TrustTier.UNSPECIFIED,
    )
