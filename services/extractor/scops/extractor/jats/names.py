"""Elements of JATS by their names, whatever their namespace, and what people are called in them."""

from collections.abc import Iterator
from html import unescape

from lxml import etree

from scops.extractor.text.clean_text import flow_text


def local_name(element: etree._Element) -> str:
    """Returns the name of an element without its namespace; empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def named(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Yields the elements within one that have one of these names."""
    yield from element.iter(*(f"{{*}}{name}" for name in names))


def first(element: etree._Element | None, *names: str) -> etree._Element | None:
    """Returns the first of them; None where there is none."""
    return next(named(element, *names), None) if element is not None else None


def child(element: etree._Element, *names: str) -> etree._Element | None:
    """Returns the first child of one of these names; None where there is none."""
    return next((one for one in element if local_name(one) in names), None)


def entity_text(entity: etree._Element) -> str:
    """Returns the character that an entity names, as HTML names them; empty for another one."""
    said = entity.text or ""
    found = unescape(said)
    return "" if found == said else found


def words(element: etree._Element, *, but: str = "") -> str:
    """Returns the text of an element on one line, without that of elements of a name."""
    parts: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, one in walk:
        if event == "start" and but and local_name(one) == but:
            walk.skip_subtree()
        elif event == "start":
            parts.append(entity_text(one) if one.tag is etree.Entity else one.text or "")
        elif one is not element:
            parts.append(one.tail or "")
    return flow_text("".join(parts))


def written_name(element: etree._Element) -> str:
    """Returns who is named, the given names first."""
    surname, given = child(element, "surname"), child(element, "given-names")
    if local_name(element) == "collab" or surname is None:
        # The members of a group stand within its name.
        return words(element, but="contrib-group")
    return " ".join(words(part) for part in (given, surname) if part is not None)
