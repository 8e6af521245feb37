"""The outgoing links of a page, canonical, in the order in which they stand."""

from lxml.html import HtmlElement

from scops.common.errors import InvalidInput
from scops.common.messages.content import Link
from scops.common.urls import canonical_url
from scops.extractor.clean_text import flow_text

LINKS_MAX = 5_000
ANCHOR_CHARACTERS_MAX = 200
REL_CHARACTERS_MAX = 100


def page_links(root: HtmlElement, *, url: str) -> tuple[Link, ...]:
    """Returns each target once, with the first anchor text that says something.

    Args:
        url: of the page; a base element overrides it.
    """
    base = _base_url(root, url)
    found: dict[str, Link] = {}
    targets: dict[str, str | None] = {}
    for anchor in root.iter("a", "area"):
        href = anchor.get("href") or ""
        if href not in targets:
            targets[href] = _target(href, base)
        target = targets[href]
        if target is None or (target in found and found[target].anchor_text):
            continue
        if target not in found and len(found) >= LINKS_MAX:
            break
        found[target] = Link(
            url=target,
            anchor_text=_anchor_text(anchor),
            rel=" ".join((anchor.get("rel") or "").lower().split())[:REL_CHARACTERS_MAX],
        )
    return tuple(found.values())


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
