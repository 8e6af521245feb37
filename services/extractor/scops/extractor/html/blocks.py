"""The blocks of an HTML page in document order, from one walk over its tree.

Paragraphs, headings, list items, table rows, code and quotes become blocks; a table that only
lays out the page is walked as if its cells were paragraphs.
"""

import re
from typing import NamedTuple

from lxml import etree
from lxml.html import HtmlElement

from scops.common.contract.messages.content import BlockKind, LinkPosition
from scops.extractor.html.images import image_text, shows_image
from scops.extractor.html.names import BLOCK_TAGS, HEADING_LEVELS, MATH_TOKENS, SINGLE_TAGS
from scops.extractor.html.regions import Naming, boilerplate_position, naming_of
from scops.extractor.text.clean_text import RawBlock, code_text, flow_text

CELL_SEPARATOR = " | "
# A cell longer than this is a piece of a page, not a value.
CELL_CHARACTERS_MAX = 2_000
# At which a walk ends: ten times the largest page met in practice, a fraction of a page's time.
BLOCKS_MAX = 100_000

_KINDS = {
    "pre": BlockKind.CODE,
    "listing": BlockKind.CODE,
    "li": BlockKind.LIST_ITEM,
    "dt": BlockKind.LIST_ITEM,
    "dd": BlockKind.LIST_ITEM,
    "blockquote": BlockKind.QUOTE,
}
_INHERITED = frozenset({BlockKind.LIST_ITEM, BlockKind.QUOTE})
_CELLS = frozenset({"td", "th"})
_STRUCTURED = etree.XPath(
    "boolean(descendant::table or descendant::pre or descendant::h1 or descendant::h2"
    " or descendant::h3)"
)
_PERMALINK = re.compile(r"[\s#¶§🔗\ue000-\uf8ff]*")
_LINE_NUMBERS = re.compile(r"[\d\s]+")


class _Context(NamedTuple):
    """What the elements around a place make of the text in it."""

    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    container: int = 0
    # Where a link in it stands; text is main text only in the body.
    position: LinkPosition = LinkPosition.BODY
    admonition: bool = False
    data_table: bool = False
    row: bool = False


class LinkPlace(NamedTuple):
    """Where the first link to a target stands.

    Attributes:
        block: index of the block that holds it.
    """

    position: LinkPosition
    heading: str
    block: int


class HtmlBlocks(NamedTuple):
    """The blocks of a page, and where its links stand, by href as written."""

    blocks: list[RawBlock]
    places: dict[str, LinkPlace]
    # To which the elements nest.
    depth: int
    # Outermost elements of navigation, page header and footer, sidebars.
    boilerplate: list[HtmlElement]
    # There were more blocks than a walk takes.
    truncated: bool


def html_blocks(root: HtmlElement) -> HtmlBlocks:
    """Returns the blocks of a page from which unseen elements were removed."""
    body = root.find("body")
    start = root if body is None else body
    walk = _Walk()
    walker = etree.iterwalk(start, events=("start", "end"))
    depth = deepest = 0
    for event, element in walker:
        if len(walk.blocks) >= BLOCKS_MAX:
            break
        if event == "end":
            depth -= 1
            walk.leave(element, inside=element is not start)
        elif element.tag == "a" and walk.is_permalink(element):
            walker.skip_subtree()
            if element.tail:
                walk.append(element.tail)
        else:
            depth += 1
            if depth > deepest:
                deepest = depth
            walk.enter(element)
    walk.flush()
    truncated = len(walk.blocks) >= BLOCKS_MAX
    return HtmlBlocks(walk.blocks, walk.places, deepest, walk.boilerplate, truncated)


