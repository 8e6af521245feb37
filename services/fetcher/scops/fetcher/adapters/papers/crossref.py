"""Crossref.

Source: https://api.crossref.org/swagger-ui/, https://www.crossref.org/documentation/retrieve-metadata/
(etiquette, rate limits, retractions by `update-to` and `updated-by`).
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import quote

from scops.fetcher.adapters.papers.asking import items_of
from scops.fetcher.adapters.papers.reading import (
    author_of_parts,
    authors_named,
    date_of,
    date_of_parts,
    first_text,
    kind_of,
    number_or_none,
    text_of,
)
from scops.fetcher.adapters.papers.service import EMAIL, ScholarlyService, ServiceFacts
from scops.libraries.papers.licences import is_free_licence, normal_licence
from scops.libraries.papers.names import (
    DOI,
    TITLE,
    PaperName,
    normal_doi,
    said_ids,
)
from scops.libraries.papers.port import FoundPapers, NotOffered, Years
from scops.libraries.papers.record import (
    CONCERN,
    CORRECTION,
    CORRECTION_OF,
    HTML,
    PDF,
    PUBLISHED,
    PUBLISHER,
    RETRACTION,
    RETRACTION_OF,
    PaperLocation,
    PaperNotice,
    PaperRecord,
    RelatedPaper,
    is_titled_retracted,
)

SERVICE = "crossref"
FACTS = ServiceFacts(
    name=SERVICE,
    server="https://api.crossref.org",
    variable=EMAIL,
    param="mailto",
    # Lists are answered once a second, to those who say who they are three times.
    pause_seconds=1.0,
    pause_seconds_known=0.35,
    lacks={"citations": "Crossref tells how many papers cite one, and not which"},
)
ROWS_MAX = 1000
RETRACTIONS = ("retraction", "withdrawal", "removal", "partial_retraction")
CONCERNS = ("expression_of_concern",)
RELATIONS = {
    "is-preprint-of": "preprint_of",
    "has-preprint": "has_preprint",
    "is-version-of": "version_of",
    "has-version": "has_version",
}
# Of a licence that is not said to be of one alone.
ANY_VERSION = "unspecified"
DATES = ("issued", "published", "published-online", "published-print", "posted", "created")


class Crossref(ScholarlyService):
    """Crossref as a paper source."""

    facts = FACTS

    def search(self, words: str, *, years: Years, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        first = [f"from-pub-date:{years.first}"] if years.first else []
        last = [f"until-pub-date:{years.last}"] if years.last else []
        asked = {"query": words, "rows": str(min(limit, ROWS_MAX))}
        asked |= {"filter": ",".join((*first, *last))} if first or last else {}
        return self._listed(asked)

    def look_up(self, name: PaperName) -> FoundPapers:
        """See `PaperSource`."""
        if name.kind == TITLE:
            return self._listed({"query.title": name.value, "rows": "5"})
        if name.kind != DOI:
            raise NotOffered("Crossref knows DOIs and titles")
        found = self._work(name.value)
        return self.api.read([found] if found is not None else [], _record)

    def references(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        if DOI not in paper.ids:
            raise NotOffered("Crossref knows references by DOI")
        found = self._work(paper.ids[DOI])
        return self.api.read(items_of(found or {}, "reference")[:limit], _reference)

    def _work(self, doi: str) -> Any:
        found = self.api.json(f"works/{quote(doi, safe='')}")
        return found.get("message") if isinstance(found, dict) else None

    def _listed(self, asked: dict[str, str]) -> FoundPapers:
        return self.api.read(items_of(self.api.json("works", asked), "message", "items"), _record)


def _record(work: dict[str, Any], asked: datetime) -> PaperRecord:
    title = ": ".join(
        part for part in (first_text(work.get("title")), first_text(work.get("subtitle"))) if part
    )
    notices = (*_notices(work, "updated-by"), *_notices(work, "update-to", of=True))
    is_retracted = any(one.kind == RETRACTION for one in notices) or is_titled_retracted(title)
    people = work.get("author") or ()
    return PaperRecord(
        service=SERVICE,
        asked=asked,
        ids=said_ids(doi=work.get("DOI")),
        title=title,
        authors=tuple(
            author
            for one in people
            if (author := author_of_parts(one.get("family"), one.get("given"), one.get("name")))
        ),
        published=next((date for name in DATES if (date := date_of_parts(work.get(name)))), ""),
        venue=first_text(work.get("container-title")),
        publisher=text_of(work.get("publisher")),
        volume=text_of(work.get("volume")),
        issue=text_of(work.get("issue")),
        pages=text_of(work.get("page")),
        kind=kind_of(work.get("subtype"), work.get("type")),
        abstract=text_of(work.get("abstract")),
        language=text_of(work.get("language")),
        # What says nothing of retractions is not known to stand: records come late.
        retracted=True if is_retracted else None,
        cited_by=number_or_none(work.get("is-referenced-by-count")),
        locations=tuple(_locations(work, asked)),
        notices=notices,
        related=tuple(_related(work.get("relation"))),
    )


def _notices(work: dict[str, Any], name: str, *, of: bool = False) -> Iterator[PaperNotice]:
    for update in work.get(name) or ():
        said = text_of(update.get("type")).lower().replace("-", "_").replace(" ", "_")
        kind = RETRACTION if said in RETRACTIONS else CONCERN if said in CONCERNS else CORRECTION
        if of:
            kind = RETRACTION_OF if kind == RETRACTION else CORRECTION_OF
        by = text_of(update.get("source"))
        yield PaperNotice(
            kind,
            doi=normal_doi(text_of(update.get("DOI"))),
            date=date_of_parts(update.get("updated")),
            said_by=f"{SERVICE} by {by}" if by else SERVICE,
        )


def _locations(work: dict[str, Any], asked: datetime) -> Iterator[PaperLocation]:
    """Yields full texts that are under a free licence: of others a link does not say who may."""
    for one in work.get("link") or ():
        version = one.get("content-version")
        free = _free_licence(work, version, asked)
        kinds = {"application/pdf": PDF, "text/html": HTML}
        kind = kinds.get(text_of(one.get("content-type")))
        if free and kind and one.get("intended-application") != "similarity-checking":
            yield PaperLocation(
                url=text_of(one["URL"]),
                kind=kind,
                licence=free,
                host=PUBLISHER,
                version=PUBLISHED if version == "vor" else "",
                said_by=SERVICE,
            )


def _free_licence(work: dict[str, Any], version: Any, asked: datetime) -> str:
    """Returns a free licence of a version of a work that has begun; empty where there is none.

    That of an accepted manuscript (`am`) or of text mining (`tdm`) says nothing of the published
    version, and one may begin when an embargo ends.
    """
    for one in work.get("license") or ():
        is_meant = one.get("content-version", ANY_VERSION) in (version, ANY_VERSION)
        has_begun = date_of_parts(one.get("start")) <= f"{asked:%Y-%m-%d}"
        licence = normal_licence(one.get("URL"))
        if is_meant and has_begun and is_free_licence(licence):
            return licence
    return ""


def _related(relations: Any) -> Iterator[RelatedPaper]:
    for said, kind in RELATIONS.items():
        others = relations.get(said) if isinstance(relations, dict) else None
        for other in others or ():
            if other.get("id-type") == "doi" and (doi := normal_doi(text_of(other.get("id")))):
                yield RelatedPaper(kind, doi)


def _reference(cited: dict[str, Any], asked: datetime) -> PaperRecord:
    names = ("article-title", "volume-title", "unstructured")
    return PaperRecord(
        service=SERVICE,
        asked=asked,
        ids=said_ids(doi=cited.get("DOI")),
        title=next((title for name in names if (title := text_of(cited.get(name)))), ""),
        authors=authors_named([cited.get("author")]),
        published=date_of(cited.get("year")),
        venue=text_of(cited.get("journal-title")),
    )
