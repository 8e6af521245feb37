"""Plain text and Markdown.

Markdown is rendered by markdown-it (CommonMark with tables) and read like a page, so that lists,
tables, code and links mean what they mean there.
"""

import re
from dataclasses import replace
from functools import cache

from markdown_it import MarkdownIt

from scops.common.contract.messages.content import BlockKind
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.html.markup_reading import read_markup
from scops.extractor.reading import ParsedBody
from scops.extractor.text.charset import DecodedBody
from scops.extractor.text.clean_text import RawBlock, code_text, flow_text

PLAIN, MARKDOWN = "plain", "markdown-it"

_BLANK_LINES = re.compile(r"\n[ \t\f]*(?:\n[ \t\f]*)+")
_ALIGNED = re.compile(r"\S(?:\t| {3,})\S")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,10000}?)\n---[ \t]*\n", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*+(.+)$", re.MULTILINE)


def read_plain(decoded: DecodedBody, fetched: PageFetched) -> ParsedBody:
    """Reads the paragraphs of a text; what is aligned by white space keeps it."""
    parts = _BLANK_LINES.split(_unix(decoded.text))
    blocks = tuple(_plain_block(part) for part in parts if flow_text(part))
    return ParsedBody(blocks=blocks, extractor=PLAIN)


def read_markdown(decoded: DecodedBody, fetched: PageFetched) -> ParsedBody:
    """Reads headings, paragraphs, list items, table rows, code, quotes and links of a text."""
    text = _unix(decoded.text)
    front = _FRONT_MATTER.match(text)
    title = _FRONT_TITLE.search(front.group(1)) if front else None
    html = _markdown().render(text[front.end() :] if front else text)
    reading = read_markup(html, fetched, extractor=MARKDOWN)
    return replace(reading, title=flow_text(title.group(1).strip(" \t\"'")) if title else "")


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def _plain_block(part: str) -> RawBlock:
    lines = [line for line in part.split("\n") if line.strip()]
    margins = {len(line) - len(line.lstrip()) for line in lines}
    # The first line may be indented or hang; a margin that moves later is layout.
    laid_out = len(margins) > 2 or any(_ALIGNED.search(line) for line in lines)
    if laid_out and len(lines) > 1:
        return RawBlock(kind=BlockKind.CODE, text=code_text(part))
    return RawBlock(kind=BlockKind.PARAGRAPH, text=flow_text(part))


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
