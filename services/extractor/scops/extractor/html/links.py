"""The outgoing links of a page, canonical, in the order in which they stand.

Routes of an app are read where a browser showed the page (ADR 76); elsewhere a fragment is a place
on a page, or nothing.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lxml.html import HtmlElement

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.content import Link
from scops.common.scope.urls import canonical_url, routed_url
from scops.extractor.html.blocks import LinkPlace
from scops.extractor.text.clean_text import RawBlock, flow_text

LINKS_MAX = 5_000
ANCHOR_CHARACTERS_MAX = 200
REL_CHARACTERS_MAX = 100
CONTEXT_CHARACTERS = 100
HEADING_CHARACTERS_MAX = 200
# Also of the first route, which is the page itself.
ROUTE_STARTS = ("#/", "#!")


class FoundLink(NamedTuple):
    """A link before it is known where on the page it stands.

    Attributes:
        href: as written, of the anchor that led to the target first.
        url: the target, canonical; with its route where routes are read.
    """

    href: str
    url: str
    anchor_text: str
    rel: str


def page_links(root: HtmlElement, *, url: str, routes: bool = False) -> tuple[FoundLink, ...]:
    """Returns each target once, in order, with the first anchor text that says something.

    Args:
        url: of the page; a base element overrides it.
        routes: whether targets keep theirs.
    """
    base = _base_url(root, url)
    found: dict[str, FoundLink] = {}
    targets: dict[str, str | None] = {}
    for anchor in root.iter("a", "area"):
        href = anchor.get("href") or ""
        if href not in targets:
            targets[href] = _target(href, base, routes=routes)
        target = targets[href]
        if target is None:
            continue
        before = found.get(target)
        if before is None:
            if len(found) >= LINKS_MAX:
                break
            found[target] = FoundLink(href, target, _anchor_text(anchor), _rel(anchor))
        elif not before.anchor_text:
            found[target] = FoundLink(before.href, target, _anchor_text(anchor), _rel(anchor))
    return tuple(found.values())


def place_links(
    links: Sequence[FoundLink], places: Mapping[str, LinkPlace], blocks: Sequence[RawBlock]
) -> tuple[Link, ...]:
    """Returns the links with position, heading and words around them.

    A link that the walk did not meet is not seen, such as one in a folded menu: it stays without.

    Args:
        places: where the walk met each link, by its `href` as written.
        blocks: of the page, in document order; places name them by number.
    """
    return tuple(_placed(link, places.get(link.href), blocks) for link in links)


def _placed(link: FoundLink, place: LinkPlace | None, blocks: Sequence[RawBlock]) -> Link:
    if place is None:
        return Link(url=link.url, anchor_text=link.anchor_text, rel=link.rel)
    around = ""
    if place.block < len(blocks) and not blocks[place.block].boilerplate:
        around = _context(blocks[place.block].text, link.anchor_text)
    return Link(
        url=link.url,
        anchor_text=link.anchor_text,
        rel=link.rel,
        position=place.position,
        heading=place.heading[:HEADING_CHARACTERS_MAX],
        context=around,
    )


def _context(text: str, anchor_text: str) -> str:
    """Returns whole words around an anchor; nothing where the block says no more than it."""
    at = text.find(anchor_text) if anchor_text else -1
    if at < 0 or len(text) == len(anchor_text):
        return ""
    start = max(at - CONTEXT_CHARACTERS, 0)
    end = at + len(anchor_text) + CONTEXT_CHARACTERS
    words = text[start:end].split(" ")
    return " ".join(words[start > 0 : len(words) - (end < len(text))])


def _rel(anchor: HtmlElement) -> str:
    rel = anchor.get("rel")
    return " ".join(rel.lower().split())[:REL_CHARACTERS_MAX] if rel else ""


def _base_url(root: HtmlElement, url: str) -> str:
    for base in root.iter("base"):
        target = _target(base.get("href"), url)
        if target is not None:
            return target
    return url


def _target(href: str | None, base: str, *, routes: bool = False) -> str | None:
    if not href or (href.startswith("#") and not (routes and href.startswith(ROUTE_STARTS))):
        return None
    try:
        return routed_url(href, base) if routes else canonical_url(href, base)
    except InvalidInput:
        return None


def _anchor_text(anchor: HtmlElement) -> str:
    text = flow_text("".join(anchor.itertext()))
    if not text:
        image = next(anchor.iter("img"), None)
        text = flow_text(anchor.get("alt") or (image is not None and image.get("alt")) or "")
    return text[:ANCHOR_CHARACTERS_MAX].rstrip()
