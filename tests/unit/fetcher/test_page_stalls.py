"""No page holds up the fetcher's event loop, however many links it has and whatever they are."""

from collections.abc import Callable

import pytest

from scops.common.contract.messages.content import Link, LinkList
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.html.links import LINKS_MAX
from scops.fetcher.discovery.links import followed_urls
from tests.fakes.stalls import measured_stalls
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
# CPU time of the loop's thread in one turn; a turn aims at 20 ms.
SECONDS_MAX = 0.05
URL_CHARACTERS = 600
URLS: dict[str, Callable[[int], str]] = {
    "pages": lambda i: f"{ROOT}guide/chapter-{i}/page.html?x={i}",
    "escapes": lambda i: f"{ROOT}{'%61%2F%zz' * (URL_CHARACTERS // 9)}{i}",
    "parameters": lambda i: f"{ROOT}?{'&'.join(f'k{j}={i}' for j in range(URL_CHARACTERS // 7))}",
    "dots": lambda i: f"{ROOT}{'../a/' * (URL_CHARACTERS // 5)}{i}",
    "hosts": lambda i: f"https://h{i}.bücher.test/{'é' * URL_CHARACTERS}",
}


@pytest.mark.parametrize("kind", URLS)
async def test_links_of_a_page_are_taken_in_turns(kind: str) -> None:
    """As many as the extractor passes on, each of some length."""
    async with FetcherWorld.opened() as world:
        world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("1")))
        await world.crawl()
        await world.steps()
        fetched = await world.event(PageFetched)
        # The tables of suffixes and of trackers are read once a process.
        await followed_urls(LinkList(links=(Link(url=f"{ROOT}?a=b"),)))
        links = [URLS[kind](number) for number in range(LINKS_MAX)]
        extracted = await world.extracted(fetched, links)
        async with measured_stalls() as stalls:
            await world.take(extracted)

    assert stalls.longest < SECONDS_MAX
