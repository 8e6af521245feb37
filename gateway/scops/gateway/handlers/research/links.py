"""Where a research run may go next: links of what it has seen, by what they are expected to bring.

Links of the pages whose passages are nearest come first, then those of what was fetched last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from scops.common.access.permissions import Permission
from scops.common.contract.messages.content import LinkPosition
from scops.common.contract.messages.crawl import (
    LinkedPage,
    PageLinksRequest,
    PagePlanRequest,
    ScopeLink,
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
from scops.gateway.handlers.scope_access import scope_for
from scops.gateway.ports import GatewayPorts
from scops.gateway.research.research import KNOWN, Research, ResearchPage
from scops.gateway.scopes.stored_scope import ref_of

# Pages whose links are asked for at once, and links that are weighed.
PAGES_MAX, LINKS_MAX = 12, 1500
# What a page is worth as the place of a link that no passage was found on.
PARENT_UNKNOWN = 0.2
STANDING = frozenset({"fetched", "unmodified"})
# As long as a URL that brought no page is not tried again.
REMEMBERED = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class SeenLink:
    """A link with the page that it stands on."""

    link: ScopeLink
    found_on: str


@dataclass(slots=True)
class KnownLinks:
    """Links of pages that were asked for before, by the URL of the page."""

    by_page: dict[str, tuple[ScopeLink, ...]] = field(default_factory=dict)


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
    """Returns the links that may be followed, those first that are expected to bring most."""
    scope = await _scope(ports, run, call)
    parents = _parents(run, found, scope)
    await _ask_for_links(ports, call, scope, parents, links)
    candidates = await _candidates(ports, run, parents, links)
    if not candidates:
        return []
    missing = found.coverage.missing_words if found.coverage is not None else ()
    request = RankLinksRequest(
        query=run.question,
        missing_words=missing,
        links=tuple(_seen(one, parents) for one in candidates),
    )
    gains = (await ask(ports, RANK_LINKS, request, call=call)).links
    pairs = list(zip(candidates, gains, strict=True))
    return sorted(pairs, key=lambda pair: -pair[1].gain)


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


def _parents(run: Research, found: AnswerResponse, scope: Scope) -> dict[str, float]:
    """Returns the pages whose links are weighed, with what each is worth, the best first."""
    parents: dict[str, float] = {}
    for place, passage in enumerate(found.evidence):
        worth = passage.relevance
        parents.setdefault(
            passage.canonical_url, 1.0 / (1 + place) if worth is None else max(worth, 0.0)
        )
    for page in reversed(run.pages):
        parents.setdefault(page.url, PARENT_UNKNOWN)
    if not run.start_url:
        for seed in scope.seeds:
            parents.setdefault(seed, PARENT_UNKNOWN)
    kept = list(parents)[:PAGES_MAX]
    if run.pages and run.pages[0].url not in kept:
        kept[-1] = run.pages[0].url
    return {url: parents[url] for url in kept}


async def _ask_for_links(
    ports: GatewayPorts, call: Call, scope: Scope, parents: dict[str, float], links: KnownLinks
) -> None:
    unknown = tuple(url for url in parents if url not in links.by_page)
    if not unknown:
        return
    request = PageLinksRequest(scope=ref_of(scope), urls=unknown)
    pages: Sequence[LinkedPage] = (await ask(ports, PAGE_LINKS, request, call=call)).pages
    links.by_page |= {page.url: page.links for page in pages}


async def _candidates(
    ports: GatewayPorts, run: Research, parents: dict[str, float], links: KnownLinks
) -> list[SeenLink]:
    """Returns links to pages that nobody has fetched yet, each URL once, where it says most."""
    since = ports.clock.now() - REMEMBERED
    passed = {page.url for page in run.pages}
    passed |= set(await ports.research.fruitless(run.scope_id, since=since))
    best: dict[str, SeenLink] = {}
    # What was seen before and passed by may be the best of what is left.
    for parent in dict.fromkeys((*parents, *links.by_page)):
        for link in links.by_page.get(parent, ()):
            if link.known or link.url in passed or ports.hosts.refusal(link.url) is not None:
                continue
            known = best.get(link.url)
            if known is None or len(link.context) > len(known.link.context):
                best[link.url] = SeenLink(link, parent)
    return list(best.values())[:LINKS_MAX]


def _seen(found: SeenLink, parents: dict[str, float]) -> LinkSeen:
    link = found.link
    return LinkSeen(
        url=link.url,
        anchor_text=link.anchor_text,
        context=link.context,
        heading=link.heading,
        in_text=link.position is LinkPosition.BODY,
        parent=parents.get(found.found_on, PARENT_UNKNOWN),
    )


async def _scope(ports: GatewayPorts, run: Research, call: Call) -> Scope:
    return (await scope_for(ports, call, run.scope_id, Permission.REVALIDATE)).scope
