"""The references of an article, each on one line: label, authors, year, title, where, DOI.

What its publisher has set as text (`mixed-citation`) is kept as it reads; what is stated in parts
(`element-citation`) is written from them.
"""

from collections.abc import Iterator
from html import escape
from itertools import groupby, islice

from lxml import etree

from scops.extractor.jats.names import child, first, local_name, named, words

_SET, _PARTED = ("mixed-citation", "citation"), ("element-citation", "nlm-citation")
_ALTERNATIVES = "citation-alternatives"
AUTHORS_MAX = 100
# Chemists have a dozen under one number.
CITATIONS_MAX = 50
_RESOLVER = "https://doi.org/"
_MARKS = "[](). "


def reference_html(reference: etree._Element) -> str:
    """Returns a reference as the markup of an item."""
    label = child(reference, "label")
    cited = filter(None, (_cited(one) for one in islice(_citations(reference), CITATIONS_MAX)))
    number = words(label).strip(_MARKS) if label is not None else ""
    lead = f"[{number}] " if number else ""
    return f"<li>{escape(lead)}{' '.join(cited) or escape(words(reference))}</li>"


def _citations(reference: etree._Element) -> Iterator[list[etree._Element]]:
    """Yields the citations of a reference, each in the forms that say the same."""
    for _, forms in groupby(named(reference, *_SET, *_PARTED), key=_work):
        yield list(forms)


def _work(citation: etree._Element) -> etree._Element:
    """Returns what stands for a cited work: a citation, or what has several forms of it."""
    parent = citation.getparent()
    if parent is not None and local_name(parent) == _ALTERNATIVES:
        return parent
    return citation


def _cited(forms: list[etree._Element]) -> str:
    """Returns the markup of a citation in its first form, with the DOI that any has."""
    said = _citation(forms[0])
    doi = next(filter(None, (_doi(one) for one in forms)), "")
    if not doi:
        return escape(said)
    shown = f"doi:{doi}"
    for form in (f"{_RESOLVER}{doi}", f"http://dx.doi.org/{doi}", f"doi: {doi}", shown, doi):
        said = said.replace(form, "")
    link = f'<a href="{escape(_RESOLVER + doi)}">{escape(shown)}</a>'
    return f"{escape(said.rstrip())} {link}"


def _citation(citation: etree._Element) -> str:
    if local_name(citation) in _SET:
        return words(citation)
    volume, issue = _part(citation, "volume"), _part(citation, "issue")
    begin, end = _part(citation, "fpage", "elocation-id"), _part(citation, "lpage")
    numbers = f"{volume}({issue})" if volume and issue else volume or issue
    pages = f"{begin}–{end}" if end else begin
    where = ": ".join(filter(None, (numbers, pages)))
    source = " ".join(filter(None, (_part(citation, "source"), where)))
    year = _part(citation, "year")
    who = " ".join(filter(None, (_authors(citation), f"({year})" if year else "")))
    title = _part(citation, "article-title", "part-title", "chapter-title")
    publisher = _part(citation, "publisher-name")
    said = (one.rstrip(". ") for one in (who, title, source, publisher) if one)
    return ". ".join(filter(None, said)) + "." if who or title or source else words(citation)


def _authors(citation: etree._Element) -> str:
    group = first(citation, "person-group")
    within = citation if group is None else group
    names = []
    for one in list(named(within, "name", "string-name", "collab"))[:AUTHORS_MAX]:
        surname, given = child(one, "surname"), child(one, "given-names")
        parts = (surname, given) if surname is not None else (one,)
        names.append(" ".join(words(part) for part in parts if part is not None))
    more = " et al." if first(within, "etal") is not None else ""
    return ", ".join(names) + more


def _part(citation: etree._Element, *names: str) -> str:
    found = first(citation, *names)
    return words(found) if found is not None else ""


def _doi(citation: etree._Element) -> str:
    for one in named(citation, "pub-id", "object-id"):
        if one.get("pub-id-type") == "doi":
            return words(one).removeprefix(_RESOLVER)
    return ""
