"""OpenAlex.

Source: https://developers.openalex.org/, works, filters, paging, and authentication.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from scops.fetcher.adapters.papers.asking import items_of
from scops.fetcher.adapters.papers.reading import (
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
    OPENALEX,
    TITLE,
    PaperName,
    said_ids,
)
from scops.libraries.papers.port import FoundPapers, NotOffered, Years
from scops.libraries.papers.record import (
    ACCEPTED,
    HTML,
    PDF,
    PUBLISHED,
    PUBLISHER,
    REPOSITORY,
    RETRACTION,
    SUBMITTED,
    PaperAuthor,
    PaperLocation,
    PaperNotice,
    PaperRecord,
    is_titled_retracted,
)

SERVICE = "openalex"
FACTS = ServiceFacts(
    name=SERVICE,
    server="https://api.openalex.org",
    # Without a key there are few requests a day.
    variable="OPENALEX_API_KEY",
    param="api_key",
    pause_seconds=0.1,
)
# Of a list in an answer, and of ids in a filter.
AT_ONCE = 100
# Words of an abstract; an index that claims more places is damaged.
ABSTRACT_WORDS_MAX = 20_000
VERSIONS = {
    "publishedVersion": PUBLISHED,
    "acceptedVersion": ACCEPTED,
    "submittedVersion": SUBMITTED,
}
# They divide filters and their values.
_DIVIDERS = str.maketrans(dict.fromkeys(",|:", " "))


class OpenAlex(ScholarlyService):
    """OpenAlex as a paper source."""

    facts = FACTS

    def search(self, words: str, *, years: Years, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        asked = {"search": " ".join(words.translate(_DIVIDERS).split())}
        if years.first or years.last:
            asked["filter"] = ",".join(_dates(years))
        return self._listed(asked, limit=limit)

    def look_up(self, name: PaperName) -> FoundPapers:
        """See `PaperSource`."""
        if name.kind == TITLE:
            title = " ".join(name.value.translate(_DIVIDERS).split())
            return self._listed({"filter": f"title.search:{title}"}, limit=5)
        found = self.api.json(f"works/{_path(name)}")
        return self.api.read([found] if found is not None else [], _record)

    def references(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        found = self.api.json(f"works/{_id(paper)}", {"select": "id,referenced_works"})
        urls = items_of(found, "referenced_works")
        ids = [url.rpartition("/")[2] for url in urls if isinstance(url, str)][:limit]
        parts = [ids[at : at + AT_ONCE] for at in range(0, len(ids), AT_ONCE)]
        return _joined(
            self._listed({"filter": f"openalex:{'|'.join(part)}"}, limit=len(part))
            for part in parts
        )

    def citations(self, paper: PaperRecord, *, limit: int) -> FoundPapers:
        """See `PaperSource`."""
        return self._listed({"filter": f"cites:{_id(paper)}"}, limit=limit)

    def _listed(self, asked: Mapping[str, str], *, limit: int) -> FoundPapers:
        items: list[Any] = []
        cursor = "*"
        while cursor and len(items) < limit:
            size = str(min(limit - len(items), AT_ONCE))
            found = self.api.json("works", {**asked, "per_page": size, "cursor": cursor})
            part = items_of(found, "results")
            items += part
            meta = found.get("meta") if isinstance(found, dict) else None
            following = meta.get("next_cursor") if isinstance(meta, dict) else None
            cursor = following if part and isinstance(following, str) else ""
        return self.api.read(items[:limit], _record)


def _joined(parts: Any) -> FoundPapers:
    found = tuple(parts)
    return FoundPapers(
        tuple(one for part in found for one in part.records),
        tuple(one for part in found for one in part.skipped),
    )


def _dates(years: Years) -> list[str]:
    first = [f"from_publication_date:{years.first}-01-01"] if years.first else []
    return first + ([f"to_publication_date:{years.last}-12-31"] if years.last else [])


def _path(name: PaperName) -> str:
    if name.kind == DOI:
        return f"https://doi.org/{quote(name.value, safe='')}"
    if name.kind == ARXIV:
        return f"https://doi.org/10.48550%2Farxiv.{quote(name.value, safe='')}"
    return f"{name.kind}:{name.value}"


def _id(paper: PaperRecord) -> str:
    if OPENALEX not in paper.ids:
        raise NotOffered("OpenAlex does not know the paper")
    return paper.ids[OPENALEX]


def _record(work: dict[str, Any], asked: datetime) -> PaperRecord:
    ids = {**(work.get("ids") or {})}
    title = text_of(work.get("title") or work.get("display_name"))
    venue = (work.get("primary_location") or {}).get("source") or {}
    place = work.get("biblio") or {}
    pages = [text_of(place.get(end)) for end in ("first_page", "last_page")]
    retracted = work.get("is_retracted")
    is_marked = retracted is True or is_titled_retracted(title)
    return PaperRecord(
        service=SERVICE,
        asked=asked,
        ids=said_ids(
            openalex=work.get("id"),
            doi=work.get("doi") or ids.get("doi"),
            pmid=ids.get("pmid"),
            pmcid=ids.get("pmcid"),
        )
        | _arxiv_of(work),
        title=title,
        authors=_authors(work.get("authorships") or ()),
        published=date_of(work.get("publication_date") or work.get("publication_year")),
        venue=text_of(venue.get("display_name")) if venue.get("type") != "repository" else "",
        publisher=text_of(venue.get("host_organization_name")),
        volume=text_of(place.get("volume")),
        issue=text_of(place.get("issue")),
        pages="–".join(dict.fromkeys(page for page in pages if page)),
        kind=kind_of(work.get("type_crossref"), work.get("type")),
        abstract=_abstract(work.get("abstract_inverted_index")),
        language=text_of(work.get("language")),
        retracted=is_marked if isinstance(retracted, bool) or is_marked else None,
        cited_by=number_or_none(work.get("cited_by_count")),
        locations=_locations(work),
        notices=(PaperNotice(RETRACTION, said_by=SERVICE),) if is_marked else (),
    )


def _arxiv_of(work: dict[str, Any]) -> dict[str, str]:
    """Returns the arXiv id that a location names, as OpenAlex has none among its ids."""
    places = work.get("locations") or ()
    urls = [one.get("landing_page_url") or "" for one in places if isinstance(one, dict)]
    found = [said_ids(arxiv=url) for url in urls if "arxiv" in url]
    return next((one for one in found if one), {})


def _authors(authorships: Any) -> tuple[PaperAuthor, ...]:
    said = [
        (one.get("author") or {}).get("display_name") or one.get("raw_author_name")
        for one in authorships
    ]
    return tuple(PaperAuthor(name) for one in said if (name := text_of(one)))


def _abstract(index: Any) -> str:
    """Returns an abstract of which the places of each word are told."""
    if not isinstance(index, dict):
        return ""
    words = {
        place: word
        for word, places in index.items()
        for place in places
        if isinstance(place, int) and 0 <= place < ABSTRACT_WORDS_MAX
    }
    return text_of(" ".join(words[place] for place in sorted(words)))


def _locations(work: dict[str, Any]) -> tuple[PaperLocation, ...]:
    access = work.get("open_access") or {}
    status = text_of(access.get("oa_status"))
    places = [work.get("best_oa_location"), *(work.get("locations") or ())]
    found = [
        location
        for place in places
        if isinstance(place, dict) and place.get("is_oa") is True
        for location in _of_place(place, status)
    ]
    url = plain_text(access.get("oa_url"))
    if access.get("is_oa") is True and url and not found:
        found.append(_location(url, url.lower().endswith(".pdf"), status=status))
    return tuple(dict.fromkeys(found))


def _of_place(place: dict[str, Any], status: str) -> list[PaperLocation]:
    source = place.get("source") or {}
    host = REPOSITORY if source.get("type") == "repository" else PUBLISHER
    said = {
        "licence": normal_licence(place.get("license")),
        "status": "green" if host == REPOSITORY else status,
        "host": host,
        "version": VERSIONS.get(place.get("version") or "", ""),
    }
    urls = ((place.get("pdf_url"), True), (place.get("landing_page_url"), False))
    return [_location(url, is_pdf, **said) for one, is_pdf in urls if (url := plain_text(one))]


def _location(url: str, is_pdf: bool, **said: str) -> PaperLocation:
    return PaperLocation(url=url, kind=PDF if is_pdf else HTML, said_by=SERVICE, **said)
