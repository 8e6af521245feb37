"""arXiv.

Source: https://info.arxiv.org/help/api/user-manual.html and /help/api/tou.html: one request in
three seconds over one connection.
"""

from datetime import datetime
from typing import Any

from lxml import etree

from scops.fetcher.adapters.papers.reading import authors_named, date_of, plain_text
from scops.fetcher.adapters.papers.service import ScholarlyService, ServiceFacts
from scops.libraries.papers.names import (
    ARXIV,
    TITLE,
    PaperName,
    said_ids,
    versioned_arxiv_id,
)
from scops.libraries.papers.port import (
    FoundPapers,
    NotOffered,
    SkippedPaper,
    Years,
)
from scops.libraries.papers.record import (
    HTML,
    PDF,
    REPOSITORY,
    RETRACTION,
    SUBMITTED,
    PaperLocation,
    PaperNotice,
    PaperRecord,
)

SERVICE = "arxiv"
FACTS = ServiceFacts(
    name=SERVICE,
    server="https://export.arxiv.org/api/query",
    pause_seconds=3.0,
    lacks={
        "references": "arXiv tells of no references",
        "citations": "arXiv tells of no citations",
    },
)
AT_ONCE = 200
WORDS_MAX = 20
NAMES = {"a": "http://www.w3.org/2005/Atom", "arxiv": "http://arxiv.org/schemas/atom"}
# Errors are entries of the feed.
ERRORS = "/api/errors"
WITHDRAWN = ("has been withdrawn", "withdrawn by", "is withdrawn", "this paper was withdrawn")
# What the query language reads as its own.
_MARKS = str.maketrans(dict.fromkeys('"():[]', " "))
_OPERATORS = ("and", "or", "andnot")


class Arxiv(ScholarlyService):
    """arXiv as a paper source."""

    facts = FACTS

    def search(self, words: str, *, years: Years, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        asked = " AND ".join(f"all:{word}" for word in _words(words))
        if years.first or years.last:
            first, last = years.first or 1991, years.last or 9999
            asked += f" AND submittedDate:[{first}01010000 TO {last}12312359]"
        return self._listed(asked, limit=limit)

    def look_up(self, name: PaperName) -> FoundPapers:
        """See `PaperSource`."""
        if name.kind == TITLE:
            return self._listed(f'ti:"{" ".join(_words(name.value))}"', limit=5)
        if name.kind != ARXIV:
            raise NotOffered("arXiv knows its own ids and titles")
        return self._part({"id_list": name.value, "max_results": "1"})

    def _listed(self, query: str, *, limit: int) -> FoundPapers:
        records: list[PaperRecord] = []
        skipped: list[SkippedPaper] = []
        seen = 0
        while seen < limit:
            size = min(limit - seen, AT_ONCE)
            asked = {"search_query": query, "start": str(seen), "max_results": str(size)}
            part = self._part(asked | {"sortBy": "relevance", "sortOrder": "descending"})
            records += part.records
            skipped += part.skipped
            count = len(part.records) + len(part.skipped)
            seen += count
            if count < size:
                break
        return FoundPapers(tuple(records), tuple(skipped))

    def _part(self, asked: dict[str, str]) -> FoundPapers:
        answer = self.api.get("", asked)
        entries = _entries(answer.content) if answer is not None else []
        fault = next((one for one in entries if ERRORS in _text(one, "a:id")), None)
        if fault is not None:
            raise OSError(f"arXiv refuses: {_text(fault, 'a:summary')}")
        return self.api.read(entries, _record)


def _words(text: str) -> list[str]:
    words = [word for word in text.translate(_MARKS).split() if word.lower() not in _OPERATORS]
    return words[:WORDS_MAX]


def _entries(body: bytes) -> list[Any]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return list(etree.fromstring(body, parser).iterfind("a:entry", NAMES))
    except etree.XMLSyntaxError as error:
        raise OSError(f"arXiv answered what is no feed: {error}") from error


def _record(entry: Any, asked: datetime) -> PaperRecord:
    named = versioned_arxiv_id(_text(entry, "a:id"))
    if not named:
        raise ValueError("its id names no paper of arXiv")
    comment = _text(entry, "arxiv:comment").lower()
    is_withdrawn = any(words in comment for words in WITHDRAWN)
    version = named.rpartition("v")[2] if "v" in named[-4:] else ""
    return PaperRecord(
        service=SERVICE,
        asked=asked,
        ids=said_ids(arxiv=named, doi=_text(entry, "arxiv:doi")),
        title=_text(entry, "a:title"),
        authors=authors_named(_text(one, "a:name") for one in entry.iterfind("a:author", NAMES)),
        published=date_of(_text(entry, "a:published")),
        kind="article",
        abstract=_text(entry, "a:summary"),
        version=f"v{version}" if version else "",
        retracted=True if is_withdrawn else None,
        notices=(PaperNotice(RETRACTION, said_by=SERVICE),) if is_withdrawn else (),
        locations=() if is_withdrawn else _locations(entry),
    )


def _locations(entry: Any) -> tuple[PaperLocation, ...]:
    """Returns the PDF and the page of an entry, as its links say; their licence is not told."""
    found = []
    for link in entry.iterfind("a:link", NAMES):
        is_pdf = link.get("title") == "pdf" or link.get("type") == "application/pdf"
        if not is_pdf and link.get("rel") != "alternate":
            continue
        found.append(
            PaperLocation(
                url=link.get("href", "").replace("http://arxiv.org/", "https://arxiv.org/"),
                kind=PDF if is_pdf else HTML,
                status="green",
                host=REPOSITORY,
                version=SUBMITTED,
                said_by=SERVICE,
            )
        )
    return tuple(one for one in found if one.url)


def _text(entry: Any, name: str) -> str:
    return plain_text(entry.findtext(name, "", NAMES))
