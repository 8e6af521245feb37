"""Hubs that listings name, by headers and in themselves (WebSub, section 4)."""

import time
from dataclasses import replace

import pytest

from scops.common.archive.ports import Exchange
from scops.fetcher.discovery.hubs import NamedHub, named_hub
from scops.fetcher.discovery.listing import Listing
from scops.fetcher.ports.page_source import Fetched
from tests.fakes.listings import InlineListings
from tests.fakes.page_source import page_answer

FEED, HUB = "https://a.test/feed.xml", "https://hub.test/"
ATOM = 'xmlns="http://www.w3.org/2005/Atom"'
IN_ATOM = (
    f'<feed {ATOM}><link rel="hub" href="{HUB}"/><link rel="self" href="/feed.xml"/>{{}}</feed>'
)
IN_RSS = (
    f'<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://a.test/</link>'
    f'<atom:link rel="hub" href="{HUB}"/><atom:link rel="self" href="{FEED}"/>{{}}</channel></rss>'
)


def fetched(body: str = "", *links: str) -> Fetched:
    sent = Exchange(
        url=FEED,
        request_line="",
        request_headers=(),
        status_line="",
        response_headers=tuple(("link", link) for link in links),
    )
    return replace(page_answer(body), final_url=FEED, exchange=sent)


@pytest.mark.parametrize("body", [IN_ATOM, IN_RSS])
@pytest.mark.parametrize("entry", ["", "<entry><link href='/p'/></entry>"])
async def test_a_feed_names_its_hub_in_itself(body: str, entry: str) -> None:
    """Atom in the feed, RSS in the channel."""
    answer = fetched(body.format(entry))
    listing = await InlineListings().read(answer)

    assert NamedHub(hub_url=HUB, topic_url=FEED) == named_hub(answer, listing)


async def test_links_of_an_entry_are_none_of_the_feed() -> None:
    """Whoever may write an entry does not choose the hub."""
    entry = f'<entry><link rel="hub" href="{HUB}"/><link rel="self" href="{FEED}"/></entry>'
    answer = fetched(f"<feed {ATOM}>{entry}</feed>")

    assert named_hub(answer, await InlineListings().read(answer)) is None


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ((f"<{HUB}>; rel=hub",), (HUB, FEED)),
        ((f'<{HUB}>; rel="hub", <{FEED}?v=2>; rel="self"',), (HUB, f"{FEED}?v=2")),
        (
            (f'<{HUB}>; title="a, <b>; rel=no"; rel="next hub"', "</x>; REL=self"),
            (HUB, "https://a.test/x"),
        ),
        (("<ftp://hub.test/>; rel=hub", f"<{HUB}>; rel=hub"), (HUB, FEED)),
        ((f"<{HUB}>; rel=next", "<>; rel", "rel=hub", f"{HUB}; rel=hub"), None),
    ],
)
def test_headers_name_hubs(links: tuple[str, ...], expected: tuple[str, str] | None) -> None:
    """As RFC 8288 writes them; of several hubs the first that can be asked."""
    found = named_hub(fetched("", *links), Listing())

    assert expected == (None if found is None else (found.hub_url, found.topic_url))


@pytest.mark.parametrize("junk", ["<a>" * 9000, "<a>;" * 9000, "<a>; b " * 9000, '<a>; b="' * 9000])
def test_headers_of_strangers_cost_no_time(junk: str) -> None:
    """Whatever they hold."""
    began = time.process_time()
    named_hub(fetched("", *[junk] * 20), Listing())

    assert time.process_time() - began < 1
