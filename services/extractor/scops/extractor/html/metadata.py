"""What a page says of itself beside its text: title, author, language, licence, other languages.

Each value comes with where it was read and how far to trust it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from lxml import etree
from lxml.html import HtmlElement
from resiliparse.parse.lang import detect_fast

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.content import Alternate, StatedValue
from scops.common.contract.messages.types import StatedSource
from scops.common.scope.urls import canonical_url
from scops.extractor.dates.stated import stated_value
from scops.extractor.html.links import FoundLink
from scops.extractor.text.clean_text import flow_text

TITLE_CHARACTERS_MAX = 300
ALTERNATES_MAX = 100
FEEDS_MAX = 5
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml"})
AUTHORS_MAX = 20
ROBOTS_NAMES = ("robots", "scops")

LANGUAGE_SAMPLE_CHARACTERS = 2_000
# Below this a guess says more about names and code than about the language.
LANGUAGE_SAMPLE_CHARACTERS_MIN = 40
# From here on the text is believed against what the page declares, unless that comes near.
LANGUAGE_SURE_CHARACTERS_MIN = 500
LANGUAGES_NEAR = 3
# The detector's distance, above which a text is in no language it knows.
LANGUAGE_DISTANCE_MAX = 1_200

META, JSON_LD, TEXT = StatedSource.META, StatedSource.JSON_LD, StatedSource.TEXT
CONFIDENCE = {JSON_LD: 0.95, META: 0.9, StatedSource.HTTP: 0.8, TEXT: 0.6}
_META_NAMES = {
    "author": "author",
    "article:author": "author",
    "dc.creator": "author",
    "dcterms.creator": "author",
    "citation_author": "author",
    "parsely-author": "author",
    "sailthru.author": "author",
    "description": "description",
    "og:description": "description",
    "og:site_name": "site",
    "application-name": "site",
    "dc.rights": "license",
    "dcterms.license": "license_url",
}
_JSON_LD_NAMES = {"author": "author", "license": "license_url", "description": "description"}
_LANGUAGE = re.compile(r"\s*([a-zA-Z]{2,3})(?![a-zA-Z])")
_BYLINE = etree.XPath(
    "descendant::*[@class or @rel or @itemprop][@rel = 'author' or @itemprop = 'author'"
    " or contains(@class, 'author') or contains(@class, 'byline')]"
)
_BYLINE_CHARACTERS_MAX = 80
_BY = re.compile(
    r"^(?:by|von|par|por|di|door|av|przez|written by|author|autor(?:in)?)\b[:\s]+", re.I
)
_XML_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True, slots=True)
class RobotsWishes:
    """What a page asks of robots."""

    noindex: bool
    nofollow: bool
    noarchive: bool


def page_meta(root: HtmlElement) -> dict[str, list[str]]:
    """Returns the contents of the meta elements by lower-case name, in order."""
    found: dict[str, list[str]] = {}
    for meta in root.iter("meta"):
        name = meta.get("property") or meta.get("name") or meta.get("itemprop")
        content = meta.get("content")
        if name and content:
            found.setdefault(name.strip().lower(), []).append(content)
    return found


def page_title(root: HtmlElement, meta: Mapping[str, Sequence[str]]) -> str:
    """Returns the title: the only main heading when the title element holds it, else the latter.

    Title elements often add the site's name, which says nothing about this page.
    """
    title = flow_text(_text(root, "title"))
    main_headings = [heading for heading in _headings(root) if heading]
    if len(main_headings) == 1 and main_headings[0] in title:
        title = main_headings[0]
    title = title or _first(meta, "og:title") or (main_headings[0] if main_headings else "")
    return title[:TITLE_CHARACTERS_MAX].rstrip()


def page_values(
    root: HtmlElement,
    meta: Mapping[str, Sequence[str]],
    json_ld: Sequence[Mapping[str, Any]],
    links: Iterable[FoundLink],
    *,
    url: str,
) -> tuple[StatedValue, ...]:
    """Returns authors, description, site, canonical URL and licence, the surest first by name.

    Args:
        meta: contents of the meta elements by lower-case name.
        json_ld: the JSON-LD objects of the page.
        links: of the page; those with `rel=license` state the licence.
        url: of the page; relative addresses are resolved against it.
    """
    found = [
        *_json_ld_values(json_ld),
        *_meta_values(meta),
        *_head_links(root, url),
        *(_value("license_url", link.url, META) for link in links if "license" in link.rel.split()),
    ]
    if not any(entry.name == "author" for entry in found):
        found += _byline(root)
    kept: dict[tuple[str, str], StatedValue] = {}
    for entry in sorted(found, key=lambda entry: (entry.name, -entry.confidence)):
        if entry.value:
            kept.setdefault((entry.name, entry.value.casefold()), entry)
    return tuple(kept.values())


def page_alternates(root: HtmlElement, *, url: str) -> tuple[Alternate, ...]:
    """Returns the page in other languages, as its head declares them."""
    found = []
    for link in root.iter("link"):
        language = link.get("hreflang")
        if language and "alternate" in (link.get("rel") or "").lower().split():
            target = _target(link.get("href"), url)
            if target:
                found.append(Alternate(language=language.strip(), url=target))
    return tuple(found[:ALTERNATES_MAX])


def page_feeds(root: HtmlElement, *, url: str) -> tuple[str, ...]:
    """Returns the feeds that a page's head names, each once."""
    found: dict[str, None] = {}
    for link in root.iter("link"):
        media_type = (link.get("type") or "").lower().strip()
        if media_type in _FEED_TYPES and "alternate" in (link.get("rel") or "").lower().split():
            target = _target(link.get("href"), url)
            if target:
                found[target] = None
    return tuple(found)[:FEEDS_MAX]


