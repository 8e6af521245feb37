"""Asks the scholarly services that a scope names for papers, as candidates of a research run."""

from collections.abc import Sequence
from dataclasses import replace

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.crawl import (
    FoundPaper,
    PaperSearchRequest,
    PaperSearchResponse,
)
from scops.common.contract.messages.types import Scope
from scops.common.observe.log import get_logger
from scops.common.scope.contexts import access_contexts
from scops.common.scope.rules import in_scope
from scops.common.scope.urls import canonical_url, page_url
from scops.fetcher import metrics
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.libraries.papers.packing import packed
from scops.libraries.papers.paper import Paper
from scops.libraries.papers.places import best_places
from scops.libraries.papers.record_page import record_uris

QUERY_CHARACTERS_MAX, LIMIT_MAX = 200, 50
ABSTRACT_CHARACTERS_MAX, TITLE_CHARACTERS_MAX = 1000, 500
PLACES_MAX = 3
# Of an answer: a message of the bus holds 512 KiB.
BYTES_MAX = 400 * 1024

log = get_logger("fetcher.finding")


async def paper_search(request: PaperSearchRequest, ports: FetcherPorts) -> PaperSearchResponse:
    """Returns papers that everybody may read, best first.

    Left out are those that a service says are retracted, notices of retractions, and those without
    an id or a place.

    Raises:
        InvalidInput: words or limit cannot be used.
        NotYetKnown: the scope's revision has not arrived.
        TransientError: services take longer; what they say is held for the next question.
    """
    _check(request)
    scope = ports.scopes.get(request.scope)
    if not scope.paper_services:
        return PaperSearchResponse()
    found = await ports.papers.found(
        request.query, services=scope.paper_services, limit=request.limit
    )
    faults = tuple(f"{name}: {why}" for name, why in sorted(found.faults.items()))
    metrics.PAPER_SEARCHES.labels(outcome="failed" if faults else "searched").inc()
    for fault in faults:
        log.info("paper_service_failed", detail=fault)
    papers = [one for one in found.papers if not one.retracted and not one.is_notice]
    told = [one for paper in papers if (one := _told(paper)) is not None]
    return PaperSearchResponse(papers=await _with_known(told, scope, ports), faults=faults)


def _check(request: PaperSearchRequest) -> None:
    if not request.query.strip() or len(request.query) > QUERY_CHARACTERS_MAX:
        raise InvalidInput(
            f"paper_search asks by {len(request.query)} characters; it takes from 1 to "
            f"{QUERY_CHARACTERS_MAX}.",
            reason="QUERY_OUT_OF_RANGE",
        )
    if not 1 <= request.limit <= LIMIT_MAX:
        raise InvalidInput(
            f"paper_search asks for {request.limit} papers; it tells from 1 to {LIMIT_MAX}.",
            reason="LIMIT_OUT_OF_RANGE",
        )


def _told(paper: Paper) -> FoundPaper | None:
    """Returns a paper as it is told; None where it has no id or place, or too much."""
    urls = list(dict.fromkeys(filter(None, map(_canonical, _places(paper)))))
    if paper.name is None or not urls:
        return None
    try:
        record_url, whole = page_url(record_uris(paper)[0]), packed(paper)
    except (InvalidInput, ValueError) as error:
        log.info("paper_left_out", paper=str(paper.name), error=str(error))
        return None
    return FoundPaper(
        title=paper.fact("title")[:TITLE_CHARACTERS_MAX],
        abstract=paper.fact("abstract")[:ABSTRACT_CHARACTERS_MAX],
        record_url=record_url,
        urls=tuple(urls[:PLACES_MAX]),
        paper=whole,
    )


def _places(paper: Paper) -> list[str]:
    return [place.url for place in best_places(paper.locations)]


def _canonical(url: str) -> str:
    """Returns a URL in its normal form; empty for what is none."""
    try:
        return canonical_url(url)
    except InvalidInput:
        return ""


async def _with_known(
    papers: Sequence[FoundPaper], scope: Scope, ports: FetcherPorts
) -> tuple[FoundPaper, ...]:
    """Returns as many papers as a message holds, with which of them are here."""
    urls = [url for paper in papers for url in paper.urls if in_scope(scope, url)]
    here = await ports.page_links.standing(urls, contexts=sorted(access_contexts(scope)))
    kept, room = [], BYTES_MAX
    for paper in papers:
        taken = len(paper.paper) + sum(map(len, (paper.title, paper.abstract, *paper.urls))) * 2
        if taken > room:
            # One that is shorter may have room.
            continue
        room -= taken
        kept.append(replace(paper, known=any(url in here for url in paper.urls)))
    return tuple(kept)
