"""OpenDocument texts as HTML, so that they are read like a page; odfdo opens and walks them.

Source: OpenDocument 1.3 part 3, sections 5 (text content), 6 (inline) and 9 (tables).
"""

import zipfile
from collections.abc import Iterator
from html import escape
from io import BytesIO

from odfdo import Document, Element
from odfdo.security import SecurityError

from scops.extractor.office.archive import UnsafeArchive, read_xml

HEADING_LEVELS_MAX = 6
_TAGS = {
    "text:p": "p",
    "text:list": "ul",
    "text:list-item": "li",
    "text:list-header": "li",
    "table:table": "table",
    "table:table-row": "tr",
    "table:table-cell": "td",
    "table:covered-table-cell": "td",
}
_SPACES = {"text:s": " ", "text:tab": " ", "text:line-break": "<br>"}
# Tables of contents repeat headings; changes and notes of editors are no text of the document.
_UNSEEN = frozenset(
    {
        *("text:tracked-changes", "text:table-of-content", "text:alphabetical-index"),
        *("text:hidden-text", "text:note-citation", "text:sequence-decls", "text:variable-decls"),
        *("office:annotation", "office:annotation-end", "office:forms", "draw:object"),
    }
)
_HIDING_PARAGRAPH = "text:hidden-paragraph"
_STYLE_NAME = "text:style-name"
_TEXT_PROPERTIES = "{*}text-properties"
_DISPLAY = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}display"
_NAME = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}name"


def odt_html(body: bytes, archive: zipfile.ZipFile) -> str:
    """Returns what a reader sees of a document; footnotes follow its text.

    Raises:
        UnsafeArchive: odfdo finds it so; its bounds are narrower than ours.
    """
    try:
        document = Document(BytesIO(body))
    except SecurityError as error:
        raise UnsafeArchive(str(error)) from error
    rendering = _Rendering(_hiding_styles(archive))
    text = "".join(rendering.inner(document.body))
    notes = "".join(f"<li>{note}</li>" for note in rendering.notes)
    return f"{text}<ol>{notes}</ol>"


class _Rendering:
    """The markup of elements, and the notes met on the way."""

    def __init__(self, hiding_styles: frozenset[str]) -> None:
        self.notes: list[str] = []
        self._hiding_styles = hiding_styles

    def inner(self, element: Element) -> Iterator[str]:
        """Yields the markup of what stands inside an element."""
        yield escape(element.text or "")
        for child in element.children:
            if child.tag in _SPACES:
                yield _SPACES[child.tag]
            elif child.tag == "text:note":
                self.notes.append("".join(self.inner(child)))
            elif self._is_seen(child):
                yield from self._outer(child)
            yield escape(child.tail or "")

    def _outer(self, element: Element) -> Iterator[str]:
        tag, attribute = _html_tag(element)
        if tag:
            yield f"<{tag}{attribute}>"
        yield from self.inner(element)
        if tag:
            yield f"</{tag}>"

    def _is_seen(self, element: Element) -> bool:
        if element.tag in _UNSEEN or element.get_attribute(_STYLE_NAME) in self._hiding_styles:
            return False
        return all(child.tag != _HIDING_PARAGRAPH for child in element.children)


def _html_tag(element: Element) -> tuple[str, str]:
    """Returns the tag and attribute of an element in HTML; no tag for those that only group."""
    if element.tag == "text:h":
        level = element.get_attribute_integer("text:outline-level") or 1
        return f"h{min(max(level, 1), HEADING_LEVELS_MAX)}", ""
    if element.tag == "text:a":
        return "a", f' href="{escape(str(element.get_attribute("xlink:href") or ""))}"'
    return _TAGS.get(element.tag, ""), ""


def _hiding_styles(archive: zipfile.ZipFile) -> frozenset[str]:
    found: set[str] = set()
    for part in ("content.xml", "styles.xml"):
        if part in archive.NameToInfo:
            for style in read_xml(archive.read(part)).iter("{*}style"):
                hides = any(
                    properties.get(_DISPLAY) == "none"
                    for properties in style.iter(_TEXT_PROPERTIES)
                )
                if hides:
                    found.add(style.get(_NAME) or "")
    return frozenset(found)
