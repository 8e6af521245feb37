"""Reads an HTML page: its main text, what it says of itself, its links, signs of its kind."""

from collections.abc import Sequence
from dataclasses import replace

from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.dates.stated_dates import head_times, with_page_times
from scops.extractor.html.blocks import html_blocks
from scops.extractor.html.links import FoundLink, page_links, place_links
from scops.extractor.html.main_text import main_text
from scops.extractor.html.markup_reading import DEPTH_EXCEEDED, TRUNCATED
from scops.extractor.html.metadata import (
    declared_language,
    page_alternates,
    page_feeds,
    page_meta,
    page_title,
    page_values,
    robots_wishes,
)
from scops.extractor.html.regions import remove_elements, remove_unseen
from scops.extractor.html.search_index import page_search_indexes
from scops.extractor.html.structured_data import json_ld_objects
from scops.extractor.html.tree import DEPTH_MAX, HtmlTree, parse_html
from scops.extractor.kinds.page_kind import page_signs
from scops.extractor.reading import ParsedBody
from scops.extractor.text.charset import DecodedBody

FALLBACK = "fallback"
NOARCHIVE = "noarchive"
# What `PageFetched.came_by` says of a page that a browser showed.
BROWSER = "browser"


def read_html(decoded: DecodedBody, fetched: PageFetched) -> ParsedBody:
    """Reads a page; everything that needs the whole of it comes before the unseen is removed."""
    tree = parse_html(decoded.text)
    if tree is None:
        return ParsedBody(kind=PageKind.EMPTY)
    root = tree.root
    meta, json_ld = page_meta(root), json_ld_objects(root)
    wishes = robots_wishes(meta, robots_tag=fetched.robots_tag)
    shown = fetched.came_by == BROWSER
    found = () if wishes.nofollow else page_links(root, url=fetched.canonical_url, routes=shown)
    whole = ParsedBody(
        title=page_title(root, meta),
        language=declared_language(root, content_language=fetched.content_language),
        stated=head_times(json_ld, meta, fetched),
        values=page_values(root, meta, json_ld, found, url=fetched.canonical_url),
        alternates=page_alternates(root, url=fetched.canonical_url),
        feeds=page_feeds(root, url=fetched.canonical_url),
        search_indexes=page_search_indexes(root, url=fetched.canonical_url),
        nofollow=wishes.nofollow,
        noindex=wishes.noindex,
        signs=page_signs(root, tree.source),
        node_count=tree.node_count,
        flags=(NOARCHIVE,) if wishes.noarchive else (),
    )
    return _with_text(whole, tree, found, fetched)


def _with_text(
    whole: ParsedBody, tree: HtmlTree, found: Sequence[FoundLink], fetched: PageFetched
) -> ParsedBody:
    remove_unseen(tree.root)
    walked = html_blocks(tree.root)
    stated = with_page_times(whole.stated, tree, walked.blocks, fetched)
    # None of it is kept, and trafilatura copies what it is given several times.
    remove_elements(tree.root, walked.boilerplate)
    main = main_text(tree, walked.blocks, url=fetched.canonical_url)
    raised = {
        TRUNCATED: tree.truncated or walked.truncated,
        DEPTH_EXCEEDED: tree.depth_exceeded,
        FALLBACK: main.fallback,
    }
    return replace(
        whole,
        stated=stated,
        blocks=main.blocks,
        extractor=main.extractor,
        depth=DEPTH_MAX if tree.depth_exceeded else walked.depth,
        links=place_links(found, walked.places, walked.blocks),
        flags=(*(name for name, is_raised in raised.items() if is_raised), *whole.flags),
    )
