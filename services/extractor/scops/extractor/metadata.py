"""What a page says of itself beside its text: title, language, wishes to robots."""

import re
from dataclasses import dataclass

import py3langid
from lxml.html import HtmlElement

from scops.extractor.clean_text import flow_text

TITLE_CHARACTERS_MAX = 300
LANGUAGE_SAMPLE_CHARACTERS = 2_000
# Below this a guess says more about names and code than about the language.
LANGUAGE_SAMPLE_CHARACTERS_MIN = 40
ROBOTS_NAMES = ("robots", "scops")
_LANGUAGE = re.compile(r"\s*([a-zA-Z]{2,3})(?![a-zA-Z])")


@dataclass(frozen=True, slots=True)
class RobotsWishes:
    """What a page asks of robots."""

    noindex: bool
    nofollow: bool


def page_title(root: HtmlElement) -> str:
    """Returns the title: the only main heading when the title element holds it, else the latter.

    Title elements often add the site's name, which says nothing about this page.
    """
    title = flow_text(_text(root, "title"))
    main_headings = [heading for heading in _headings(root) if heading]
    if len(main_headings) == 1 and main_headings[0] in title:
        title = main_headings[0]
    title = title or _meta(root, "og:title") or (main_headings[0] if main_headings else "")
    return title[:TITLE_CHARACTERS_MAX].rstrip()


def page_language(root: HtmlElement, *, content_language: str) -> str:
    """Returns the language that page or server declares, as a primary subtag, or nothing."""
    declared = (root.get("lang"), root.get("{http://www.w3.org/XML/1998/namespace}lang"))
    for value in (*declared, root.get("xml:lang"), content_language):
        match = _LANGUAGE.match(value or "")
        if match:
            return match.group(1).lower()
    return ""


def text_language(text: str) -> str:
    """Returns the language of a text by its words, or nothing for a short one."""
    if len(text) < LANGUAGE_SAMPLE_CHARACTERS_MIN:
        return ""
    return str(py3langid.classify(text[:LANGUAGE_SAMPLE_CHARACTERS])[0])


def robots_wishes(root: HtmlElement | None, *, robots_tag: str) -> RobotsWishes:
    """Returns the wishes of the meta elements and of the X-Robots-Tag header.

    Source: Google's robots meta tag specification; wishes to other robots are not for us.
    """
    values = [_header_wishes(robots_tag)]
    for meta in root.iter("meta") if root is not None else ():
        if (meta.get("name") or "").strip().lower() in ROBOTS_NAMES:
            values.append(meta.get("content") or "")
    words = {word.strip().lower() for value in values for word in value.split(",")}
    return RobotsWishes(
        noindex=not words.isdisjoint({"noindex", "none"}),
        nofollow=not words.isdisjoint({"nofollow", "none"}),
    )


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


def _meta(root: HtmlElement, name: str) -> str:
    for meta in root.iter("meta"):
        if (meta.get("property") or meta.get("name")) == name:
            return flow_text(meta.get("content") or "")
    return ""
