"""What records of several services have alike: texts, names of people, kinds of papers."""

import re
from collections.abc import Iterable
from html import unescape
from typing import Any

from lxml import etree, html

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


def text_of(value: Any) -> str:
    """Returns a text on one line, without markup and entities; empty for what is none.

    Titles and abstracts come with JATS, HTML and entities, once or twice escaped.
    """
    if not isinstance(value, str):
        return ""
    text = unescape(value)
    if "<" in text:
        try:
            text = " ".join(html.fragment_fromstring(text, create_parent="div").itertext())
        except (etree.ParserError, etree.XMLSyntaxError, ValueError):
            text = value
    return " ".join(unescape(text).split())


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
