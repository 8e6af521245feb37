"""HTML as one lxml tree, parsed once, within bounds that no page can break.

libxml2 drops, in silence, everything after an element nested deeper than 256. Such a page is
parsed again without its nesting: the structure is lost, the text is not.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement, HTMLParser

from scops.extractor.html_names import FLAT_TAGS, INLINE_TAGS

TAGS_MAX = 1_000_000

_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]*)([^<>]*)>")


@dataclass(frozen=True, slots=True)
class HtmlTree:
    """A parsed page; `root` is the html element."""

    root: HtmlElement
    truncated: bool
    depth_exceeded: bool


def parse_html(text: str) -> HtmlTree | None:
    """Parses a page; None when it holds no element and no text."""
    text, truncated = _within_tags_max(text)
    root, complete = _parse(text, huge=False)
    if complete:
        return _tree(root, truncated=truncated, depth_exceeded=False)
    root, complete = _parse(_TAG.sub(_flatten, text), huge=True)
    return _tree(root, truncated=truncated or not complete, depth_exceeded=True)


def _tree(root: HtmlElement | None, *, truncated: bool, depth_exceeded: bool) -> HtmlTree | None:
    return None if root is None else HtmlTree(root, truncated, depth_exceeded)


def _parse(text: str, *, huge: bool) -> tuple[HtmlElement | None, bool]:
    """Returns the root and whether the parser came to the end of the text."""
    parser = HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=huge, no_network=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.ParserError:  # An empty document.
        return None, True
    except etree.XMLSyntaxError:
        return None, not _limit_hit(parser)
    return root, not _limit_hit(parser)


def _limit_hit(parser: HTMLParser) -> bool:
    last = parser.error_log.last_error
    return last is not None and last.type_name == "ERR_RESOURCE_LIMIT"


def _within_tags_max(text: str) -> tuple[str, bool]:
    if text.count("<") <= TAGS_MAX:
        return text, False
    return text[: _position(re.finditer("<", text), TAGS_MAX)], True


def _position(matches: Iterator[re.Match[str]], index: int) -> int:
    for number, match in enumerate(matches):
        if number == index:
            return match.start()
    raise AssertionError("there are fewer matches than were counted")


def _flatten(match: re.Match[str]) -> str:
    """Closes each tag that is kept before it opens again, so that none can nest."""
    closing, tag, rest = match.group(1), match.group(2).lower(), match.group(3)
    if tag in INLINE_TAGS:
        return ""
    if tag not in FLAT_TAGS:
        return "<p>"
    return f"</{tag}>" if closing else f"</{tag}><{tag}{rest}>"
