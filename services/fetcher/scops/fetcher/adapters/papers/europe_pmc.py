"""Europe PMC.

Source: https://europepmc.org/RestfulWebService: search, references, citations, and the fields of
the search syntax.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from scops.fetcher.adapters.papers.asking import items_of
from scops.fetcher.adapters.papers.reading import (
    author_of_initials,
    author_of_parts,
    date_of,
    kind_of,
    number_or_none,
    plain_text,
    text_of,
)
from scops.fetcher.adapters.papers.service import EMAIL, ScholarlyService, ServiceFacts
from scops.libraries.papers.licences import normal_licence
from scops.libraries.papers.names import (
    DOI,
    PMCID,
    PMID,
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
    REPOSITORY,
    RETRACTION,
    RETRACTION_OF,
    XML,
    PaperAuthor,
    PaperLocation,
    PaperNotice,
    PaperRecord,
    is_titled_retracted,
)

SERVICE = "europe-pmc"
FACTS = ServiceFacts(
    name=SERVICE,
    server="https://www.ebi.ac.uk/europepmc/webservices/rest",
    variable=EMAIL,
    param="email",
    params={"format": "json"},
    pause_seconds=0.2,
)
AT_ONCE = 100
PREPRINTS = "PPR"
# In JATS, of what is open access alone; whoever asks the API elsewhere reads it here, too.
FULL_TEXT = "https://www.ebi.ac.uk/europepmc/webservices/rest/{}/fullTextXML"
# Open access, and free to read without a licence that says so.
OPEN = {"OA": "gold", "F": "bronze"}
KINDS = {"pdf": PDF, "html": HTML}
# As comments and corrections name them, of PubMed.
NOTICES = {
    "retraction in": RETRACTION,
    "partial retraction in": RETRACTION,
    "retraction of": RETRACTION_OF,
    "erratum in": CORRECTION,
    "corrected and republished in": CORRECTION,
    "erratum for": CORRECTION_OF,
    "expression of concern in": CONCERN,
}
RETRACTED_KIND, RETRACTION_KIND = "retracted publication", "retraction of publication"
_MARKS = str.maketrans(dict.fromkeys('"()[]:\\', " "))


class EuropePmc(ScholarlyService):
    """Europe PMC as a paper source."""

    facts = FACTS

    def search(self, words: str, *, years: Years, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        asked = f"({_plain(words)})"
        if years.first or years.last:
            asked += f" AND PUB_YEAR:[{years.first or 1000} TO {years.last or 9999}]"
        return self._found(asked, limit=limit)

    def look_up(self, name: PaperName) -> FoundPapers:
        """See `PaperSource`."""
        asked = {
            DOI: f'DOI:"{name.value}"',
            PMID: f"EXT_ID:{name.value} AND SRC:MED",
            PMCID: f"PMCID:{name.value}",
            TITLE: f'TITLE:"{_plain(name.value)}"',
        }
        if name.kind not in asked:
            raise NotOffered("Europe PMC knows DOIs, PubMed ids and titles")
        return self._found(asked[name.kind], limit=5)

    def references(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        return self._related(paper, "references", ("referenceList", "reference"), limit)

    def citations(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        return self._related(paper, "citations", ("citationList", "citation"), limit)

    def _found(self, query: str, *, limit: int) -> FoundPapers:
        items: list[Any] = []
        cursor = "*"
        while cursor and len(items) < limit:
            size = str(min(limit - len(items), AT_ONCE))
            asked = {"query": query, "resultType": "core", "pageSize": size, "cursorMark": cursor}
            found = self.api.json("search", asked)
            part = items_of(found, "resultList", "result")
            items += part
            following = text_of(found.get("nextCursorMark")) if isinstance(found, dict) else ""
            cursor = following if part and following != cursor else ""
        return self.api.read(items[:limit], _record)

    def _related(
        self, paper: PaperRecord, method: str, path: tuple[str, str], limit: int
    ) -> FoundPapers:
        if PMID not in paper.ids:
            raise NotOffered("Europe PMC knows references and citations by PubMed id")
        items: list[Any] = []
        for page in range(1, limit // AT_ONCE + 2):
            asked = {"page": str(page), "pageSize": str(AT_ONCE)}
            part = items_of(self.api.json(f"MED/{paper.ids[PMID]}/{method}", asked), *path)
            items += part
            if len(part) < AT_ONCE or len(items) >= limit:
                break
        return self.api.read(items[:limit], _record)


def _plain(words: str) -> str:
    return " ".join(words.translate(_MARKS).split())


def _record(said: dict[str, Any], asked: datetime) -> PaperRecord:
    title = text_of(said.get("title")).removesuffix(".")
    where = said.get("journalInfo") or {}
    journal = where.get("journal") or {}
    kinds = _kinds(said)
    notices = tuple(_notices(said, kinds))
    is_retracted = (
        RETRACTED_KIND in kinds
        or any(one.kind == RETRACTION for one in notices)
        or is_titled_retracted(title)
    )
    is_medline = said.get("source") == "MED"
    return PaperRecord(
        service=SERVICE,
        asked=asked,
        ids=said_ids(
            doi=said.get("doi"),
            pmid=said.get("pmid") or (said.get("id") if is_medline else None),
            pmcid=said.get("pmcid"),
        ),
        title=title,
        authors=tuple(_authors(said)),
        published=date_of(
            said.get("firstPublicationDate")
            or where.get("printPublicationDate")
            or said.get("pubYear")
        ),
        venue=text_of(
            journal.get("title") or said.get("journalTitle") or said.get("journalAbbreviation")
        ),
        volume=text_of(where.get("volume") or said.get("journalVolume")),
        issue=text_of(where.get("issue") or said.get("issue")),
        pages=text_of(said.get("pageInfo")),
        kind="article" if said.get("source") == PREPRINTS else _kind(kinds),
        abstract=text_of(said.get("abstractText")),
        language=text_of(said.get("language")),
        # PubMed marks what is retracted by its kinds; what comes without them, such as entries of
        # reference lists, and what comes from elsewhere says nothing.
        retracted=is_retracted if (is_medline and kinds) or is_retracted else None,
        cited_by=number_or_none(said.get("citedByCount")),
        locations=tuple(dict.fromkeys(_locations(said))),
        notices=notices,
    )


def _kinds(said: dict[str, Any]) -> list[str]:
    listed = (said.get("pubTypeList") or {}).get("pubType") or ()
    words = [*listed, *text_of(said.get("pubType")).split(";")]
    return [kind.strip().lower() for kind in words if isinstance(kind, str) and kind.strip()]


def _kind(kinds: list[str]) -> str:
    return kind_of([kind.replace(" ", "-") for kind in kinds])


def _notices(said: dict[str, Any], kinds: list[str]) -> Iterator[PaperNotice]:
    found = (said.get("commentCorrectionList") or {}).get("commentCorrection") or ()
    for one in found:
        kind = NOTICES.get(text_of(one.get("type")).lower())
        if kind:
            reference = text_of(one.get("reference"))
            at = reference.lower().find("doi:")
            doi = normal_doi(reference[at:]) if at >= 0 else ""
            yield PaperNotice(kind, doi=doi, said_by=SERVICE)
    if not found and RETRACTION_KIND in kinds:
        yield PaperNotice(RETRACTION_OF, said_by=SERVICE)
    if not found and RETRACTED_KIND in kinds:
        yield PaperNotice(RETRACTION, said_by=SERVICE)


def _authors(said: dict[str, Any]) -> Iterator[PaperAuthor]:
    listed = (said.get("authorList") or {}).get("author") or ()
    for one in listed:
        whole = one.get("collectiveName") or one.get("fullName")
        author = author_of_parts(one.get("lastName"), one.get("firstName"), whole)
        if author is not None:
            yield author
    if not listed:
        for name in text_of(said.get("authorString")).removesuffix(".").split(", "):
            author = author_of_initials(name)
            if author is not None:
                yield author


def _locations(said: dict[str, Any]) -> Iterator[PaperLocation]:
    licence = normal_licence(said.get("license"))
    pmcid = said_ids(pmcid=said.get("pmcid")).get(PMCID)
    if pmcid and text_of(said.get("isOpenAccess")) == "Y":
        yield PaperLocation(
            url=FULL_TEXT.format(pmcid),
            kind=XML,
            licence=licence,
            status=OPEN["OA"],
            host=REPOSITORY,
            version=PUBLISHED,
            said_by=SERVICE,
        )
    for one in (said.get("fullTextUrlList") or {}).get("fullTextUrl") or ():
        kind = KINDS.get(text_of(one.get("documentStyle")).lower())
        status = OPEN.get(text_of(one.get("availabilityCode")))
        url = plain_text(one.get("url"))
        if kind and status and url:
            yield PaperLocation(
                url=url,
                kind=kind,
                licence=licence,
                status=status,
                host=REPOSITORY,
                version=PUBLISHED if said.get("source") != PREPRINTS else "submitted",
                said_by=SERVICE,
            )
