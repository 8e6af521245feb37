"""Reads markup that is all text: what libraries and books make of documents, without navigation."""

from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.html.blocks import html_blocks
from scops.extractor.html.links import page_links, place_links
from scops.extractor.html.regions import remove_unseen
from scops.extractor.html.tree import parse_html
from scops.extractor.reading import ParsedBody

TRUNCATED = "truncated"
DEPTH_EXCEEDED = "depth_exceeded"


def read_markup(html: str, fetched: PageFetched, *, extractor: str) -> ParsedBody:
    """Returns the seen blocks and the links of some markup.

    Args:
        extractor: who made it of a document.
    """
    tree = parse_html(html)
    if tree is None:
        return ParsedBody(extractor=extractor)
    links = page_links(tree.root, url=fetched.canonical_url)
    remove_unseen(tree.root)
    walked = html_blocks(tree.root)
    raised = {
        TRUNCATED: tree.truncated or walked.truncated,
        DEPTH_EXCEEDED: tree.depth_exceeded,
    }
    return ParsedBody(
        blocks=tuple(walked.blocks),
        extractor=extractor,
        links=place_links(links, walked.places, walked.blocks),
        node_count=tree.node_count,
        depth=walked.depth,
        flags=tuple(name for name, is_raised in raised.items() if is_raised),
    )
