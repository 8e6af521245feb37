"""Which parts of a page are no text of it: unseen elements, navigation, page headers and footers.

What a host repeats on its pages is not decided here: that is masked later, at chunking.
"""

import re
from typing import cast

from lxml import etree
from lxml.html import HtmlElement

from scops.extractor.html_names import (
    ADMONITION_NAMES,
    BOILERPLATE_NAMES,
    BOILERPLATE_ROLES,
    BOILERPLATE_TAGS,
    CONTENT_TAGS,
    HIDING_CLASSES,
    UNSEEN_TAGS,
)

_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(hidden|collapse)"
    r"|font-size\s*:\s*0+(\.0+)?\s*(px|em|rem|pt|%)?\s*(;|$|!)"
    r"|(?<![-\w])opacity\s*:\s*0+(\.0+)?\s*(;|$|!)",
    re.IGNORECASE,
)
_SUSPECT = etree.XPath(
    "descendant::*[self::dialog or @hidden or @style or @aria-hidden='true'"
    " or @class[contains(., 'hidden') or contains(., 'sr-only') or contains(., 'screen')]]"
)
_MARK = "scops-unseen"
_DECORATION_CHARACTERS_MAX = 3

_MAIN = etree.XPath("boolean(descendant::main)")
_CONTENT = etree.XPath("boolean(descendant::main or descendant::article or descendant::h1)")
_INSIDE_CONTENT = etree.XPath("boolean(ancestor::main or ancestor::article or ancestor::section)")


def remove_unseen(root: HtmlElement) -> None:
    """Takes out, in place, what a reader of the page does not see; tails stay."""
    etree.strip_elements(root, *UNSEEN_TAGS, with_tail=False)
    for element in cast("list[HtmlElement]", _SUSPECT(root)):
        if _unseen(element):
            # Marked first and taken out together: lxml moves the tails in one pass.
            element.tag = _MARK
    etree.strip_elements(root, _MARK, with_tail=False)


def names_of(element: HtmlElement) -> frozenset[str]:
    """Returns the class names and the id of an element in lower case."""
    if not element.attrib:
        return frozenset()
    classes = (element.get("class") or "").lower().split()
    return frozenset((*classes, (element.get("id") or "").lower()))


def is_boilerplate(element: HtmlElement, names: frozenset[str]) -> bool:
    """Whether an element is navigation, the page's header or footer, or a sidebar."""
    tag = element.tag
    if tag in CONTENT_TAGS or tag == "body":
        return False
    if tag == "header":
        return not _INSIDE_CONTENT(element) and not _CONTENT(element)
    # A page may call the whole of itself a menu: whoever holds the content is not left out.
    if tag in BOILERPLATE_TAGS:
        return not _MAIN(element)
    named = not BOILERPLATE_NAMES.isdisjoint(names)
    if not named and element.attrib:
        named = (element.get("role") or "").lower() in BOILERPLATE_ROLES
    return named and not _CONTENT(element)


def is_admonition(element: HtmlElement, names: frozenset[str]) -> bool:
    """Whether an element is a note or warning, whose title opens no section."""
    return bool(names) and (not ADMONITION_NAMES.isdisjoint(names) or element.get("role") == "note")


def _unseen(element: HtmlElement) -> bool:
    if element.tag == "dialog" and element.get("open") is None:
        return True
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return True
    if _HIDING_STYLE.search(element.get("style") or ""):
        return True
    if not HIDING_CLASSES.isdisjoint((element.get("class") or "").split()):
        return True
    return element.get("aria-hidden") == "true" and _is_decoration(element)


def _is_decoration(element: HtmlElement) -> bool:
    """Whether an element hidden from screen readers only decorates: an icon, a permalink sign.

    Longer texts are hidden from screen readers because they are said elsewhere, and are seen.
    """
    return len("".join(element.itertext()).strip()) <= _DECORATION_CHARACTERS_MAX
