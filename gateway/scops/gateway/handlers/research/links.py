"""Where a research run may go next: links of what it has seen, by what they are expected to bring.

Links of the pages whose passages are nearest come first, then those of what was fetched last.
Pages that the site's own search finds and papers are weighed with them, a title in the place of a
link's text.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice

from scops.common.access.permissions import Permission
from scops.common.contract.messages.crawl import (
    PageLinksRequest,
    PagePlanRequest,
    ScopeLink,
    SearchedPage,
)
from scops.common.contract.messages.explanation import (
    AnswerResponse,
    LinkGain,
    LinkSeen,
    RankLinksRequest,
)
from scops.common.contract.messages.types import Scope
from scops.common.query.ports import PAGE_LINKS, PAGE_PLAN, RANK_LINKS
from scops.common.scope.contexts import access_contexts
from scops.gateway.calls import Call
from scops.gateway.handlers.questions import ask
from scops.gateway.handlers.research.papers import (
    PaperCandidates,
    paper_links,
    search_papers,
)
from scops.gateway.handlers.research.site_search import SiteSearch, search_site
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.ports import GatewayPorts
from scops.gateway.research.promises import is_promise
from scops.gateway.research.research import (
    KNOWN,
    PASSED_MAX,
    PassedPage,
    Research,
    ResearchPage,
)
from scops.gateway.research.variety import chosen_of
from scops.gateway.scopes.stored_scope import ref_of

# Pages whose links are asked for in a step, and links that are weighed.
PAGES_MAX, LINKS_MAX = 12, 3000
# Of what links to one page say, and of all that are weighed: they are one message of the bus.
FURTHER_CHARACTERS_MAX, CHARACTERS_MAX = 240, 600_000
STANDING = frozenset({"fetched", "unmodified"})
# As long as a URL that brought no page is not tried again.
REMEMBERED = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class SeenLink:
    """A page as links tell of it, or the index whose search found it.

    Attributes:
        found_on: URL of the page that its first link stands on, or of the index.
        further_texts: what links of other pages say of it.
        searched: how well the site's own search finds it, in [0, 1); 0 where it does not.
    """

    link: ScopeLink
    found_on: str
    further_texts: tuple[str, ...] = ()
    searched: float = 0.0


@dataclass(slots=True)
class KnownLinks:
    """Links of pages that were asked for before, by the URL of the page; and of a search.

    Attributes:
        passed: pages that they lead to and that are not tried again, by URL.
    """

    by_page: dict[str, tuple[ScopeLink, ...]] = field(default_factory=dict)
    passed: dict[str, PassedPage] = field(default_factory=dict)
    search: SiteSearch = field(default_factory=SiteSearch)
    papers: PaperCandidates = field(default_factory=PaperCandidates)


async def with_start(ports: GatewayPorts, run: Research, call: Call) -> Research:
    """Returns a run that begins with its URL; where the index holds that, nothing is fetched."""
    scope = await _scope(ports, run, call)
    request = PagePlanRequest(
        url=run.start_url, access_contexts=tuple(sorted(access_contexts(scope)))
    )
    known = (await ask(ports, PAGE_PLAN, request, call=call)).page
    start = ResearchPage(url=run.start_url)
    if known is not None and known.status in STANDING:
        start = replace(start, outcome=KNOWN, page_id=known.page_id)
    return replace(run, pages=(start,))


async def ranked_links(
    ports: GatewayPorts, run: Research, call: Call, found: AnswerResponse, links: KnownLinks
) -> list[tuple[SeenLink, LinkGain]]:
    """Returns the links that may be followed, in the order in which they are (`variety`)."""
    scope = await _scope(ports, run, call)
    parents = _parents(run, found, scope)
    await _ask_for_links(ports, call, scope, parents, links)
    await search_site(ports, run, call, scope=scope, urls=tuple(links.by_page), search=links.search)
    await search_papers(ports, run, call, scope=scope, papers=links.papers)
    candidates = await _candidates(ports, run, call, scope, parents, links)
    if not candidates:
        if links.papers.late is not None:
            # Services are still answering, and there is nothing else to do meanwhile.
            raise links.papers.late
        return []
    missing = found.coverage.missing_words if found.coverage is not None else ()
    request = RankLinksRequest(
        query=run.question,
        missing_words=missing,
        links=tuple(_seen(one) for one in candidates),
    )
    gains = (await ask(ports, RANK_LINKS, request, call=call)).links
    order = chosen_of(
        [one.link.url for one in candidates],
        [one.gain for one in gains],
        (page.url for page in run.pages),
    )
    return [(candidates[place], gains[place]) for place in order]


def with_passed(run: Research, links: KnownLinks) -> Research:
    """Returns a run that tells which pages are not tried again."""
    told = {page.url: page for page in run.passed} | links.passed
    return replace(run, passed=tuple(islice(told.values(), PASSED_MAX)))


async def only_promises(
    ports: GatewayPorts, run: Research, call: Call, found: AnswerResponse, links: KnownLinks
) -> bool:
    """Returns whether all that an answer quotes is what links say on the pages that it quotes."""
    if not found.citations:
        return False
    cited = list(dict.fromkeys(one.canonical_url for one in found.citations))
    await _ask_for_links(ports, call, await _scope(ports, run, call), cited, links)
    return all(
        is_promise(one.quote, _texts(links.by_page.get(one.canonical_url, ())))
        for one in found.citations
    )


def page_of(found: SeenLink, gain: LinkGain, step: int) -> ResearchPage:
    """Returns the page that a link leads to, as a run fetches it."""
    return ResearchPage(
        url=found.link.url,
        found_on=found.found_on,
        link_text=found.link.anchor_text,
        gain=gain.gain,
        meaning=gain.meaning,
        words=gain.words,
        path=gain.path,
        step=step,
    )


def _parents(run: Research, found: AnswerResponse, scope: Scope) -> list[str]:
    """Returns the pages whose links are weighed: those of the nearest passages, then the newest."""
    near = (passage.canonical_url for passage in found.evidence)
    fetched = (page.url for page in reversed(run.pages))
    return list(dict.fromkeys((*near, *fetched, *(() if run.start_url else scope.seeds))))


async def _ask_for_links(
    ports: GatewayPorts, call: Call, scope: Scope, parents: Sequence[str], links: KnownLinks
) -> None:
    """Has the links known of the best pages that were not asked for yet, each by itself.

    Together those of an index and of a table of contents are more than an answer holds.
    """
    unknown = [url for url in parents if url not in links.by_page][:PAGES_MAX]
    asked = (
        ask(ports, PAGE_LINKS, PageLinksRequest(scope=ref_of(scope), urls=(url,)), call=call)
        for url in unknown
    )
    links.by_page |= dict.fromkeys(unknown, ())
    for answer in await asyncio.gather(*asked):
        links.by_page |= {page.url: page.links for page in answer.pages}


async def _candidates(
    ports: GatewayPorts,
    run: Research,
    call: Call,
    scope: Scope,
    parents: Sequence[str],
    links: KnownLinks,
) -> list[SeenLink]:
    """Returns links to pages that nobody has fetched yet, each URL once, where it says most."""
    now, own = ports.clock.now(), {page.url for page in run.pages}
    vain = await ports.research.fruitless(run.scope_id, now=now, remembered=REMEMBERED)

    def is_open(url: str, *, known: bool) -> bool:
        if known or url in own or ports.hosts.refusal(url) is not None:
            return False
        if url in vain:
            links.passed[url] = vain[url]
        return url not in vain

    best: dict[str, SeenLink] = {}
    # What was seen before and passed by may be the best of what is left.
    for parent in dict.fromkeys((*parents, *links.by_page)):
        for link in links.by_page.get(parent, ()):
            if not is_open(link.url, known=link.known):
                continue
            known = best.get(link.url)
            best[link.url] = SeenLink(link, parent) if known is None else _joined(known, link)
    index_url = links.search.answer.index_url
    searched = [
        _searched(page, best.pop(page.url, None), index_url)
        for page in links.search.pages
        if is_open(page.url, known=page.known)
    ]
    papers = paper_links(ports, run, call, scope=scope, papers=links.papers, vain=vain)
    read = [SeenLink(link, record, searched=share) for link, record, share in papers]
    told = {one.link.url for one in read}
    others = (one for one in (*searched, *best.values()) if one.link.url not in told)
    return _within((*read, *others))


def _texts(links: Iterable[ScopeLink]) -> list[str]:
    """Returns what links say."""
    return [text for link in links for text in (link.anchor_text, *link.further_texts)]


def _searched(page: SearchedPage, link: SeenLink | None, index_url: str) -> SeenLink:
    """Returns a page that the site's search finds, named by its title beside links to it."""
    titled = ScopeLink(url=page.url, anchor_text=page.title)
    link = SeenLink(titled, index_url) if link is None else _joined(link, titled)
    return replace(link, searched=page.score)


