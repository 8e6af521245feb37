"""Articles in JATS as HTML, so that they are read like a page: title, abstract, sections, notes.

Sections become headings by their depth, figures and tables their captions and rows; references
stand as a section of their own (`references`). Footnotes follow the text that they stand in.
"""

from collections.abc import Callable
from html import escape

from lxml import etree

from scops.extractor.jats.formulas import formula_html
from scops.extractor.jats.names import child, entity_text, first, local_name, named, words
from scops.extractor.jats.references import reference_html

HEADING_LEVELS_MAX = 6
# What lies deeper is text without structure: nobody writes so.
DEPTH_MAX = 100
ABSTRACT, TRANSLATED, REFERENCES, NOTES = "Abstract", "Abstract ({})", "References", "Notes"
KEYWORDS, FLOATS = "Keywords", "Figures and tables"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_HREF = "{http://www.w3.org/1999/xlink}href"

_TAGS = {
    "p": "p",
    "list-item": "li",
    "def-list": "dl",
    "term": "dt",
    "def": "dd",
    "disp-quote": "blockquote",
    "attrib": "p",
    "verse-line": "p",
    "preformat": "pre",
    "code": "pre",
    "monospace": "code",
    "bold": "strong",
    "table": "table",
    "thead": "thead",
    "tbody": "tbody",
    "tfoot": "tfoot",
    "tr": "tr",
    "th": "th",
    "td": "td",
    "sup": "sup",
    "sub": "sub",
    "attribution": "p",
    "speaker": "p",
    "break": "br",
}
# With a title that heads what follows in them.
_SECTIONS = {
    "sec": "",
    "abstract": ABSTRACT,
    "trans-abstract": TRANSLATED,
    "ack": "Acknowledgements",
    "app": "Appendix",
    "app-group": "",
    "glossary": "Glossary",
    "notes": NOTES,
    "fn-group": NOTES,
    "bio": "",
    "floats-group": FLOATS,
}
# Whose label and caption say what they show.
_CAPTIONED = frozenset(
    {
        *("fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "statement"),
        *("supplementary-material", "chem-struct-wrap", "media", "graphic", "disp-formula-group"),
    }
)
_FORMULAS = frozenset({"inline-formula", "disp-formula", "tex-math", "math"})
_UNSEEN = frozenset(
    {
        *("object-id", "alt-text", "long-desc", "permissions", "sec-meta", "processing-meta"),
        *("custom-meta-group", "index-term", "inline-graphic", "colgroup", "col"),
        *("related-article", "related-object"),
    }
)
# Of several forms of the same, the one that is read.
_ALTERNATIVES = ("table", "math", "tex-math", "textual-form", "p", "preformat")


def article_html(root: etree._Element) -> str:
    """Returns what a reader sees of an article, without its authors and their institutions."""
    writing = _Writing()
    writing.article(root, level=1)
    return "".join(writing.parts)


class _Writing:
    """The markup as far as it is written."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._notes: list[etree._Element] = []
        # Stands before the next paragraph: the label of a figure before its caption.
        self._lead = ""
        self._depth = 0
        self._special: dict[str, Callable[[etree._Element, int], None]] = {
            **dict.fromkeys(_SECTIONS, self._section),
            **dict.fromkeys(_CAPTIONED, self._captioned),
            **dict.fromkeys(_FORMULAS, self._formula),
            **dict.fromkeys(("ext-link", "uri"), self._link),
            "list": self._list,
            "ref-list": self._references,
            "fn": self._footnote,
            "table-wrap-foot": self._inner_notes,
            "alternatives": self._alternative,
            "sup": self._superscript,
        }

    def article(self, root: etree._Element, *, level: int) -> None:
        """Writes an article, and those within it, such as reviews and answers."""
        front = child(root, "front", "front-stub")
        title = first(front, "article-title")
        if title is not None:
            subtitle = first(front, "subtitle")
            parts = (words(part) for part in (title, subtitle) if part is not None)
            self._heading(": ".join(filter(None, parts)), level)
        if front is not None:
            for one in named(front, "abstract", "trans-abstract"):
                self._write(one, level)
            self._keywords(front)
        for name in ("body", "floats-group", "back"):
            part = child(root, name)
            if part is not None:
                self._write(part, level)
                self._flush_notes(level)
        # Those of an abstract that stands alone.
        self._flush_notes(level)
        for one in root:
            if local_name(one) in ("sub-article", "response") and level < HEADING_LEVELS_MAX:
                self.article(one, level=level + 1)

    def _keywords(self, front: etree._Element) -> None:
        said = "; ".join(filter(None, (words(one) for one in named(front, "kwd"))))
        if said:
            self.parts.append(f"<p>{KEYWORDS}: {escape(said)}</p>")

    def _write(self, element: etree._Element, level: int) -> None:
        name = local_name(element)
        if name in _UNSEEN:
            return
        if self._depth >= DEPTH_MAX:
            self.parts.append(escape(words(element)))
            return
        self._depth += 1
        special = self._special.get(name)
        if special is not None:
            special(element, level)
        else:
            self._plain(element, level)
        self._depth -= 1

    def _plain(self, element: etree._Element, level: int) -> None:
        tag = _TAGS.get(local_name(element), "")
        if tag:
            self.parts.append(f"<{tag}>")
        if tag == "p":
            self._take_lead()
        self._inner(element, level)
        if tag and tag != "br":
            self.parts.append(f"</{tag}>")

    def _inner(self, element: etree._Element, level: int, *, but: tuple[str, ...] = ()) -> None:
        """Writes what stands inside an element, but children of these names."""
        self.parts.append(escape(element.text or ""))
        for one in element:
            if one.tag is etree.Entity:
                self.parts.append(escape(entity_text(one)))
            elif local_name(one) not in but:
                self._write(one, level)
            self.parts.append(escape(one.tail or ""))

    def _section(self, element: etree._Element, level: int) -> None:
        name = local_name(element)
        said = _titled(element) or _SECTIONS[name].format(element.get(_LANGUAGE) or "")
        if said:
            self._heading(said, level + 1)
        self._inner(element, level + 1 if said else level, but=("title", "label"))

    def _references(self, element: etree._Element, level: int) -> None:
        self._heading(_titled(element) or REFERENCES, level + 1)
        self.parts.append("<ul>")
        self.parts += [reference_html(one) for one in element if local_name(one) == "ref"]
        self.parts.append("</ul>")
        # A list may be divided by kinds, and has words of its own at times.
        self._inner(element, level + 1, but=("title", "label", "ref"))

    def _captioned(self, element: etree._Element, level: int) -> None:
        label, caption = child(element, "label"), child(element, "caption")
        self._lead = f"{words(label).rstrip('.: ')}. " if label is not None else ""
        if caption is not None:
            title = child(caption, "title")
            if title is not None:
                self.parts.append("<p>")
                self._take_lead()
                self._inner(title, level)
                self.parts.append("</p>")
            self._inner(caption, level, but=("title",))
        if self._lead:
            self.parts.append("<p>")
            self._take_lead()
            self.parts.append("</p>")
        self._inner(element, level, but=("label", "caption"))

    def _list(self, element: etree._Element, level: int) -> None:
        tag = "ol" if element.get("list-type") == "order" else "ul"
        self.parts.append(f"<{tag}>")
        self._inner(element, level, but=("label",))
        self.parts.append(f"</{tag}>")

    def _footnote(self, element: etree._Element, level: int) -> None:
        parent = element.getparent()
        if parent is not None and local_name(parent) in ("fn-group", "table-wrap-foot"):
            self.parts.append("<p>")
            self._inner_flat(element)
            self.parts.append("</p>")
        else:
            self._notes.append(element)

    def _inner_notes(self, element: etree._Element, level: int) -> None:
        self._inner(element, level, but=("title",))

    def _inner_flat(self, element: etree._Element) -> None:
        self.parts.append(escape(words(element)))

    def _flush_notes(self, level: int) -> None:
        if self._notes:
            self._heading(NOTES, level + 1)
            notes = (f"<li>{escape(words(one))}</li>" for one in self._notes)
            self.parts.append(f"<ul>{''.join(notes)}</ul>")
            self._notes = []

    def _link(self, element: etree._Element, level: int) -> None:
        self.parts.append(f'<a href="{escape(element.get(_HREF) or words(element))}">')
        self._inner(element, level)
        self.parts.append("</a>")

    def _alternative(self, element: etree._Element, level: int) -> None:
        for name in _ALTERNATIVES:
            best = child(element, name)
            if best is not None:
                self._write(best, level)
                return

    def _formula(self, element: etree._Element, level: int) -> None:
        self.parts.append(formula_html(element))

    def _superscript(self, element: etree._Element, level: int) -> None:
        """Writes what is raised; numbers of references apart from the word that they stand at."""
        if any(local_name(one) == "xref" and one.get("ref-type") == "bibr" for one in element):
            self.parts.append(f" [{escape(words(element).strip('[]'))}]")
            return
        self._plain(element, level)

    def _heading(self, text: str, level: int) -> None:
        tag = f"h{min(level, HEADING_LEVELS_MAX)}"
        self.parts.append(f"<{tag}>{escape(text)}</{tag}>")

    def _take_lead(self) -> None:
        self.parts.append(escape(self._lead))
        self._lead = ""


def _titled(element: etree._Element) -> str:
    parts = (child(element, "label"), child(element, "title"))
    return " ".join(filter(None, (words(part) for part in parts if part is not None)))
