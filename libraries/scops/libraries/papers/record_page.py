"""The page of a paper's record: what it states, for people, for questions and for citations.

It lies at `file://paper-records/KIND/ID` in a scope, where nobody fetches it. Each fact is a line,
`Journal: Gauges`, so that it can be asked for and read back; what programs read of pages stands in
its head as schema.org's ScholarlyArticle.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from scops.common.scope.urls import file_uri
from scops.libraries.papers.licences import licence_url
from scops.libraries.papers.names import ARXIV, DOI, PMCID, PMID, PaperName
from scops.libraries.papers.paper import Paper
from scops.libraries.papers.record import PaperAuthor, PaperLocation

COLLECTION = "paper-records"
MEDIA_TYPE = "text/html"
ID_LABELS = {DOI: "DOI", ARXIV: "arXiv", PMID: "PubMed", PMCID: "PubMed Central"}
FACT_LABELS = {
    "published": "Published",
    "venue": "Journal",
    "publisher": "Publisher",
    "volume": "Volume",
    "issue": "Issue",
    "pages": "Pages",
    "kind": "Kind",
    "language": "Language",
}
AUTHORS, LICENCE, TEXT, RETRACTED, ABSTRACT, SAID_BY = (
    *("Authors", "Licence", "Full text", "Retracted", "Abstract", "Said by"),
)
NO_TEXT = "none is here"
AUTHORS_MAX = 500
ABSTRACT_CHARACTERS_MAX = 20_000


@dataclass(frozen=True, slots=True)
class RecordPage:
    """What a record's page states, read back.

    Attributes:
        title: of the paper.
        lines: facts by their labels.
    """

    title: str
    lines: dict[str, str]

    @property
    def authors(self) -> tuple[PaperAuthor, ...]:
        """With family and given names where they are told apart."""
        found = []
        for name in self.lines.get(AUTHORS, "").split("; "):
            family, comma, given = name.partition(", ")
            if comma:
                found.append(PaperAuthor(f"{given} {family}".strip(), family, given))
            elif name:
                found.append(PaperAuthor(name))
        return tuple(found)

    @property
    def ids(self) -> dict[str, str]:
        """By kind."""
        found = {kind: self.lines.get(label, "") for kind, label in ID_LABELS.items()}
        return {kind: value for kind, value in found.items() if value}

    def fact(self, name: str) -> str:
        """Returns a fact such as `venue`; empty where it is not stated."""
        return self.lines.get(FACT_LABELS[name], "")


def record_uri(name: PaperName) -> str:
    """Returns the URL of a paper's record."""
    return file_uri(COLLECTION, f"{name.kind}/{name.value}")


def record_uris(paper: Paper) -> list[str]:
    """Returns the URLs that a paper's record may have, by each of its ids."""
    return [record_uri(PaperName(kind, value)) for kind, value in paper.ids.items()]


def stated_lines(paper: Paper, text: PaperLocation | None) -> dict[str, str]:
    """Returns the facts of a paper by their labels.

    Args:
        text: where it is read; None where it is not.
    """
    said = {AUTHORS: "; ".join(_written(author) for author in paper.authors[:AUTHORS_MAX])}
    if paper.retracted:
        said = {RETRACTED: _retraction(paper)} | said
    said |= {label: paper.fact(name) for name, label in FACT_LABELS.items()}
    said |= {label: paper.ids.get(kind, "") for kind, label in ID_LABELS.items()}
    said |= {LICENCE: licence_of(paper, text), TEXT: text_line(text)}
    said[ABSTRACT] = paper.fact("abstract")[:ABSTRACT_CHARACTERS_MAX]
    return {label: " ".join(value.split()) for label, value in said.items() if value}


