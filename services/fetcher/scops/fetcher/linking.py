"""Where pages of a scope lead to: the links that a crawl of it would follow, with their words."""

from collections.abc import Sequence
from dataclasses import replace

from scops.common.contract.errors import InvalidInput
from scops.common.contract.long_messages import decode_in_turns
from scops.common.contract.messages.content import Link, LinkList
from scops.common.contract.messages.crawl import (
    LinkedPage,
    PageLinksRequest,
    PageLinksResponse,
    ScopeLink,
)
from scops.common.contract.messages.types import Scope
from scops.common.runtime.text_turns import in_turns
from scops.common.scope.contexts import access_contexts
from scops.common.scope.rules import in_scope
from scops.fetcher.discovery.links import followed_url
from scops.fetcher.ports.fetcher import FetcherPorts

PAGES_MAX = 20
# Of all pages of an answer together; it is one message of the bus.
LINKS_MAX, CHARACTERS_MAX = 1500, 300_000
CONTEXT_CHARACTERS_MAX = 200
ANCHOR_CHARACTERS_MAX = 120
# Of one page to another: an index has many, and each names the other page by a further word.
FURTHER_MAX, FURTHER_CHARACTERS_MAX = 7, 240


async def page_links(request: PageLinksRequest, ports: FetcherPorts) -> PageLinksResponse:
    """Returns of each page that is known the links that lead to pages of the scope, each URL once.

    A URL that several pages link to is told of each. What would make the answer too long is left
    out from its end.

    Raises:
        InvalidInput: too many pages are named.
        NotYetKnown: the scope's revision has not arrived.
    """
    if len(request.urls) > PAGES_MAX:
        raise InvalidInput(
            f"page_links names {len(request.urls)} pages; it may name {PAGES_MAX}.",
            reason="TOO_MANY_PAGES",
        )
    scope = ports.scopes.get(request.scope)
    lists = await ports.page_links.link_lists(request.urls, contexts=sorted(access_contexts(scope)))
    pages, room = [], _Room()
    for url in request.urls:
        if url in lists:
            data = await ports.archive.get(lists[url])
            links = await decode_in_turns(LinkList, data, "links")
            pages.append(LinkedPage(url=url, links=await _inside(links, scope, room)))
    return await _with_known(pages, scope, ports)


class _Room:
    """What an answer may still hold."""

    def __init__(self) -> None:
        self._links, self._characters = LINKS_MAX, CHARACTERS_MAX

    def holds(self, link: ScopeLink) -> bool:
        """Takes room for a link, where there is some."""
        size = sum(map(len, (link.url, link.anchor_text, link.context)))
        if not self._links or not self.holds_text(size):
            return False
        self._links -= 1
        return True

    def holds_text(self, size: int) -> bool:
        """Takes room for some characters, where there is some."""
        if size > self._characters:
            return False
        self._characters -= size
        return True


async def _inside(links: LinkList, scope: Scope, room: _Room) -> tuple[ScopeLink, ...]:
    """Returns the links of a page that a crawl of the scope would follow, each URL once."""
    found: dict[str, ScopeLink] = {}
    further: dict[str, list[str]] = {}
    if links.nofollow:
        return ()
    async for link in in_turns(links.links, _size):
        url = _followed(link)
        if not url or not in_scope(scope, url):
            continue
        text = link.anchor_text[:ANCHOR_CHARACTERS_MAX]
        known = found.get(url)
        if known is None or (text and not known.anchor_text):
            told = ScopeLink(
                url=url,
                anchor_text=text,
                context=link.context[:CONTEXT_CHARACTERS_MAX],
            )
            # What replaces another link of the same page says little more.
            if known is not None or room.holds(told):
                found[url] = told
            continue
        others = further.setdefault(url, [])
        if text and _adds(text, known, others) and room.holds_text(len(text)):
            others.append(text)
    return tuple(
        replace(link, further_texts=tuple(further.get(url, ()))) for url, link in found.items()
    )


def _adds(text: str, known: ScopeLink, others: Sequence[str]) -> bool:
    """Returns whether a link says what no other link to its page does, as long as there is room."""
    size = len(text) + sum(map(len, others))
    room = len(others) < FURTHER_MAX and size <= FURTHER_CHARACTERS_MAX
    return room and text != known.anchor_text and text not in others


def _followed(link: Link) -> str:
    return "" if "nofollow" in link.rel.lower().split() else followed_url(link.url)


def _size(link: Link) -> int:
    return len(link.url) + len(link.anchor_text) + len(link.context)


async def _with_known(
    pages: Sequence[LinkedPage], scope: Scope, ports: FetcherPorts
) -> PageLinksResponse:
    urls = [link.url for page in pages for link in page.links]
    standing = await ports.page_links.standing(urls, contexts=sorted(access_contexts(scope)))
    return PageLinksResponse(
        pages=tuple(
            replace(
                page,
                links=tuple(replace(link, known=link.url in standing) for link in page.links),
            )
            for page in pages
        )
    )
