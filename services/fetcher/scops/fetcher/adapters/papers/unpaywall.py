"""Unpaywall: where papers may be read by everybody.

Source: https://unpaywall.org/products/api and /data-format.
"""

from datetime import datetime
from typing import Any
from urllib.parse import quote

from scops.fetcher.adapters.papers.asking import items_of
from scops.fetcher.adapters.papers.openalex import VERSIONS
from scops.fetcher.adapters.papers.reading import (
    author_of_parts,
    date_of,
    kind_of,
    plain_text,
    text_of,
)
from scops.fetcher.adapters.papers.service import EMAIL, ScholarlyService, ServiceFacts
from scops.libraries.papers.licences import normal_licence
from scops.libraries.papers.names import DOI, TITLE, PaperName, said_ids
from scops.libraries.papers.port import FoundPapers, NotOffered
from scops.libraries.papers.record import (
    HTML,
    PDF,
    PUBLISHER,
    REPOSITORY,
    PaperAuthor,
    PaperLocation,
    PaperRecord,
    is_titled_retracted,
)

SERVICE = "unpaywall"
FACTS = ServiceFacts(
    name=SERVICE,
    server="https://api.unpaywall.org/v2",
    variable=EMAIL,
    param="email",
    # 100,000 requests a day.
    pause_seconds=0.9,
    wants="Unpaywall wants to know who asks: set PAPERS_EMAIL to your address",
    lacks={
        "search": "Unpaywall is asked where papers may be read, by DOI and title",
        "references": "Unpaywall tells of no references",
        "citations": "Unpaywall tells of no citations",
    },
)
# Of a list in an answer.
AT_ONCE = 50


class Unpaywall(ScholarlyService):
    """Unpaywall as a paper source."""

    facts = FACTS

    def look_up(self, name: PaperName) -> FoundPapers:
        """See `PaperSource`."""
        self.check_known()
        if name.kind == TITLE:
            hits = items_of(self.api.json("search", {"query": name.value}), "results")[:AT_ONCE]
            return self.api.read(hits, lambda hit, asked: _record(hit["response"], asked))
        if name.kind != DOI:
            raise NotOffered("Unpaywall knows DOIs and titles")
        found = self.api.json(quote(name.value, safe=""))
        return self.api.read([found] if found is not None else [], _record)


def _record(said: dict[str, Any], asked: datetime) -> PaperRecord:
    title = text_of(said.get("title"))
    status = text_of(said.get("oa_status"))
    places = [said.get("best_oa_location"), *(said.get("oa_locations") or ())]
    found = [
        location
        for place in places
        if isinstance(place, dict)
        for location in _locations(place, status)
    ]
    return PaperRecord(
        service=SERVICE,
        asked=asked,
        ids=said_ids(doi=said["doi"]),
        title=title,
        authors=tuple(
            author for one in said.get("z_authors") or () if (author := _author(one)) is not None
        ),
        published=date_of(said.get("published_date") or said.get("year")),
        venue=text_of(said.get("journal_name")),
        publisher=text_of(said.get("publisher")),
        kind=kind_of(said.get("genre")),
        retracted=True if is_titled_retracted(title) else None,
        locations=tuple(dict.fromkeys(found)) if said.get("is_oa") is True else (),
    )


def _author(said: dict[str, Any]) -> PaperAuthor | None:
    return author_of_parts(said.get("family"), said.get("given"), said.get("raw_author_name"))


def _locations(place: dict[str, Any], status: str) -> list[PaperLocation]:
    host = REPOSITORY if place.get("host_type") == "repository" else PUBLISHER
    pdf = plain_text(place.get("url_for_pdf"))
    page = plain_text(place.get("url_for_landing_page") or place.get("url"))
    return [
        PaperLocation(
            url=url,
            kind=kind,
            licence=normal_licence(place.get("license")),
            status="green" if host == REPOSITORY else status,
            host=host,
            version=VERSIONS.get(place.get("version") or "", ""),
            said_by=SERVICE,
        )
        for url, kind in ((pdf, PDF), (page, HTML))
        if url
    ]
