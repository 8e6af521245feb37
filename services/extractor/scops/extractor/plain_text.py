"""Blocks of plain text and of Markdown.

Markdown is read for its blocks only (CommonMark, sections 4 and 5); inline marks stay in the text
as they were written.
"""

import re
from collections.abc import Iterator

from scops.common.messages.content import BlockKind
from scops.extractor.clean_text import RawBlock, code_text, flow_text

_BLANK_LINES = re.compile(r"\n[ \t\f]*(?:\n[ \t\f]*)+")
_ALIGNED = re.compile(r"\S(?:\t| {3,})\S")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$")
_ROW = re.compile(r"[ \t]*\|(.*)\|[ \t]*$")
_ROW_RULE = re.compile(r"[\s|:-]+$")


def plain_blocks(text: str) -> list[RawBlock]:
    """Returns the paragraphs of a text; what is aligned by white space keeps it."""
    return [_plain_block(part) for part in _BLANK_LINES.split(_unix(text)) if flow_text(part)]


def markdown_blocks(text: str) -> list[RawBlock]:
    """Returns headings, paragraphs, list items, table rows, code and quotes of a text."""
    return [block for block in _Markdown().blocks(_unix(text).split("\n")) if block.text]


def _plain_block(part: str) -> RawBlock:
    lines = [line for line in part.split("\n") if line.strip()]
    margins = {len(line) - len(line.lstrip()) for line in lines}
    # The first line may be indented or hang; a margin that moves later is layout.
    laid_out = len(margins) > 2 or any(_ALIGNED.search(line) for line in lines)
    if laid_out and len(lines) > 1:
        return RawBlock(kind=BlockKind.CODE, text=code_text(part))
    return RawBlock(kind=BlockKind.PARAGRAPH, text=flow_text(part))


class _Markdown:
    """Collects lines until a block ends."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._kind = BlockKind.PARAGRAPH
        self._fence = ""

    def blocks(self, lines: list[str]) -> Iterator[RawBlock]:
        for line in lines:
            yield from self._take(line)
        yield from self._end()

    def _take(self, line: str) -> Iterator[RawBlock]:
        fence = _FENCE.match(line)
        if self._fence:
            yield from self._take_code(line, fence)
        elif fence:
            yield from self._end()
            self._fence, self._kind = fence.group(1), BlockKind.CODE
        elif not line.strip():
            yield from self._end()
        else:
            yield from self._take_text(line)

    def _take_code(self, line: str, fence: re.Match[str] | None) -> Iterator[RawBlock]:
        if fence and fence.group(1).startswith(self._fence):
            yield from self._end()
        else:
            self._lines.append(line)

    def _take_text(self, line: str) -> Iterator[RawBlock]:
        heading, underline = _HEADING.match(line), _UNDERLINE.match(line)
        item, row = _ITEM.match(line), _ROW.match(line)
        if heading:
            yield from self._end()
            yield _heading(heading.group(2) or "", len(heading.group(1)))
        elif underline and self._lines and self._kind is BlockKind.PARAGRAPH:
            title = " ".join(self._lines)
            self._lines.clear()
            yield _heading(title, 1 if underline.group(1)[0] == "=" else 2)
        elif row:
            yield from self._end()
            yield _row(row.group(1))
        elif item:
            yield from self._end()
            self._kind = BlockKind.LIST_ITEM
            self._lines.append(item.group(1))
        elif line.lstrip().startswith(">"):
            if self._kind is not BlockKind.QUOTE:
                yield from self._end()
            self._kind = BlockKind.QUOTE
            self._lines.append(line.lstrip()[1:])
        else:
            self._lines.append(line)

    def _end(self) -> Iterator[RawBlock]:
        raw = "\n".join(self._lines)
        text = code_text(raw) if self._kind is BlockKind.CODE else flow_text(raw)
        yield RawBlock(kind=self._kind, text=text)
        self._lines.clear()
        self._kind, self._fence = BlockKind.PARAGRAPH, ""


def _heading(title: str, level: int) -> RawBlock:
    return RawBlock(kind=BlockKind.HEADING, text=flow_text(title), level=level)


def _row(cells: str) -> RawBlock:
    text = "" if _ROW_RULE.fullmatch(cells) else " | ".join(map(flow_text, cells.split("|")))
    return RawBlock(kind=BlockKind.TABLE_ROW, text=flow_text(text))


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
