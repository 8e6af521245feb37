"""Papers as candidates of a research run, where its scope names scholarly services.

They are searched by the keyphrases of the question, then by ever fewer of them. A paper is weighed
as a link whose text is its title; it is let into the scope alone, and has a page of its record.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from scops.common.access.permissions import Permission
from scops.common.access.visibility import may
from scops.common.contract.errors import (
    Conflict,
    InvalidInput,
    NotPermitted,
    ResourceExhausted,
    TransientError,
)
from scops.common.contract.messages.crawl import (
    FoundPaper,
    PagePlanRequest,
    PaperSearchRequest,
    ScopeLink,
)
from scops.common.contract.messages.retrieval import EmbedRequest
from scops.common.contract.messages.types import Scope
from scops.common.observe.log import get_logger
from scops.common.query.ports import EMBED, PAGE_PLAN, PAPER_SEARCH
from scops.common.scope.contexts import access_contexts
from scops.common.scope.rules import excluding_rule, in_scope
from scops.common.scope.urls import page_url
from scops.common.text.terms import content_terms
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.handlers.scopes import add_pages
from scops.gateway.handlers.transfers.capturing import put_page_capture
from scops.gateway.ports import GatewayPorts
from scops.gateway.research.research import KNOWN, Research, ResearchPage
from scops.gateway.scopes.stored_scope import ref_of
from scops.libraries.papers.packing import unpacked
from scops.libraries.papers.record import PaperLocation
from scops.libraries.papers.record_page import COLLECTION, MEDIA_TYPE, record_html, record_uris

if TYPE_CHECKING:
    from scops.libraries.embedder.port import FloatArray

# Of the question, that services are searched by; then half of them, then one.
KEYPHRASES, QUERY_CHARACTERS_MAX = 4, 200
# Papers of a search.
PAPERS_MAX = 20
# A run asks in vain so often for what takes long.
FAILURES_MAX = 5
TAKEN = frozenset({"indexed", "unchanged", "joined", KNOWN})
STANDING = frozenset({"fetched", "unmodified"})
RECORDS = f"file://{COLLECTION}/"
REASON, NOT_LET_IN = "papers", "not_let_in"
# Services place well what they find: half of the way to what is sure.
SEARCHED_MAX = 0.5
SECONDS = timedelta(seconds=25)

log = get_logger("gateway")


@dataclass(slots=True)
class PaperCandidates:
    """What is known of papers while a gateway works on a run.

    Attributes:
        searches: words that services are searched by, in their order; None before they are chosen.
        asked: how many of these were searched by.
        late: why the last one was not answered; None where it was.
        found: papers by the URL of their record, best first.
    """

    searches: tuple[str, ...] | None = None
    asked: int = 0
    failures: int = 0
    late: TransientError | None = None
    found: dict[str, FoundPaper] = field(default_factory=dict)


class AskedEmbedder:
    """The embedder of the retriever, as keyphrases need one."""

    def __init__(self, ports: GatewayPorts, call: Call) -> None:
        self._ports, self._call = ports, call

    async def embed(self, texts: Sequence[str]) -> "FloatArray":
        """Returns unit vectors of texts, of shape (texts, dimensions)."""
        import numpy as np

        answer = await ask(self._ports, EMBED, EmbedRequest(texts=tuple(texts)), call=self._call)
        return np.frombuffer(answer.vectors, dtype="<f4").reshape(len(texts), answer.dimensions)


async def search_papers(
    ports: GatewayPorts, run: Research, call: Call, *, scope: Scope, papers: PaperCandidates
) -> None:
    """Searches by fewer and fewer keyphrases until a paper may be fetched; takes what is found."""
    while not any(_open_papers(ports, run, scope, papers, ())):
        if not await _search(ports, run, call, scope=scope, papers=papers):
            return


def paper_links(
    ports: GatewayPorts,
    run: Research,
    call: Call,
    *,
    scope: Scope,
    papers: PaperCandidates,
    vain: Collection[str],
) -> Iterator[tuple[ScopeLink, str, float]]:
    """Yields of each paper the link to its next place, its record, and how well it fits.

    Args:
        vain: URLs that brought no page lately.
    """
    may_add = may(call.principal, Permission.ADD_PAGES, scope)
    asked = content_terms(run.question)
    for paper, url in _open_papers(ports, run, scope, papers, vain):
        if not may_add and not in_scope(scope, url):
            continue
        said = content_terms(f"{paper.title} {paper.abstract}")
        share = len(asked & said) / max(len(asked), 1)
        link = ScopeLink(url=url, anchor_text=paper.title, context=paper.abstract)
        yield link, paper.record_url, SEARCHED_MAX * share


async def let_in(ports: GatewayPorts, run: Research, call: Call) -> Research:
    """Lets the papers that are fetched next into the scope, each as a page alone.

    Returns:
        The run; what may not be let in is blocked in it.
    """
    scope = (await scope_for(ports, call, run.scope_id, Permission.REVALIDATE)).scope
    urls = [
        page.url
        for page in run.pages
        if not page.outcome and is_paper(page) and not in_scope(scope, page.url)
    ]
    if not urls:
        return run
    try:
        await add_pages(ports, call, scope_id=run.scope_id, uris=urls, reason=REASON)
    except (InvalidInput, NotPermitted) as error:
        log.info("papers_not_let_in", research_id=run.research_id, error=error.message)
        pages = (
            replace(one, outcome="blocked", reason=NOT_LET_IN) if one.url in urls else one
            for one in run.pages
        )
        return replace(run, pages=tuple(pages))
    return run


async def record_papers(
    ports: GatewayPorts,
    before: Research,
    run: Research,
    call: Call,
    papers: PaperCandidates,
) -> None:
    """Stores the records of papers of which a run has just read a text, or knows no further place.

    Args:
        before: the run before the outcomes of its pages were known.
    """
    ended = [
        (asked.url, page)
        for asked, page in zip(before.pages, run.pages, strict=True)
        if is_paper(page) and not asked.outcome and page.outcome
    ]
    if not ended:
        return
    scope = (await scope_for(ports, call, run.scope_id, Permission.REVALIDATE)).scope
    while any(page.found_on not in papers.found for _, page in ended):
        # Another gateway has found them.
        if not await _search(ports, run, call, scope=scope, papers=papers):
            break
    for url, page in ended:
        paper = papers.found.get(page.found_on)
        is_read = page.outcome in TAKEN
        if paper is not None and (is_read or _next_place(run, paper, ()) is None):
            await _record(ports, call, scope, paper, url if is_read else "")


def is_paper(page: ResearchPage) -> bool:
    """Returns whether a page of a run was found by a scholarly service."""
    return page.found_on.startswith(RECORDS)


async def _search(
    ports: GatewayPorts, run: Research, call: Call, *, scope: Scope, papers: PaperCandidates
) -> bool:
    """Searches by the next words; returns whether there were some, and an answer."""
    papers.late = None
    if not scope.paper_services or papers.failures >= FAILURES_MAX:
        return False
    soon = replace(call, deadline=min(call.deadline, ports.clock.now() + SECONDS))
    try:
        if papers.searches is None:
            papers.searches = await _searches(ports, soon, run.question)
        if papers.asked == len(papers.searches):
            return False
        request = PaperSearchRequest(
            scope=ref_of(scope), query=papers.searches[papers.asked], limit=PAPERS_MAX
        )
        answer = await ask(ports, PAPER_SEARCH, request, call=soon)
    except TransientError as error:
        papers.failures += 1
        papers.late = error
        return False
    papers.asked += 1
    papers.found = {one.record_url: one for one in answer.papers} | papers.found
    return True


async def _searches(ports: GatewayPorts, call: Call, question: str) -> tuple[str, ...]:
    """Returns what services are searched by: ever fewer keyphrases of the question."""
    # Imported here: few gateways choose keyphrases, and what they take is much.
    from scops.libraries.keyphrases.choosing import keyphrases

    chosen = await keyphrases(question, AskedEmbedder(ports, call), limit=KEYPHRASES)
    found = [one.text for one in chosen]
    searches, count = [], len(found)
    while count:
        searches.append(" ".join(found[:count])[:QUERY_CHARACTERS_MAX])
        count //= 2
    return tuple(searches)


def _open_papers(
    ports: GatewayPorts,
    run: Research,
    scope: Scope,
    papers: PaperCandidates,
    vain: Collection[str],
) -> Iterator[tuple[FoundPaper, str]]:
    """Yields papers whose text is not here, with the place where it is asked for next."""
    for paper in papers.found.values():
        url = None if paper.known else _next_place(run, paper, vain)
        if url is None or excluding_rule(scope.rules, url) is not None:
            continue
        if ports.hosts.refusal(url) is None:
            yield paper, url


def _next_place(run: Research, paper: FoundPaper, vain: Collection[str]) -> str | None:
    """Returns where a paper is asked for next; None where it was read, or no place is left."""
    tried = [page for page in run.pages if page.found_on == paper.record_url]
    if any(page.outcome in TAKEN or not page.outcome for page in tried):
        return None
    own = {page.url for page in run.pages}
    return next((url for url in paper.urls if url not in own and url not in vain), None)


async def _record(
    ports: GatewayPorts, call: Call, scope: Scope, found: FoundPaper, url: str
) -> None:
    """Stores what services say of a paper as a page of the scope, where the caller may."""
    try:
        paper = unpacked(found.paper)
        uris = [page_url(one) for one in record_uris(paper)]
        await put_page_capture(
            ports,
            call,
            scope_id=scope.scope_id,
            uri=await _record_uri(ports, call, scope, uris),
            captured_time=None,
            content=record_html(paper, _location(paper.locations, url)),
            charset="utf-8",
            media_type=MEDIA_TYPE,
            last_modified_time=None,
            gone=False,
        )
    except (InvalidInput, NotPermitted, Conflict, ResourceExhausted, ValueError) as error:
        log.info("paper_not_recorded", uri=found.record_url, error=str(error))


def _location(places: Sequence[PaperLocation], url: str) -> PaperLocation | None:
    """Returns the place of a canonical URL; None for none."""
    if not url:
        return None
    return next((place for place in places if _canonical(place.url) == url), None)


def _canonical(url: str) -> str:
    """Returns a URL in its normal form; empty for what is none."""
    try:
        return page_url(url)
    except InvalidInput:
        return ""


async def _record_uri(ports: GatewayPorts, call: Call, scope: Scope, uris: Sequence[str]) -> str:
    """Returns the URL under which a paper is on record by any of its ids, else the first."""
    contexts = tuple(sorted(access_contexts(scope)))
    for uri in uris:
        request = PagePlanRequest(url=uri, access_contexts=contexts)
        known = (await ask(ports, PAGE_PLAN, request, call=call)).page
        if known is not None and known.status in STANDING:
            return uri
    return uris[0]
