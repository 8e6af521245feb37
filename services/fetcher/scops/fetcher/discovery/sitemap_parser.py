"""Parses sitemaps and feeds.

Source: sitemaps.org protocol 0.9 (XML urlset and sitemapindex, and plain text; a feed may stand in
for a sitemap), RSS 1.0 and 2.0, Atom (RFC 4287), `xhtml:link` with hreflang as Google reads it.
A listing is hostile until parsed: a document type is refused, so there are no entities; nothing is
loaded; depth, size and count are bounded. A damaged file gives what stands before the damage.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO

from lxml import etree

from scops.common.contract.errors import InvalidInput
from scops.common.scope.urls import URL_CHARACTERS_MAX, canonical_url
from scops.fetcher.discovery.sitemap import SITEMAP_URLS_MAX, SignalKind, Sitemap, SitemapEntry

ELEMENTS_PER_URL_MAX = 10
"""On average, or lines; what lies beyond is cut off, so that junk costs no time."""

TIME_CHARACTERS_MAX = 64

FEED_LINKS_MAX = 10
"""Of one relation; a feed names a hub or a few."""

_LINE = re.compile(rb"[^\r\n]+")


def parse_sitemap(body: bytes, *, base: str = "", urls_max: int = SITEMAP_URLS_MAX) -> Sitemap:
    """Parses an unpacked sitemap or feed; entries that are no usable URL are skipped.

    Args:
        base: its own URL; feeds may name their entries relative to it.

    Raises:
        InvalidInput: it is neither a sitemap nor a list of URLs, or it has a document type.
        MemoryError: the parser needs more than this process may take.
    """
    text = body.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith(b"<") and b"\x00" not in text[:64]:
        return _parse_text(text, urls_max)
    return _parse_xml(body.lstrip(), base, urls_max)


def _parse_text(text: bytes, urls_max: int) -> Sitemap:
    entries: list[SitemapEntry] = []
    truncated = False
    for lines, line in enumerate(_LINE.finditer(text)):
        if len(entries) >= urls_max or lines >= ELEMENTS_PER_URL_MAX * urls_max:
            truncated = True
            break
        entry = _entry(line[0].decode("utf-8", errors="replace"))
        entries += [entry] if entry else []
    if not entries and text.strip():
        raise _invalid("it is neither XML nor a list of URLs")
    return Sitemap(pages=_once(entries), truncated=truncated)


def _parse_xml(body: bytes, base: str, urls_max: int) -> Sitemap:
    pages: list[SitemapEntry] = []
    sitemaps: list[SitemapEntry] = []
    links: dict[str, list[str]] = {"hub": [], "self": []}
    truncated, feed = False, False
    elements_max = ELEMENTS_PER_URL_MAX * urls_max
    try:
        for entry, name in _entries(body, base, links, elements_max=elements_max):
            if entry is None or len(pages) + len(sitemaps) >= urls_max:
                truncated = True
                break
            (sitemaps if name == "sitemap" else pages).append(entry)
            feed = name in ("item", "entry")
    except etree.XMLSyntaxError as error:
        # The parser calls it a fault of syntax, and has lost what stands behind.
        if getattr(error, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
        if not pages and not sitemaps:
            raise _invalid(f"it is not well-formed ({error.msg})") from error
        truncated = True
    return Sitemap(
        pages=_once(pages),
        sitemaps=_once(sitemaps),
        truncated=truncated,
        kind=SignalKind.FEED if feed else SignalKind.SITEMAP,
        hubs=tuple(links["hub"]),
        selves=tuple(links["self"]),
    )


def _entries(
    body: bytes, base: str, links: dict[str, list[str]], *, elements_max: int
) -> Iterator[tuple[SitemapEntry | None, str]]:
    """Yields each entry with the name of its element, freeing each element once read.

    Links of the feed as such go into `links` by their relation, where that is named there.

    A None for an entry says that there are too many elements, and is the last.
    """
    events = etree.iterparse(
        BytesIO(body),
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    root: etree._Element | None = None
    elements = 0
    for event, element in events:
        if root is None:
            root = _checked_root(element)
        elements += event == "start"
        if elements > elements_max:
            yield None, ""
            return
        name = _local_name(element)
        parent = element.getparent()
        if event == "end" and name == "link" and _is_of_feed(parent, root):
            _take_link(element, links)
        if event == "end" and parent is not None and _is_entry(name, parent, root):
            yield from ((entry, name) for entry in _READERS[name](element, base) if entry)
            element.clear()
            # Only what stands before it: the parser reads ahead, and holds what stands after.
            while (before := element.getprevious()) is not None:
                parent.remove(before)


def _is_of_feed(parent: etree._Element | None, root: etree._Element) -> bool:
    return parent is not None and (parent is root or _local_name(parent) == "channel")


def _take_link(element: etree._Element, links: dict[str, list[str]]) -> None:
    for relation in (element.get("rel") or "").lower().split():
        named = links.get(relation)
        if named is not None and len(named) < FEED_LINKS_MAX:
            named.append((element.get("href") or "")[:URL_CHARACTERS_MAX])


def _is_entry(name: str, parent: etree._Element, root: etree._Element) -> bool:
    if name not in _READERS:
        return False
    # An RSS 2.0 item stands in a channel, an RSS 1.0 item beside it.
    return parent is root or (name == "item" and _local_name(parent) == "channel")


def _checked_root(root: etree._Element) -> etree._Element:
    if root.getroottree().docinfo.internalDTD is not None:
        raise _invalid("it has a document type, which a sitemap never needs")
    if _local_name(root) not in ("urlset", "sitemapindex", "rss", "RDF", "feed"):
        raise _invalid(f"its root is <{_local_name(root)[:40]}>, not that of a sitemap or feed")
    return root


def _listed(element: etree._Element, base: str) -> Iterator[SitemapEntry | None]:
    yield _entry(_child_text(element, "loc"), _w3c_time(_child_text(element, "lastmod")))
    for child in element:
        if _local_name(child) == "link" and child.get("hreflang") and _leads_on(child):
            yield _entry(child.get("href") or "")


def _item(element: etree._Element, base: str) -> Iterator[SitemapEntry | None]:
    stated = _mail_time(_child_text(element, "pubDate")) or _w3c_time(_child_text(element, "date"))
    yield _entry(_child_text(element, "link"), stated, base)


def _atom_entry(element: etree._Element, base: str) -> Iterator[SitemapEntry | None]:
    stated = _w3c_time(_child_text(element, "updated") or _child_text(element, "published"))
    for child in element:
        if _local_name(child) == "link" and _leads_on(child):
            yield _entry(child.get("href") or "", stated, base)
            return


_READERS: dict[str, Callable[[etree._Element, str], Iterator[SitemapEntry | None]]] = {
    "url": _listed,
    "sitemap": _listed,
    "item": _item,
    "entry": _atom_entry,
}


def _leads_on(link: etree._Element) -> bool:
    return (link.get("rel") or "alternate") == "alternate"


def _entry(
    location: str, last_modified: datetime | None = None, base: str = ""
) -> SitemapEntry | None:
    if len(location) > 2 * URL_CHARACTERS_MAX or not location.strip():
        return None
    try:
        url = canonical_url(location, base or None)
    except InvalidInput:
        return None
    return SitemapEntry(url, last_modified)


def _child_text(element: etree._Element, name: str) -> str:
    for child in element:
        if _local_name(child) == name:
            return (child.text or "").strip()
    return ""


def _local_name(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _w3c_time(text: str) -> datetime | None:
    """Parses a W3C date or time; a date means its first instant, no zone means UTC."""
    padded = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text)
    try:
        return _utc(datetime.fromisoformat(padded))
    except (ValueError, OverflowError):
        return None


def _mail_time(text: str) -> datetime | None:
    """Parses a date as RFC 5322 writes it, which is how RSS 2.0 does."""
    try:
        return _utc(parsedate_to_datetime(text[:TIME_CHARACTERS_MAX])) if text else None
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def _utc(parsed: datetime) -> datetime:
    return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _once(entries: list[SitemapEntry]) -> tuple[SitemapEntry, ...]:
    first: dict[str, SitemapEntry] = {}
    for entry in entries:
        known = first.setdefault(entry.url, entry)
        if known.last_modified is None and entry.last_modified is not None:
            # An earlier page named it as its other language, without a time.
            first[entry.url] = entry
    return tuple(first.values())


def _invalid(why: str) -> InvalidInput:
    return InvalidInput(
        f"The sitemap cannot be read: {why}. Check what the address really serves.",
        reason="INVALID_SITEMAP",
    )
