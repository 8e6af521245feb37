"""What records of several services have alike: texts, names of people, kinds of papers."""

import re
from collections.abc import Iterable
from html import unescape
from typing import Any

from scops.libraries.papers.record import PaperAuthor

# As Crossref, OpenAlex and DataCite name them, and CSL.
KINDS = {
    "journal-article": "article-journal",
    "article": "article-journal",
    "review": "article-journal",
    "journalarticle": "article-journal",
    "letter": "article-journal",
    "editorial": "article-journal",
    "proceedings-article": "paper-conference",
    "conference": "paper-conference",
    "posted-content": "article",
    "preprint": "article",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "reference-entry": "entry-encyclopedia",
    "dissertation": "thesis",
    "thesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "peer-review": "review",
    "erratum": "article-journal",
    "retraction": "article-journal",
    "research": "article-journal",
}
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_INITIALS_MAX = 4
# So often a text is escaped at most: as XML, and in that as HTML.
ESCAPED_MAX = 2
_TAG = re.compile(r"<([^<>]{1,400})>")
_ATTRIBUTE = re.compile(r"\s[\w:.-]{1,60}=")
# Of JATS and MathML, whatever follows it.
_NAMESPACES = ("jats", "mml")
_BLOCK_NAMES = """
article blockquote body br break caption dd disp-formula disp-quote div dl dt fig h1 h2 h3 h4 h5 h6
hr label li list list-item ol p pre sec section subtitle table table-wrap tbody td tfoot th thead
title tr ul
"""
# Of HTML, JATS and MathML, a paragraph each.
_INLINE_NAMES = """
a abbr b big cite code em font i img ins kbd mark q s samp small span strike strong sub sup tt u
var wbr

alternatives bold email ext-link inline-formula inline-graphic italic monospace named-content
overline roman sans-serif sc styled-content tex-math underline uri xref

annotation annotation-xml maction math menclose merror mfenced mfrac mi mmultiscripts mn mo mover
mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext
mtr munder munderover semantics
"""
_BLOCKS, _INLINE = frozenset(_BLOCK_NAMES.split()), frozenset(_INLINE_NAMES.split())


def text_of(value: Any) -> str:
    """Returns a text on one line, without markup and entities; empty for what is none.

    Titles and abstracts come with JATS, HTML and MathML, and their signs once or twice escaped.
    What looks like a tag and is none of these, such as in `1<p<2`, is text.
    """
    text = plain_text(value)
    for _ in range(ESCAPED_MAX):
        text = unescape(_TAG.sub(_in_place_of, text))
    return plain_text(_TAG.sub(_in_place_of, text))


def plain_text(value: Any) -> str:
    """Returns a text on one line as it stands; empty for what is none."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def first_text(value: Any) -> str:
    """Returns the first text of a list, or a text itself."""
    return text_of(value[0]) if isinstance(value, list) and value else text_of(value)


def number_or_none(value: Any) -> int | None:
    """Returns a whole number; None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def date_of(value: Any) -> str:
    """Returns a date as `2024`, `2024-03` or `2024-03-01`; empty for what is none."""
    found = _DATE.match(str(value).strip()) if isinstance(value, str | int) else None
    return found[0] if found else ""


def date_of_parts(value: Any) -> str:
    """Returns a date of CSL's `date-parts`; empty for what is none."""
    parts = value.get("date-parts") if isinstance(value, dict) else None
    first = parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], list) else []
    numbers = [part for part in first[:3] if isinstance(part, int) and part > 0]
    if not numbers or numbers[0] > 9999:
        return ""
    return "-".join((f"{numbers[0]:04d}", *(f"{part:02d}" for part in numbers[1:])))


def kind_of(*said: Any) -> str:
    """Returns the first kind that CSL has a name for; empty where there is none."""
    for value in said:
        words = value if isinstance(value, list) else [value]
        for word in words:
            if isinstance(word, str) and (found := KINDS.get(word.strip().lower())):
                return found
    return ""


def authors_named(names: Iterable[Any]) -> tuple[PaperAuthor, ...]:
    """Returns authors whose names are given as one each; what is no name is left out."""
    return tuple(PaperAuthor(name) for said in names if (name := text_of(said)))


def author_of_parts(family: Any, given: Any, name: Any = "") -> PaperAuthor | None:
    """Returns an author of a family and given name, or of one name alone; None for none."""
    last, first, whole = text_of(family), text_of(given), text_of(name)
    shown = " ".join(part for part in (first, last) if part) or whole
    return PaperAuthor(shown, last, first if last else "") if shown else None


def author_of_initials(name: Any) -> PaperAuthor | None:
    """Returns an author written as PubMed does, `Schoenfeld JD`."""
    text = text_of(name).rstrip(".")
    family, _, initials = text.rpartition(" ")
    if family and initials.isupper() and len(initials) <= _INITIALS_MAX:
        return PaperAuthor(f"{initials} {family}", family, initials)
    return PaperAuthor(text) if text else None


def _in_place_of(tag: re.Match[str]) -> str:
    """Returns what stands in the place of a tag; what is none stays."""
    said = tag[1]
    if said.startswith("!--") and said.endswith("--"):
        return ""
    named = said.removeprefix("/").removesuffix("/")
    name = named.partition(" ")[0].lower()
    rest = named[len(name) :]
    if rest.strip() and not _ATTRIBUTE.match(rest):
        return tag[0]
    namespace, _, local = name.rpartition(":")
    if local in _BLOCKS and namespace in ("", *_NAMESPACES):
        return " "
    is_inline = local in _INLINE and not namespace
    return "" if is_inline or namespace in _NAMESPACES else tag[0]
