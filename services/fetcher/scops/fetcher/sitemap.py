"""Sitemaps: the URLs a site names itself.

Source: sitemaps.org protocol 0.9 (XML urlset and sitemapindex, and plain text). A sitemap is
hostile until parsed: a document type is refused, so there are no entities; nothing is loaded;
depth, size and count are bounded. A damaged file gives what stands before the damage.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO

from lxml import etree

from scops.common.errors import InvalidInput
from scops.common.urls import URL_CHARACTERS_MAX, canonical_url

SITEMAP_URLS_MAX = 50_000
"""sitemaps.org: no file lists more."""

SITEMAP_BYTES_MAX = 50 * 1024 * 1024
"""sitemaps.org: no file is larger, unpacked."""


ELEMENTS_PER_URL_MAX = 10
"""On average; what lies beyond is cut off, so that junk costs neither memory nor time."""


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One URL, canonical, with when it was last modified; None where not said or unreadable."""

    url: str
    last_modified: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """What a sitemap lists, in its order, each URL once.

    Args:
        pages: entries of a urlset.
        sitemaps: entries of a sitemapindex.
        truncated: whether a bound or damage cut it off.
    """

    pages: tuple[SitemapEntry, ...] = ()
    sitemaps: tuple[SitemapEntry, ...] = ()
    truncated: bool = False


def parse_sitemap(body: bytes, *, urls_max: int = SITEMAP_URLS_MAX) -> Sitemap:
    """Parses an unpacked sitemap; entries that are no usable URL are skipped.

    Raises:
        InvalidInput: it is neither a sitemap nor a list of URLs, or it has a document type.
    """
    text = body.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith(b"<") and b"\x00" not in text[:64]:
        return _parse_text(text, urls_max)
    return _parse_xml(body.lstrip(), urls_max)


def _parse_text(text: bytes, urls_max: int) -> Sitemap:
    entries = [
        entry
        for line in text.splitlines()[: urls_max + 1]
        if (entry := _entry(line.decode("utf-8", errors="replace"), ""))
    ]
    if text.strip() and not entries:
        raise _invalid("it is neither XML nor a list of URLs")
    return Sitemap(pages=_once(entries[:urls_max]), truncated=len(entries) > urls_max)


def _parse_xml(body: bytes, urls_max: int) -> Sitemap:
    pages: list[SitemapEntry] = []
    sitemaps: list[SitemapEntry] = []
    truncated = False
    try:
        for entry, kind in _entries(body, elements_max=ELEMENTS_PER_URL_MAX * urls_max):
            if entry is None or len(pages) + len(sitemaps) >= urls_max:
                truncated = True
                break
            (sitemaps if kind == "sitemap" else pages).append(entry)
    except etree.XMLSyntaxError as error:
        if not pages and not sitemaps:
            raise _invalid(f"it is not well-formed ({error.msg})") from error
        truncated = True
    return Sitemap(pages=_once(pages), sitemaps=_once(sitemaps), truncated=truncated)


def _entries(body: bytes, *, elements_max: int) -> Iterator[tuple[SitemapEntry | None, str]]:
    """Yields each entry with its kind, "url" or "sitemap", freeing each element once read.

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
        if event == "end" and name in ("url", "sitemap") and element.getparent() is root:
            entry = _entry(_child_text(element, "loc"), _child_text(element, "lastmod"))
            element.clear()
            # Only what stands before it: the parser reads ahead, and holds what stands after.
            while (before := element.getprevious()) is not None:
                root.remove(before)
            if entry:
                yield entry, name


def _checked_root(root: etree._Element) -> etree._Element:
    if root.getroottree().docinfo.internalDTD is not None:
        raise _invalid("it has a document type, which a sitemap never needs")
    if _local_name(root) not in ("urlset", "sitemapindex"):
        raise _invalid(f"its root is <{_local_name(root)[:40]}>, not <urlset> or <sitemapindex>")
    return root


def _entry(location: str, last_modified: str) -> SitemapEntry | None:
    if not location.strip() or len(location) > 2 * URL_CHARACTERS_MAX:
        return None
    try:
        url = canonical_url(location)
    except InvalidInput:
        return None
    return SitemapEntry(url, _w3c_time(last_modified))


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
        parsed = datetime.fromisoformat(padded)
        return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _once(entries: list[SitemapEntry]) -> tuple[SitemapEntry, ...]:
    first: dict[str, SitemapEntry] = {}
    for entry in entries:
        first.setdefault(entry.url, entry)
    return tuple(first.values())


def _invalid(why: str) -> InvalidInput:
    return InvalidInput(
        f"The sitemap cannot be read: {why}. Check what the address really serves.",
        reason="INVALID_SITEMAP",
    )
