"""Where pages of a scope lead to, on SQLite in memory, on a file and on PostgreSQL."""

from collections.abc import AsyncIterator

import pytest

from scops.common.contract.errors import InvalidInput, NotYetKnown
from scops.common.contract.messages.content import Link
from scops.common.contract.messages.crawl import PageLinksRequest, ScopeLink
from scops.common.contract.messages.types import ScopeRef
from scops.common.db.address import Address
from scops.fetcher.linking import FURTHER_MAX, LINKS_MAX, PAGES_MAX, page_links
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import SCOPE, FetcherWorld, scope

ROOT, KNOWN, FRESH = "https://a.test/", "https://a.test/known", "https://a.test/new"
ELSEWHERE, KEPT_OUT = "https://b.test/", "https://a.test/private/x"


@pytest.fixture
async def world(address: str | Address) -> AsyncIterator[FetcherWorld]:
    """A page that links to one that is known, one that is not, and some that no crawl follows."""
    async with FetcherWorld.opened(address) as opened:
        for url in (ROOT, KNOWN):
            opened.source.serve(url, page_answer(url))
        opened.scopes.apply(scope("a.test", "!a.test/private", seeds=[ROOT]))
        opened.links[ROOT] = (KNOWN, f"{FRESH}#part", FRESH, ELSEWHERE, KEPT_OUT, "mailto:a@b.c")
        await opened.crawl(page_limit=2)
        await opened.run()
        yield opened


async def links_of(world: FetcherWorld, *urls: str) -> dict[str, dict[str, ScopeLink]]:
    answer = await page_links(PageLinksRequest(scope=SCOPE, urls=urls), world.ports)
    return {page.url: {link.url: link for link in page.links} for page in answer.pages}


async def test_links_that_a_crawl_would_follow_are_told(world: FetcherWorld) -> None:
    """Each URL once, and whether its page stands; what is not known has none."""
    found = await links_of(world, ROOT, KNOWN, FRESH)

    assert {ROOT, KNOWN} == set(found)
    assert {KNOWN: True, FRESH: False} == {url: link.known for url, link in found[ROOT].items()}
    assert {} == found[KNOWN]


async def test_a_page_without_a_list_is_left_out(world: FetcherWorld) -> None:
    """Nobody knows where it leads."""
    assert {} == await links_of(world, FRESH, ELSEWHERE)


async def test_an_answer_fits_a_message(world: FetcherWorld) -> None:
    """The links behind are left out."""
    many = "https://a.test/many"
    world.source.serve(many, page_answer(many))
    world.links[many] = tuple(f"https://a.test/{number}" for number in range(LINKS_MAX + 5))
    await world.fetch(many, job_id="other")
    await world.run()

    assert LINKS_MAX == len((await links_of(world, many))[many])


async def test_what_cannot_be_asked_is_told(world: FetcherWorld) -> None:
    """Too many pages, and a revision that has not come."""
    with pytest.raises(InvalidInput):
        await links_of(world, *(f"https://a.test/{number}" for number in range(PAGES_MAX + 1)))
    later = PageLinksRequest(scope=ScopeRef(scope_id=SCOPE.scope_id, revision=9), urls=(ROOT,))
    with pytest.raises(NotYetKnown):
        await page_links(later, world.ports)


async def test_what_several_links_say_of_a_page_is_told(world: FetcherWorld) -> None:
    """The first names it; the others are told with it, each once, as many as there is room for."""
    index = "https://a.test/index"
    texts = ("", "Owl", "Owl", "Eagle owl", *(f"Owl number {number}" for number in range(20)))
    world.source.serve(index, page_answer(index))
    world.links[index] = tuple(Link(url=FRESH, anchor_text=text) for text in texts)
    await world.fetch(index, job_id="other")
    await world.run()

    link = (await links_of(world, index))[index][FRESH]
    assert "Owl" == link.anchor_text
    assert ("Eagle owl", "Owl number 0") == link.further_texts[:2]
    assert FURTHER_MAX == len(link.further_texts)
