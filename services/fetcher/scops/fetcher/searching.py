"""Asks a site's own search which pages of a scope a question is about.

Pages of documentation tell by their scripts of the index that their search reads. It names every
page of the site, whatever links to it. Where no page names one, the site's llms.txt says which
pages it recommends, and what they are about.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scops.common.contract.errors import InvalidInput, PermanentError
from scops.common.contract.long_messages import decode_in_turns
from scops.common.contract.messages.content import LinkList
from scops.common.contract.messages.crawl import (
    SearchedPage,
    SiteSearchRequest,
    SiteSearchResponse,
)
from scops.common.contract.messages.types import Scope
from scops.common.observe.log import get_logger
from scops.common.scope.contexts import access_contexts, is_credential_context
from scops.common.scope.rules import in_scope
from scops.fetcher.discovery.links import followed_url
from scops.fetcher.discovery.llms_txt import is_llms_txt, llms_txt_url
from scops.fetcher.discovery.search_index import SearchHit
from scops.fetcher.fetch.index_file import FAILED, SearchIndexFile, give_up, index_file
from scops.fetcher.metrics import SITE_SEARCHES
from scops.fetcher.ports.fetcher import FetcherPorts

URLS_MAX, QUERY_CHARACTERS_MAX, LIMIT_MAX = 20, 1000, 100
UNREADABLE = "unreadable"

log = get_logger("fetcher.searching")


@dataclass(frozen=True, slots=True)
class _Named:
    """An index, the page that names it, and URLs of the site as pages write them."""

    index_url: str
    page_url: str
    seen: Sequence[str]


async def site_search(request: SiteSearchRequest, ports: FetcherPorts) -> SiteSearchResponse:
    """Returns the pages of a scope that the site's own search finds, best first.

    The first page that names an index decides; where none does, the llms.txt of their host, which
    is told of where it names pages of the scope. It says what they are about and has not searched
    them, so they have a score of 0. Both are asked for without a credential, so pages that were
    fetched with one name none.

    Raises:
        InvalidInput: too many pages are named, or question or limit cannot be used.
        NotYetKnown: the scope's revision has not arrived.
        TransientError: the site's host is asked by somebody else, or nobody can read the index now.
    """
    _check(request)
    scope = ports.scopes.get(request.scope)
    named = await _named(request.urls, scope, ports)
    if named is None:
        return SiteSearchResponse()
    file = await index_file(named.index_url, ports)
    hits: Sequence[SearchHit] = ()
    if file.body is not None:
        file, hits = await _searched(file, file.body, named, request.query, ports)
    pages = await _inside(hits, scope, ports, limit=request.limit)
    if is_llms_txt(named.index_url):
        if not pages:
            return SiteSearchResponse()
        pages = tuple(replace(page, score=0.0) for page in pages)
    if not file.outcome:
        return SiteSearchResponse()
    SITE_SEARCHES.labels(outcome=file.outcome).inc()
    return SiteSearchResponse(
        outcome=file.outcome,
        reason=file.reason,
        index_url=named.index_url,
        named_by=named.page_url,
        requested=file.requested,
        pages=pages,
    )


def _check(request: SiteSearchRequest) -> None:
    if len(request.urls) > URLS_MAX:
        raise InvalidInput(
            f"site_search names {len(request.urls)} pages; it may name {URLS_MAX}.",
            reason="TOO_MANY_PAGES",
        )
    if not request.query.strip() or len(request.query) > QUERY_CHARACTERS_MAX:
        raise InvalidInput(
            f"site_search asks by {len(request.query)} characters; it takes from 1 to "
            f"{QUERY_CHARACTERS_MAX}.",
            reason="QUERY_OUT_OF_RANGE",
        )
    if not 1 <= request.limit <= LIMIT_MAX:
        raise InvalidInput(
            f"site_search asks for {request.limit} pages; it tells from 1 to {LIMIT_MAX}.",
            reason="LIMIT_OUT_OF_RANGE",
        )


async def _named(urls: Sequence[str], scope: Scope, ports: FetcherPorts) -> _Named | None:
    """Returns the index that the first of some pages names that names one.

    Else the llms.txt of the first that is known; None where none of them is.
    """
    contexts = sorted(one for one in access_contexts(scope) if not is_credential_context(one))
    lists = await ports.page_links.link_lists(urls, contexts=contexts)
    seen = dict.fromkeys(urls)
    for url in urls:
        if url not in lists:
            continue
        links = await decode_in_turns(LinkList, await ports.archive.get(lists[url]), "links")
        seen |= dict.fromkeys(link.url for link in links.links)
        if links.search_index_urls:
            return _Named(links.search_index_urls[0], url, tuple(seen))
    known = next((url for url in urls if url in lists), None)
    if known is None or not ports.settings.llms_txt:
        return None
    return _Named(llms_txt_url(known), known, ())


async def _searched(
    file: SearchIndexFile, body: bytes, named: _Named, question: str, ports: FetcherPorts
) -> tuple[SearchIndexFile, Sequence[SearchHit]]:
    """Returns what an index finds; one that cannot be read is not asked for again soon."""
    try:
        hits = await ports.index_searcher.search(
            body, url=named.index_url, question=question, seen=named.seen
        )
    except (InvalidInput, PermanentError) as error:
        log.info("search_index_rejected", url=named.index_url, detail=error.message)
        await give_up(named.index_url, ports)
        failed = SearchIndexFile(outcome=FAILED, reason=UNREADABLE, requested=file.requested)
        return failed, ()
    return file, hits


async def _inside(
    hits: Sequence[SearchHit], scope: Scope, ports: FetcherPorts, *, limit: int
) -> tuple[SearchedPage, ...]:
    """Returns the hits that a crawl of the scope would follow, each URL once."""
    found: dict[str, SearchHit] = {}
    for hit in hits:
        url = followed_url(hit.url)
        if url and len(found) < limit and in_scope(scope, url):
            found.setdefault(url, hit)
    contexts = sorted(access_contexts(scope))
    standing = await ports.page_links.standing(list(found), contexts=contexts)
    return tuple(
        SearchedPage(url=url, title=hit.title, score=hit.score, known=url in standing)
        for url, hit in found.items()
    )
