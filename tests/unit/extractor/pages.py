"""Builders of pages and of what a fetch says about them."""

from datetime import UTC, datetime
from typing import Any

from scops.common.contract.messages.content import Block, BlockKind
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef
from scops.extractor.extraction import Extraction, extract
from scops.extractor.html.blocks import html_blocks
from scops.extractor.html.regions import remove_unseen
from scops.extractor.html.tree import HtmlTree, parse_html
from scops.extractor.text.clean_text import RawBlock

URL = "https://docs.example.org/guide/page.html"
OBSERVED = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SENTENCES = (
    "The tawny owl hunts at night and listens for voles under the leaves.",
    "It keeps one territory for life and calls to defend it every autumn.",
    "Young owls leave the nest before they can fly and climb back up the trunk.",
)
ARTICLE = "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)


def fetched(
    *, url: str = URL, media_type: str = "text/html", charset: str = "", **changes: Any
) -> PageFetched:
    """Returns what a fetch says of an HTML page."""
    body = BodyRef(media_type=media_type, charset=charset)
    return PageFetched(canonical_url=url, body=body, **{"observed_time": OBSERVED, **changes})


def page(body: str, *, head: str = "", attributes: str = 'lang="en"') -> bytes:
    """Returns a page around a body."""
    return (
        f"<!doctype html><html {attributes}><head>{head}</head><body>{body}</body></html>".encode()
    )


def extracted(body: str, *, head: str = "", **changes: Any) -> Extraction:
    """Extracts a page around a body."""
    return extract(page(body, head=head), fetched(**changes))


def tree_of(text: str) -> HtmlTree:
    """Parses a text that is known to hold a page."""
    tree = parse_html(text)
    assert tree is not None
    return tree


def blocks_of(body: str) -> list[RawBlock]:
    """Returns the blocks of a body, seen ones only."""
    root = tree_of(page(body).decode()).root
    remove_unseen(root)
    return html_blocks(root).blocks


def shown(blocks: list[RawBlock]) -> list[tuple[BlockKind, str]]:
    """Returns kind and text of blocks."""
    return [(block.kind, block.text) for block in blocks]


def texts(extraction: Extraction) -> list[str]:
    """Returns the text of each block by its offsets."""
    return [extraction.text[block.start : block.end] for block in extraction.document.blocks]


def paths(blocks: tuple[Block, ...]) -> list[tuple[str, ...]]:
    """Returns the section path of each block."""
    return [block.section_path for block in blocks]
