"""Semantic Scholar.

Source: https://api.semanticscholar.org/api-docs/graph, the Academic Graph.
"""

from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit

from scops.fetcher.adapters.papers.asking import items_of
from scops.fetcher.adapters.papers.reading import (
    authors_named,
    date_of,
    kind_of,
    number_or_none,
    plain_text,
    text_of,
)
from scops.fetcher.adapters.papers.service import ScholarlyService, ServiceFacts
from scops.libraries.papers.licences import normal_licence
from scops.libraries.papers.names import (
    ARXIV,
    DOI,
    PMCID,
    PMID,
    SEMANTIC_SCHOLAR,
    TITLE,
    PaperName,
    said_ids,
)
from scops.libraries.papers.port import FoundPapers, NotOffered, Years
from scops.libraries.papers.record import (
    HTML,
    PDF,
    PUBLISHER,
    REPOSITORY,
    RETRACTION,
    PaperLocation,
    PaperNotice,
    PaperRecord,
    is_titled_retracted,
)

SERVICE = "semantic-scholar"
FACTS = ServiceFacts(
    name=SERVICE,
    server="https://api.semanticscholar.org/graph/v1",
    variable="SEMANTIC_SCHOLAR_API_KEY",
    header=("x-api-key", ""),
    # One request a second with a key; without, all share a hundred in five minutes.
    pause_seconds=3.05,
    pause_seconds_known=1.05,
)
AT_ONCE = 100
# A search ends there.
HITS_MAX = 1000
FIELDS = (
    "title,abstract,authors,year,publicationDate,venue,journal,externalIds,citationCount,"
    "publicationTypes,isOpenAccess,openAccessPdf"
)
PREFIXES = {DOI: "DOI", ARXIV: "ARXIV", PMID: "PMID", PMCID: "PMCID"}
OPEN = ("gold", "green", "hybrid", "bronze", "diamond")
RESOLVERS = ("doi.org", "dx.doi.org")


class SemanticScholar(ScholarlyService):
    """Semantic Scholar as a paper source."""

    facts = FACTS

    def search(self, words: str, *, years: Years, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        # Hyphens find nothing there, as its documentation says.
        asked = {"query": " ".join(words.replace("-", " ").split())}
        if years.first or years.last:
            asked["year"] = f"{years.first or ''}-{years.last or ''}"
        return self._parts("paper/search", asked, limit=min(limit, HITS_MAX))

    def look_up(self, name: PaperName) -> FoundPapers:
        """See `PaperSource`."""
        if name.kind == TITLE:
            asked = {"query": name.value, "fields": FIELDS}
            found = self.api.json("paper/search/match", asked)
            return self.api.read(items_of(found or {}, "data"), _record)
        value = name.value.removeprefix("PMC") if name.kind == PMCID else name.value
        path = f"paper/{PREFIXES[name.kind]}:{quote(value, safe='/:')}"
        found = self.api.json(path, {"fields": FIELDS})
        return self.api.read([found] if found is not None else [], _record)

    def references(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        return self._parts(f"paper/{_id(paper)}/references", {}, limit=limit, of="citedPaper")

    def citations(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        return self._parts(f"paper/{_id(paper)}/citations", {}, limit=limit, of="citingPaper")

    def _parts(self, path: str, asked: dict[str, str], *, limit: int, of: str = "") -> FoundPapers:
        items: list[Any] = []
        offset: int | None = 0
        while offset is not None and len(items) < limit:
            size = min(limit - len(items), AT_ONCE)
            place = {"offset": str(offset), "limit": str(size), "fields": FIELDS}
            found = self.api.json(path, {**asked, **place})
            part = items_of(found, "data")
            items += part
            following = number_or_none(found.get("next")) if isinstance(found, dict) else None
            is_further = following is not None and following > offset
            offset = following if part and is_further else None
        reader = (lambda item, asked: _record(item[of], asked)) if of else _record
        return self.api.read(items[:limit], reader)


def _id(paper: PaperRecord) -> str:
    if SEMANTIC_SCHOLAR not in paper.ids:
        raise NotOffered("Semantic Scholar does not know the paper")
    return paper.ids[SEMANTIC_SCHOLAR]


def _record(said: dict[str, Any], asked: datetime) -> PaperRecord:
    ids = said.get("externalIds") or {}
    title = text_of(said.get("title"))
    journal = said.get("journal") or {}
    is_retracted = is_titled_retracted(title)
    return PaperRecord(
        service=SERVICE,
        asked=asked,
        ids=said_ids(
            s2=said.get("paperId"),
            doi=ids.get("DOI"),
            pmid=ids.get("PubMed"),
            pmcid=ids.get("PubMedCentral"),
        )
        | said_ids(arxiv=ids.get("ArXiv")),
        title=title,
        authors=authors_named(one.get("name") for one in said.get("authors") or ()),
        published=date_of(said.get("publicationDate") or said.get("year")),
        venue=text_of(journal.get("name")) or text_of(said.get("venue")),
        volume=text_of(journal.get("volume")),
        pages="".join(text_of(journal.get("pages")).split()),
        kind=kind_of(said.get("publicationTypes")),
        abstract=text_of(said.get("abstract")),
        retracted=True if is_retracted else None,
        cited_by=number_or_none(said.get("citationCount")),
        locations=_locations(said.get("openAccessPdf")),
        notices=(PaperNotice(RETRACTION, said_by=SERVICE),) if is_retracted else (),
    )


def _locations(place: Any) -> tuple[PaperLocation, ...]:
    """Returns the copy that everybody may read; one whose access has no status is none."""
    url = plain_text(place.get("url")) if isinstance(place, dict) else ""
    status = text_of(place.get("status")).lower() if url else ""
    if status not in OPEN:
        return ()
    try:
        is_page = urlsplit(url).hostname in RESOLVERS
    except ValueError:
        return ()
    return (
        PaperLocation(
            url=url,
            kind=HTML if is_page else PDF,
            licence=normal_licence(place.get("license")),
            status=status,
            host=REPOSITORY if status == "green" else PUBLISHER,
            said_by=SERVICE,
        ),
    )