def declared_language(root: HtmlElement, *, content_language: str) -> str:
    """Returns the language that page or server declares, as a primary subtag, or nothing."""
    declared = (root.get("lang"), root.get(_XML_LANGUAGE), root.get("xml:lang"))
    for value in (*declared, content_language):
        match = _LANGUAGE.match(value or "")
        if match:
            return match.group(1).lower()
    return ""


def text_language(text: str, *, declared: str = "") -> str:
    """Returns the language of a text by its words, or the declared one where they say too little.

    A declared language among those that come nearest is believed: detectors take neighbours such
    as Czech and Slovak for each other.
    """
    if len(text) < LANGUAGE_SAMPLE_CHARACTERS_MIN or (
        declared and len(text) < LANGUAGE_SURE_CHARACTERS_MIN
    ):
        return declared
    sample = text[:LANGUAGE_SAMPLE_CHARACTERS]
    nearest = detect_fast(sample, cutoff=LANGUAGE_DISTANCE_MAX, n_results=LANGUAGES_NEAR)
    # More than one result comes as a list of names with their distances.
    names = [name for name, _ in cast("list[tuple[str, int]]", nearest) if name != "unknown"]
    return declared if not names or declared in names else names[0]


def robots_wishes(meta: Mapping[str, Sequence[str]], *, robots_tag: str) -> RobotsWishes:
    """Returns the wishes of the meta elements and of the X-Robots-Tag header.

    Source: Google's robots meta tag specification; wishes to other robots are not for us.
    """
    values = [_header_wishes(robots_tag)]
    for name in ROBOTS_NAMES:
        values += meta.get(name, ())
    words = {word.strip().lower() for value in values for word in value.split(",")}
    return RobotsWishes(
        noindex=not words.isdisjoint({"noindex", "none"}),
        nofollow=not words.isdisjoint({"nofollow", "none"}),
        noarchive=not words.isdisjoint({"noarchive", "nocache"}),
    )


def _json_ld_values(objects: Sequence[Mapping[str, Any]]) -> Iterator[StatedValue]:
    for entry in objects:
        for key, name in _JSON_LD_NAMES.items():
            for value in _names(entry.get(key)):
                yield _value(name, value, JSON_LD)


def _names(node: object) -> Iterator[str]:
    """Yields the names in a JSON-LD value: a string, an object with a name, or a list of those."""
    for entry in (node if isinstance(node, list) else [node])[:AUTHORS_MAX]:
        named = entry.get("name") or entry.get("url") if isinstance(entry, dict) else entry
        for name in (named if isinstance(named, list) else [named])[:AUTHORS_MAX]:
            if isinstance(name, str):
                yield name


def _meta_values(meta: Mapping[str, Sequence[str]]) -> Iterator[StatedValue]:
    for key, name in _META_NAMES.items():
        for content in meta.get(key, ())[:AUTHORS_MAX]:
            # Facebook has authors named by the address of their profile.
            if name != "author" or not content.startswith(("http:", "https:")):
                yield _value(name, content, META)


def _head_links(root: HtmlElement, url: str) -> Iterator[StatedValue]:
    for link in root.iter("link"):
        rel = (link.get("rel") or "").lower().split()
        for word, name in (("canonical", "canonical_url"), ("license", "license_url")):
            if word in rel:
                yield _value(name, _target(link.get("href"), url) or "", META)


def _byline(root: HtmlElement) -> Iterator[StatedValue]:
    for element in cast("list[HtmlElement]", _BYLINE(root))[:AUTHORS_MAX]:
        text = _BY.sub("", flow_text("".join(element.itertext())))
        if 0 < len(text) <= _BYLINE_CHARACTERS_MAX:
            yield _value("author", text, TEXT)
            return


def _value(name: str, value: str, source: StatedSource) -> StatedValue:
    return stated_value(name, value, source, confidence=CONFIDENCE[source])


def _target(href: str | None, base: str) -> str | None:
    try:
        return canonical_url(href, base) if href else None
    except InvalidInput:
        return None


def _header_wishes(robots_tag: str) -> str:
    """Returns the wishes of a header to all robots or to us.

    A wish may be preceded by a robot's name, which then holds for the wishes behind it.
    """
    wishes: list[str] = []
    ours = True
    for part in robots_tag.split(","):
        name, colon, wish = part.partition(":")
        if colon and name.strip().lower() != "unavailable_after":
            ours = name.strip().lower() in ROBOTS_NAMES
        if ours:
            wishes.append(wish if colon else part)
    return ",".join(wishes)


def _headings(root: HtmlElement) -> list[str]:
    return [flow_text("".join(heading.itertext())) for heading in root.iter("h1")]


def _text(root: HtmlElement, tag: str) -> str:
    # A title inside an SVG names a picture.
    head = root.find("head")
    element = head.find(tag) if head is not None else None
    return "".join(element.itertext()) if element is not None else ""


def _first(meta: Mapping[str, Sequence[str]], name: str) -> str:
    return flow_text(next(iter(meta.get(name, ())), ""))
