"""HTML as one lxml tree, parsed once, within bounds that no page can break.

libxml2 drops, in silence, everything after an element nested deeper than 256. Such a page is
parsed again without its nesting: the structure is lost, the text is not.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from lxml import etree
from lxml.html import HtmlElement

from scops.extractor.html.names import FLAT_TAGS, INLINE_TAGS

TAGS_MAX = 1_000_000
# At which libxml2 stops.
DEPTH_MAX = 256
# Beyond these the libraries that weigh a page's elements against each other take minutes.
# The largest pages met in practice have 10,000 elements.
HEAVY_ELEMENTS = 20_000
HEAVY_CHARACTERS = 2_000_000

# Trees cannot be edited where these stand, and NUL would become a replacement character.
_CONTROLS = bytes({*range(0x20)} - set(b"\t\n\f\r"))
_ELEMENTS = etree.XPath("count(descendant::*)")
# Parser and libraries compare each attribute of an element with each other one of it.
ATTRIBUTES_MAX = 1_000
# Whatever has as many attributes is as long.
_LONG_TAG = re.compile(r"<([a-zA-Z][\w:-]*+)([^<>]{2000,}+)>")
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*+)([^<>]*+)>")
# lxml.html asks a Python function for the class of each element it meets, every time it meets it.
_CLASSES = etree.ElementDefaultClassLookup(element=HtmlElement)


@dataclass(frozen=True, slots=True)
class HtmlTree:
    """A parsed page.

    Attributes:
        root: the html element.
        source: what it was parsed from.
        node_count: its elements.
        heavy: too large for anything but a walk from begin to end.
    """

    root: HtmlElement
    source: str
    truncated: bool
    depth_exceeded: bool
    node_count: int
    heavy: bool


def parse_html(text: str) -> HtmlTree | None:
    """Parses a page; None when it holds no element and no text."""
    text, truncated = _within_tags_max(text)
    text = _LONG_TAG.sub(_bare, text)
    root, limit = _parse(text, huge=False)
    depth_exceeded = "depth" in limit
    if limit:
        root, limit = _parse(_TAG.sub(_flatten, text) if depth_exceeded else text, huge=True)
    if root is None:
        return None
    nodes = int(cast("float", _ELEMENTS(root)))
    return HtmlTree(
        root=root,
        source=text,
        truncated=truncated or bool(limit),
        depth_exceeded=depth_exceeded,
        node_count=nodes,
        heavy=len(text) > HEAVY_CHARACTERS or nodes > HEAVY_ELEMENTS,
    )


def _parse(text: str, *, huge: bool) -> tuple[HtmlElement | None, str]:
    """Returns the root, and the limit at which the parser stopped, or nothing.

    Raises:
        MemoryError: there is not enough; lxml gives an ordinary error or half a tree.
    """
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=huge, no_network=True
    )
    parser.set_element_class_lookup(_CLASSES)
    body = text.encode("utf-8", "replace").translate(None, _CONTROLS)
    try:
        root = etree.fromstring(body, parser)
    except (etree.ParserError, etree.XMLSyntaxError):  # Nothing but white space and comments.
        root = None
    last = parser.error_log.last_error
    if last is not None and last.type_name == "ERR_NO_MEMORY":
        raise MemoryError
    stopped = last is not None and last.type_name == "ERR_RESOURCE_LIMIT"
    return root, str(last.message).lower() if stopped else ""


def _within_tags_max(text: str) -> tuple[str, bool]:
    if text.count("<") <= TAGS_MAX:
        return text, False
    return text[: _position(re.finditer("<", text), TAGS_MAX)], True


def _position(matches: Iterator[re.Match[str]], index: int) -> int:
    for number, match in enumerate(matches):
        if number == index:
            return match.start()
    raise AssertionError("there are fewer matches than were counted")


def _bare(match: re.Match[str]) -> str:
    """Leaves a tag with more attributes than anybody writes without any."""
    return f"<{match[1]}>" if len(match[2].split()) > ATTRIBUTES_MAX else match[0]


def _flatten(match: re.Match[str]) -> str:
    """Closes each tag that is kept before it opens again, so that none can nest."""
    closing, tag, rest = match.group(1), match.group(2).lower(), match.group(3)
    if tag in INLINE_TAGS:
        return ""
    if tag not in FLAT_TAGS:
        return "<p>"
    return f"</{tag}>" if closing else f"</{tag}><{tag}{rest}>"
