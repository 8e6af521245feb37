"""CORE: texts in repositories.

Source: https://api.core.ac.uk/docs/v3, works.
"""

import time
from datetime import datetime
from pathlib import Path
from typing import Any

from scops.standalone.commands.apis.asking import Wait
from scops.standalone.commands.papers.records.names import (
    ARXIV,
    DOI,
    PMID,
    TITLE,
    PaperName,
    said_ids,
)
from scops.standalone.commands.papers.records.record import (
    PDF,
    REPOSITORY,
    PaperLocation,
    PaperRecord,
    is_titled_retracted,
)
from scops.standalone.commands.papers.sources.asking import ServiceApi, items_of
from scops.standalone.commands.papers.sources.port import FoundPapers, NotOffered, Years
from scops.standalone.commands.papers.sources.reading import (
    authors_named,
    date_of,
    kind_of,
    number_or_none,
    text_of,
)

SERVER = "https://api.core.ac.uk/v3"
SERVICE = "core"
# Ten requests a minute.
PAUSE_SECONDS = 6.05
AT_ONCE = 100
FIELDS = {DOI: "doi", ARXIV: "arxivId", PMID: "pubmedId", TITLE: "title"}
NO_KEY = "CORE wants a key: set CORE_API_KEY, https://core.ac.uk/services/api gives one"
_MARKS = str.maketrans(dict.fromkeys('"()[]:\\<>', " "))


class Core:
    """CORE as a paper source.

    Args:
        key: of its API; without it nothing is offered.
    """

    service = SERVICE

    def __init__(
        self,
        server: str = SERVER,
        *,
        key: str = "",
        sleep: Wait = time.sleep,
        folder: Path | None = None,
    ) -> None:
        self._key = key
        self.api = ServiceApi(
            SERVICE,
            server,
            pause_seconds=PAUSE_SECONDS,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            sleep=sleep,
            folder=folder,
        )

    def close(self) -> None:
        """Closes its connection."""
        self.api.close()

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

    def references(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        raise NotOffered("CORE tells of no references")

    def citations(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        raise NotOffered("CORE tells of no citations")

    def _listed(self, query: str, *, limit: int) -> FoundPapers:
        if not self._key:
            raise NotOffered(NO_KEY)
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
    url = text_of(said.get("downloadUrl"))
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
