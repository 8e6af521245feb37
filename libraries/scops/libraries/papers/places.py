"""Where the text of a paper is best read: legally, as published, and as a file."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from scops.libraries.papers.licences import is_free_licence
from scops.libraries.papers.record import (
    ACCEPTED,
    PDF,
    PUBLISHED,
    SUBMITTED,
    XML,
    PaperLocation,
)

# The order in which services are believed on where a text lies.
SERVICE_ORDER = (
    *("openalex", "unpaywall", "arxiv", "europe-pmc", "core", "crossref", "semantic-scholar"),
)
# JATS says what is a heading, a table or a reference, which a file shows at best.
KIND_ORDER = (XML, PDF)
VERSION_ORDER = (PUBLISHED, ACCEPTED, SUBMITTED, "")
# They pass on what is not theirs, whatever a service says of them.
NEVER = ("sci-hub", "scihub", "libgen", "z-lib", "annas-archive")
# They answer with pages for people and forbid programs.
NEVER_HOSTS = ("scholar.google.com", "www.researchgate.net", "www.academia.edu")
# They only lead elsewhere.
RESOLVERS = ("doi.org", "dx.doi.org", "hdl.handle.net")
STATUSES = ("gold", "diamond", "green", "hybrid", "bronze", "")


def best_places(locations: Sequence[PaperLocation]) -> list[PaperLocation]:
    """Returns where a text may be read, the best first, each URL once.

    Files come before pages, what was published before what was submitted, and free licences before
    none; a resolver is none, since it leads to where a scope does not reach.
    """
    legal = [one for one in locations if _is_legal(one)]
    places: dict[str, PaperLocation] = {}
    for one in sorted(legal, key=_rank):
        places.setdefault(one.url, one)
    return list(places.values())


def _is_legal(place: PaperLocation) -> bool:
    try:
        parts = urlsplit(place.url)
        host = (parts.hostname or "").lower()
    except ValueError:
        # Such as brackets around what is no address.
        return False
    if parts.scheme not in ("http", "https") or not host or host in NEVER_HOSTS:
        return False
    labels = host.split(".")
    is_never = any(label.startswith(name) for label in labels for name in NEVER)
    return not is_never and host not in RESOLVERS and place.status in STATUSES


def _rank(place: PaperLocation) -> tuple[int, ...]:
    services = place.said_by in SERVICE_ORDER and SERVICE_ORDER.index(place.said_by)
    return (
        KIND_ORDER.index(place.kind) if place.kind in KIND_ORDER else len(KIND_ORDER),
        VERSION_ORDER.index(place.version) if place.version in VERSION_ORDER else 3,
        int(not is_free_licence(place.licence)),
        STATUSES.index(place.status),
        len(SERVICE_ORDER) if services is False else services,
    )