def record_html(paper: Paper, text: PaperLocation | None) -> bytes:
    """Returns the page of a paper's record."""
    lines = stated_lines(paper, text) | {SAID_BY: ", ".join(_services(paper))}
    title = paper.fact("title") or str(paper.name or "")
    # A list is read as one piece; of lines of their own a date may be left out of the text.
    items = "".join(f"<li>{escape(label)}: {escape(value)}</li>" for label, value in lines.items())
    shown = f"<ul>{items}</ul>"
    data = json.dumps(_linked_data(paper, title, lines), ensure_ascii=False)
    # It would end the element.
    data = data.replace("</", "<\\/")
    head = (
        f'<meta charset="utf-8"><title>{escape(title)}</title>'
        f'<script type="application/ld+json">{data}</script>'
    )
    body = f"<main><article><h1>{escape(title)}</h1>{shown}</article></main>"
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode()


def read_record(title: str, text: str) -> RecordPage:
    """Reads a record back from the clean text of its page."""
    lines: dict[str, str] = {}
    for line in text.splitlines():
        label, colon, value = line.partition(": ")
        if colon and label in _LABELS:
            lines.setdefault(label, value.strip())
    return RecordPage(title, lines)


def licence_of(paper: Paper, text: PaperLocation | None) -> str:
    """Returns the licence of what is read, else the one that services state; empty for none."""
    if text is not None and text.licence:
        return text.licence
    same = [one for one in paper.locations if text is not None and one.url == text.url]
    stated = [one.licence for one in (same or paper.locations) if one.licence]
    return stated[0] if stated else ""


_LABELS = frozenset(
    {AUTHORS, LICENCE, TEXT, RETRACTED, ABSTRACT, SAID_BY}
    | set(FACT_LABELS.values())
    | set(ID_LABELS.values())
)


def _written(author: PaperAuthor) -> str:
    if author.family and author.given:
        return f"{author.family}, {author.given}"
    return author.name.replace(";", ",") if ", " not in author.name else author.name


def _retraction(paper: Paper) -> str:
    notice = paper.retraction
    if notice is None:
        by = ", ".join(sorted({one.service for one in paper.records if one.retracted}))
        return f"yes, as {by} says"
    when = f" on {notice.date}" if notice.date else ""
    where = f" by {notice.doi}" if notice.doi else ""
    return f"yes{when}{where}, as {notice.said_by} says"


def text_line(text: PaperLocation | None) -> str:
    """Returns what a record says of where its text was read."""
    if text is None:
        return NO_TEXT
    said = [text.version, text.status, f"as {text.said_by} says"]
    return f"{text.url} ({', '.join(part for part in said if part)})"


def _services(paper: Paper) -> Iterator[str]:
    times: dict[str, str] = {}
    for record in paper.records:
        times.setdefault(record.service, record.asked.date().isoformat())
    for service, day in times.items():
        yield f"{service} on {day}"


def _linked_data(paper: Paper, title: str, lines: dict[str, str]) -> dict[str, Any]:
    """Returns the paper as schema.org has it, without what is not known."""
    said: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle",
        "headline": title,
        "author": [{"@type": "Person", "name": one.name} for one in paper.authors[:AUTHORS_MAX]],
        "datePublished": paper.fact("published"),
        "isPartOf": _named("Periodical", paper.fact("venue")),
        "publisher": _named("Organization", paper.fact("publisher")),
        "inLanguage": paper.fact("language"),
        "license": licence_url(lines.get(LICENCE, "")) or lines.get(LICENCE, ""),
        "identifier": [f"{kind}:{value}" for kind, value in paper.ids.items()],
        "sameAs": _known_as(paper.ids),
        "creativeWorkStatus": "Retracted" if paper.retracted else "",
    }
    return {name: value for name, value in said.items() if value}


def _named(kind: str, name: str) -> dict[str, str] | None:
    return {"@type": kind, "name": name} if name else None


def _known_as(ids: dict[str, str]) -> list[str]:
    places = {DOI: "https://doi.org/", ARXIV: "https://arxiv.org/abs/"}
    return [f"{place}{ids[kind]}" for kind, place in places.items() if kind in ids]


def same_facts(lines: dict[str, str], page: RecordPage) -> bool:
    """Says whether a page states these facts already, whoever said them when."""
    return _facts(lines.items()) == _facts(page.lines.items())


def _facts(lines: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {label: value for label, value in lines if label != SAID_BY}