class _Walk:
    """The state of a walk: the context, the text collected since the last block, the blocks."""

    def __init__(self) -> None:
        self.blocks: list[RawBlock] = []
        self.places: dict[str, LinkPlace] = {}
        self.boilerplate: list[HtmlElement] = []
        self._heading = ""
        self._context = _Context()
        self._outer: list[_Context] = []
        self._parts: list[str] = []
        self._cells: list[str] = []
        # Of the current block; they follow it, so that no sentence is torn.
        self._images: list[str] = []
        self._containers = 0
        self._anchors = 0
        # Of the last anchor.
        self._href = ""
        self._linked_characters = 0
        # Index into the parts after the last line break, or -1.
        self._line_start = -1

    def enter(self, element: HtmlElement) -> None:
        """Opens an element and takes its leading text."""
        tag = element.tag
        if tag in BLOCK_TAGS:
            if self._parts or self._images:
                self._break()
            self._outer.append(self._context)
            if not self._soft():
                self._context = self._inner_context(element, tag)
        elif tag == "br":
            self._line_break()
        elif tag == "img":
            self._image(element)
        elif tag == "a":
            self._anchors += 1
            self._place(element)
        elif tag in MATH_TOKENS:
            # A fraction of 1 and 2 is not 12.
            self.append(" ")
        text = element.text
        if text:
            self.append(text)

    def leave(self, element: HtmlElement, *, inside: bool) -> None:
        """Closes an element and takes the text behind it."""
        tag = element.tag
        if tag in BLOCK_TAGS:
            self._close_block(tag)
            self._context = self._outer.pop()
        elif tag == "a":
            self._anchors -= 1
        text = element.tail if inside else None
        if text:
            self.append(text)

    def append(self, text: str) -> None:
        """Collects text; white space between blocks is none."""
        if self._parts or not text.isspace() or self._context.kind is BlockKind.CODE:
            self._parts.append(text)
            if self._anchors:
                self._linked_characters += len(text.strip())

    def is_permalink(self, anchor: HtmlElement) -> bool:
        """Whether an anchor is the sign beside a heading that links to it."""
        return (
            self._context.kind is BlockKind.HEADING
            and _PERMALINK.fullmatch("".join(anchor.itertext())) is not None
        )

    def flush(self) -> None:
        """Makes a block of the collected text, if there is any to see, then of its images."""
        if self._parts:
            self._flush_text()
        if self._images:
            for text in self._images:
                self._append_block(BlockKind.IMAGE, text)
            self._images.clear()

    def _flush_text(self) -> None:
        raw = "".join(self._parts)
        self._parts.clear()
        self._line_start = -1
        linked, self._linked_characters = self._linked_characters, 0
        kind = self._context.kind
        text = code_text(raw) if kind is BlockKind.CODE else flow_text(raw)
        if not text or (kind is BlockKind.CODE and _LINE_NUMBERS.fullmatch(text)):
            return
        self._append_block(kind, text, link_share=min(linked / len(text), 1.0))
        if kind is BlockKind.HEADING:
            self._heading = text

    def _append_block(self, kind: BlockKind, text: str, *, link_share: float = 0.0) -> None:
        self.blocks.append(
            RawBlock(
                kind=kind,
                text=text,
                level=self._context.level if kind is BlockKind.HEADING else 0,
                container=self._context.container,
                link_share=link_share,
                boilerplate=self._context.position is not LinkPosition.BODY,
            )
        )

    def _image(self, image: HtmlElement) -> None:
        # What leads elsewhere shows what is there.
        text = "" if self._anchors and not shows_image(self._href) else image_text(image)
        if text:
            self._images.append(text)

    def _place(self, anchor: HtmlElement) -> None:
        href = self._href = anchor.get("href") or ""
        if href and href not in self.places:
            place = LinkPlace(self._context.position, self._heading, len(self.blocks))
            self.places[href] = place

    def _close_block(self, tag: str) -> None:
        if self._context.row and tag in _CELLS:
            self._cells.append("".join(self._parts))
            self._parts.clear()
        elif tag == "tr" and self._context.row:
            self._close_row()
        elif not (self._parts or self._images):
            return
        elif self._context is self._outer[-1]:
            # Inside a heading, a row or code nothing opens a block of its own.
            self._break()
        else:
            self.flush()

    def _close_row(self) -> None:
        cells = [flow_text(cell) for cell in (*self._cells, "".join(self._parts))]
        self._cells.clear()
        while cells and not cells[-1]:
            del cells[-1]
        self._parts = [CELL_SEPARATOR.join(cells)] if cells else []
        self.flush()

    def _break(self) -> None:
        """Ends the block before a nested one, or only its line where blocks cannot nest."""
        if self._context.kind is BlockKind.CODE:
            if self._parts and not self._parts[-1].endswith("\n"):
                self._parts.append("\n")
        elif self._soft():
            self._parts.append(" ")
        else:
            self.flush()

    def _soft(self) -> bool:
        return self._context.row or self._context.kind in (BlockKind.HEADING, BlockKind.CODE)

    def _line_break(self) -> None:
        """Two line breaks in a row end a paragraph on pages that know no paragraphs."""
        again = self._line_start >= 0 and not any(
            part.strip() for part in self._parts[self._line_start :]
        )
        if again and not self._soft():
            self.flush()
            return
        self._parts.append("\n")
        self._line_start = len(self._parts)

    def _inner_context(self, element: HtmlElement, tag: str) -> _Context:
        outer = self._context
        single = tag in SINGLE_TAGS
        if not single:
            self._containers += 1
        naming = naming_of(element)
        is_row = tag == "tr" and outer.data_table
        # In the order of the fields: names take twice as long, and this is done for each element.
        return _Context(
            BlockKind.TABLE_ROW if is_row else _kind(tag, outer),
            0 if outer.admonition else HEADING_LEVELS.get(tag, 0),
            outer.container if single else self._containers,
            self._inner_position(element, naming),
            outer.admonition or naming.admonition,
            _is_data_table(element) if tag == "table" else outer.data_table,
            is_row,
        )

    def _inner_position(self, element: HtmlElement, naming: Naming) -> LinkPosition:
        outer = self._context.position
        if outer is not LinkPosition.BODY:
            return outer
        position = boilerplate_position(element, naming)
        if position is None:
            return LinkPosition.BODY
        self.boilerplate.append(element)
        return position


def _kind(tag: str, outer: _Context) -> BlockKind:
    if tag in HEADING_LEVELS:
        return BlockKind.PARAGRAPH if outer.admonition else BlockKind.HEADING
    if tag in _KINDS:
        return _KINDS[tag]
    return outer.kind if outer.kind in _INHERITED else BlockKind.PARAGRAPH


def _is_data_table(table: HtmlElement) -> bool:
    """Whether a table holds values, and does not lay out the page."""
    if table.get("role") in ("presentation", "none") or _STRUCTURED(table):
        return False
    cells = list(table.iter("td", "th"))
    rows = sum(1 for _ in table.iter("tr"))
    if len(cells) < 2 or rows == 0:
        return False
    longest = max(len("".join(cell.itertext())) for cell in cells)
    return longest <= CELL_CHARACTERS_MAX
