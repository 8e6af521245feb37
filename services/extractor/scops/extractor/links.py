"""The outgoing links of a page, canonical, in the order in which they stand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lxml.html import HtmlElement

from scops.common.errors import InvalidInput
from scops.common.messages.content import Link
from scops.common.urls import canonical_url
from scops.extractor.clean_text import RawBlock, flow_text
from scops.extractor.html_blocks import LinkPlace

LINKS_MAX = 5_000
ANCHOR_CHARACTERS_MAX = 200
REL_CHARACTERS_MAX = 100
CONTEXT_CHARACTERS = 100
HEADING_CHARACTERS_MAX = 200


def page_links(root: HtmlElement, *, url: str) -> dict[str, Link]:
    """Returns each target once, with the first anchor text that says something.

    Args:
        url: of the page; a base element overrides it.

    Returns:
        The links in order, by the href that led to them first.
    """
    base = _base_url(root, url)
    found: dict[str, tuple[str, Link]] = {}
    targets: dict[str, str | None] = {}
    for anchor in root.iter("a", "area"):
        href = anchor.get("href") or ""
        if href not in targets:
            targets[href] = _target(href, base)
        target = targets[href]
        if target is None or (target in found and found[target][1].anchor_text):
            continue
        if target not in found and len(found) >= LINKS_MAX:
            break
        first = found[target][0] if target in found else href
        found[target] = (first, _link(anchor, target))
    return dict(found.values())


def place_links(
    links: Mapping[str, Link], places: Mapping[str, LinkPlace], blocks: Sequence[RawBlock]
) -> tuple[Link, ...]:
    """Returns the links with position, heading and words around them.

    A link that the walk did not meet is not seen, such as one in a folded menu: it stays without.
    """
    return tuple(
        _placed(link, places[href], blocks) if href in places else link
        for href, link in links.items()
    )


def _placed(link: Link, place: LinkPlace, blocks: Sequence[RawBlock]) -> Link:
    around = ""
    if place.block < len(blocks) and not blocks[place.block].boilerplate:
        around = _context(blocks[place.block].text, link.anchor_text)
    heading = place.heading[:HEADING_CHARACTERS_MAX]
    return replace(link, position=place.position, heading=heading, context=around)


def _context(text: str, anchor_text: str) -> str:
    """Returns whole words around an anchor; nothing where the block says no more than it."""
    at = text.find(anchor_text) if anchor_text else -1
    if at < 0 or len(text) == len(anchor_text):
        return ""
    start = max(at - CONTEXT_CHARACTERS, 0)
    end = at + len(anchor_text) + CONTEXT_CHARACTERS
    words = text[start:end].split(" ")
    return " ".join(words[start > 0 : len(words) - (end < len(text))])


def _link(anchor: HtmlElement, target: str) -> Link:
    return Link(
        url=target,
        anchor_text=_anchor_text(anchor),
        rel=" ".join((anchor.get("rel") or "").lower().split())[:REL_CHARACTERS_MAX],
    )


def _base_url(root: HtmlElement, url: str) -> str:
    for base in root.iter("base"):
        target = _target(base.get("href"), url)
        if target is not None:
            return target
    return url


def _target(href: str | None, base: str) -> str | None:
    if not href or href.startswith("#"):
        return None
    try:
        return canonical_url(href, base)
    except InvalidInput:
        return None


def _anchor_text(anchor: HtmlElement) -> str:
    text = flow_text("".join(anchor.itertext()))
    if not text:
        image = next(anchor.iter("img"), None)
        text = flow_text(anchor.get("alt") or (image is not None and image.get("alt")) or "")
    return text[:ANCHOR_CHARACTERS_MAX].rstrip()
