"""Reads an HTML page: its main text, what it says of itself, its links, signs of its kind."""

from collections.abc import Sequence
from dataclasses import replace

from scops.common.contract.messages.content import PageKind
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
from scops.extractor.html.structured_data import json_ld_objects
from scops.extractor.html.tree import DEPTH_MAX, HtmlTree, parse_html
from scops.extractor.kinds.page_kind import page_signs
from scops.extractor.ports import BodyFacts
from scops.extractor.reading import Reading
from scops.extractor.text.charset import DecodedBody

FALLBACK = "fallback"
NOARCHIVE = "noarchive"


def read_html(decoded: DecodedBody, facts: BodyFacts) -> Reading:
    """Reads a page; everything that needs the whole of it comes before the unseen is removed."""
    tree = parse_html(decoded.text)
    if tree is None:
        return Reading(kind=PageKind.EMPTY)
    root = tree.root
    meta, json_ld = page_meta(root), json_ld_objects(root)
    wishes = robots_wishes(meta, robots_tag=facts.robots_tag)
    found = () if wishes.nofollow else page_links(root, url=facts.url)
    whole = Reading(
        title=page_title(root, meta),
        language=declared_language(root, content_language=facts.content_language),
        stated=head_times(json_ld, meta, facts),
        values=page_values(root, meta, json_ld, found, url=facts.url),
        alternates=page_alternates(root, url=facts.url),
        feeds=page_feeds(root, url=facts.url),
        nofollow=wishes.nofollow,
        noindex=wishes.noindex,
        signs=page_signs(root, tree.source),
        node_count=tree.node_count,
        flags=(NOARCHIVE,) if wishes.noarchive else (),
    )
    return _with_text(whole, tree, found, facts)


def _with_text(
    whole: Reading, tree: HtmlTree, found: Sequence[FoundLink], facts: BodyFacts
) -> Reading:
    remove_unseen(tree.root)
    walked = html_blocks(tree.root)
    stated = with_page_times(whole.stated, tree, walked.blocks, facts)
    # None of it is kept, and trafilatura copies what it is given several times.
    remove_elements(tree.root, walked.boilerplate)
    main = main_text(tree, walked.blocks, url=facts.url)
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
