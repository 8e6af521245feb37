"""CORE: texts in repositories.

Source: https://api.core.ac.uk/docs/v3, works.
"""

from datetime import datetime
from typing import Any

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
from scops.libraries.papers.names import (
    ARXIV,
    DOI,
    PMID,
    TITLE,
    PaperName,
    said_ids,
)
from scops.libraries.papers.port import FoundPapers, NotOffered, Years
from scops.libraries.papers.record import (
    PDF,
    REPOSITORY,
    PaperLocation,
    PaperRecord,
    is_titled_retracted,
)

SERVICE = "core"
FACTS = ServiceFacts(
    name=SERVICE,
    server="https://api.core.ac.uk/v3",
    variable="CORE_API_KEY",
    header=("Authorization", "Bearer "),
    # Ten requests a minute.
    pause_seconds=6.05,
    wants="CORE wants a key: set CORE_API_KEY, https://core.ac.uk/services/api gives one",
    lacks={
        "references": "CORE tells of no references",
        "citations": "CORE tells of no citations",
    },
)
AT_ONCE = 100
FIELDS = {DOI: "doi", ARXIV: "arxivId", PMID: "pubmedId", TITLE: "title"}
_MARKS = str.maketrans(dict.fromkeys('"()[]:\\<>', " "))


class Core(ScholarlyService):
    """CORE as a paper source."""

    facts = FACTS

    def search(self, words: str, *, years: Years, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        first = [f"yearPublished>={years.first}"] if years.first else []
        last = [f"yearPublished<={years.last}"] if years.last else []
        return self._listed(" AND ".join((f"({_plain(words)})", *first, *last)), limit=limit)

    def look_up(self, name: PaperName) -> FoundPapers:
        """See `PaperSource`."""
        if name.kind not in FIELDS:
            raise NotOffered("CORE knows DOIs, arXiv and PubMed ids and titles")
        value = _plain(name.value) if name.kind == TITLE else name.value
        return self._listed(f'{FIELDS[name.kind]}:"{value}"', limit=5)

    def _listed(self, query: str, *, limit: int) -> FoundPapers:
        self.check_known()
        items: list[Any] = []
        while len(items) < limit:
            size = min(limit - len(items), AT_ONCE)
            asked = {"q": query, "limit": str(size), "offset": str(len(items))}
            part = items_of(self.api.json("search/works", asked), "results")
            items += part
            if len(part) < size:
                break
        return self.api.read(items[:limit], _record)


def _plain(words: str) -> str:
    return " ".join(words.translate(_MARKS).split())


def _record(said: dict[str, Any], asked: datetime) -> PaperRecord:
    title = text_of(said.get("title"))
    journals = said.get("journals") or ()
    url = plain_text(said.get("downloadUrl"))
    return PaperRecord(
        service=SERVICE,
        asked=asked,
        ids=said_ids(
            core=said["id"],
            doi=said.get("doi"),
            pmid=said.get("pubmedId"),
        )
        | said_ids(arxiv=said.get("arxivId")),
        title=title,
        authors=authors_named(one.get("name") for one in said.get("authors") or ()),
        published=date_of(said.get("publishedDate") or said.get("yearPublished")),
        venue=next((name for one in journals if (name := text_of(one.get("title")))), ""),
        publisher=text_of(said.get("publisher")),
        kind=kind_of(said.get("documentType")),
        abstract=text_of(said.get("abstract")),
        language=text_of((said.get("language") or {}).get("code")),
        retracted=True if is_titled_retracted(title) else None,
        cited_by=number_or_none(said.get("citationCount")),
        locations=(
            PaperLocation(url=url, kind=PDF, status="green", host=REPOSITORY, said_by=SERVICE),
        )
        if url
        else (),
    )