def _joined(known: SeenLink, link: ScopeLink) -> SeenLink:
    """Returns a link with what another one to the same page says."""
    said = (*known.link.further_texts, *known.further_texts)
    more = [text for text in (link.anchor_text, *link.further_texts) if text]
    for text in dict.fromkeys(more):
        fits = sum(map(len, said)) + len(text) <= FURTHER_CHARACTERS_MAX
        if fits and text != known.link.anchor_text and text not in said:
            said = (*said, text)
    named = replace(
        known.link,
        anchor_text=known.link.anchor_text or link.anchor_text,
        context=known.link.context or link.context,
        further_texts=(),
    )
    return replace(known, link=named, further_texts=said)


def _within(candidates: Iterable[SeenLink]) -> list[SeenLink]:
    """Returns the first links, as many as a message holds."""
    kept: list[SeenLink] = []
    room = CHARACTERS_MAX
    for found in islice(candidates, LINKS_MAX):
        link = found.link
        said = (link.url, link.anchor_text, link.context, *found.further_texts)
        room -= sum(map(len, (*said, *link.further_texts)))
        if room < 0:
            break
        kept.append(found)
    return kept


def _seen(found: SeenLink) -> LinkSeen:
    link = found.link
    return LinkSeen(
        url=link.url,
        anchor_text=link.anchor_text,
        context=link.context,
        further_texts=(*link.further_texts, *found.further_texts),
        searched=found.searched,
    )


async def _scope(ports: GatewayPorts, run: Research, call: Call) -> Scope:
    return (await scope_for(ports, call, run.scope_id, Permission.REVALIDATE)).scope
