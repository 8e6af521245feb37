"""Which parts of a page are no text of it: unseen elements, navigation, page headers and footers.

What a host repeats on its pages is not decided here: that is masked later, at chunking.
"""

from collections.abc import Iterable
from typing import NamedTuple, cast

from lxml import etree
from lxml.html import HtmlElement

from scops.common.contract.messages.content import LinkPosition
from scops.common.runtime.short_texts import kept_for_short
from scops.extractor.html.hidden_styles import hidden_names, hides, shows_again
from scops.extractor.html.names import (
    ADMONITION_NAMES,
    BOILERPLATE_NAMES,
    BOILERPLATE_ROLES,
    BOILERPLATE_TAGS,
    CONTENT_TAGS,
    HIDING_CLASSES,
    UNSEEN_TAGS,
)

_SUSPECT = etree.XPath("descendant::*[@hidden or @style or @aria-hidden='true' or self::dialog]")
_CLASSES = etree.XPath("descendant::*/@class", smart_strings=False)
_IDS = etree.XPath("descendant::*/@id", smart_strings=False)
_OF_CLASS = etree.XPath(
    "descendant::*[contains(concat(' ', @class, ' '), concat(' ', $name, ' '))]"
)
_OF_ID = etree.XPath("descendant::*[@id = $name]")
HIDDEN_NAMES_MAX = 50
_MARK = "scops-unseen"
_DECORATION_CHARACTERS_MAX = 3

_MAIN = etree.XPath("boolean(descendant::main)")
_CONTENT = etree.XPath("boolean(descendant::main or descendant::article or descendant::h1)")
_INSIDE_CONTENT = etree.XPath("boolean(ancestor::main or ancestor::article or ancestor::section)")


def remove_unseen(root: HtmlElement) -> None:
    """Takes out, in place, what a reader of the page does not see; tails stay."""
    sheet = "\n".join(style.text or "" for style in root.iter("style"))
    etree.strip_elements(root, *UNSEEN_TAGS, with_tail=False)
    suspects = cast("list[HtmlElement]", _SUSPECT(root))
    unseen = [element for element in suspects if _unseen(element)]
    remove_elements(root, (*unseen, *_hidden_by_name(root, sheet)))


def remove_elements(root: HtmlElement, elements: Iterable[HtmlElement]) -> None:
    """Takes out elements, in place; tails stay. The page itself stays too."""
    for element in elements:
        if element.tag not in ("html", "body"):
            # Marked first and taken out together: lxml moves the tails in one pass.
            element.tag = _MARK
    etree.strip_elements(root, _MARK, with_tail=False)


class Naming(NamedTuple):
    """What the class names, id and role of an element say of it."""

    # Where it stands if it is no text of the page.
    position: LinkPosition | None
    # It is a note or warning, whose title opens no section.
    admonition: bool


def naming_of(element: HtmlElement) -> Naming:
    """Returns what an element is called."""
    classes, identifier, role = element.get("class"), element.get("id"), element.get("role")
    if classes or identifier or role:
        return _naming(classes or "", identifier or "", role or "")
    return _UNNAMED


def boilerplate_position(element: HtmlElement, naming: Naming) -> LinkPosition | None:
    """Returns where an element stands that is no text of the page, or None for the others."""
    tag = element.tag
    if tag in CONTENT_TAGS or tag == "body":
        return None
    if tag == "header":
        outside = not _INSIDE_CONTENT(element) and not _CONTENT(element)
        return LinkPosition.HEADER if outside else None
    # A page may call the whole of itself a menu: whoever holds the content is not left out.
    if tag in BOILERPLATE_TAGS:
        return None if _MAIN(element) else BOILERPLATE_TAGS[tag]
    return None if naming.position is None or _CONTENT(element) else naming.position


# Pages repeat the names of their elements.
@kept_for_short(4096)
def _naming(classes: str, identifier: str, role: str) -> Naming:
    names = (*classes.lower().split(), identifier.lower())
    telling = [name for name in names if name in BOILERPLATE_NAMES]
    position = BOILERPLATE_NAMES[min(telling)] if telling else BOILERPLATE_ROLES.get(role.lower())
    return Naming(position, role == "note" or not ADMONITION_NAMES.isdisjoint(names))


_UNNAMED = Naming(None, admonition=False)


def _hidden_by_name(root: HtmlElement, sheet: str) -> list[HtmlElement]:
    """Returns the elements of hidden classes and ids, but for those whose own style shows them."""
    classes = frozenset(" ".join(cast("list[str]", _CLASSES(root))).split())
    names = [f".{name}" for name in HIDING_CLASSES if name in classes]
    if sheet:
        used = {".": classes, "#": frozenset(cast("list[str]", _IDS(root)))}
        names += (name for name in hidden_names(sheet) if name[1:] in used[name[0]])
    found: list[HtmlElement] = []
    for name in sorted(names)[:HIDDEN_NAMES_MAX]:
        if not shows_again(sheet, name):
            find = _OF_CLASS if name[0] == "." else _OF_ID
            found += cast("list[HtmlElement]", find(root, name=name[1:]))
    return [element for element in found if "display" not in (element.get("style") or "")]


def _unseen(element: HtmlElement) -> bool:
    if element.tag == "dialog" and element.get("open") is None:
        return True
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return True
    if hides(element.get("style") or ""):
        return True
    return element.get("aria-hidden") == "true" and _is_decoration(element)


def _is_decoration(element: HtmlElement) -> bool:
    """Whether an element hidden from screen readers only decorates: an icon, a permalink sign.

    Longer texts are hidden from screen readers because they are said elsewhere, and are seen.
    """
    return len("".join(element.itertext()).strip()) <= _DECORATION_CHARACTERS_MAX
