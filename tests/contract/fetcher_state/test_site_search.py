"""A site's own search, on SQLite in memory, on a file and on PostgreSQL."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from scops.common.contract.errors import InvalidInput, NotYetKnown, TransientError
from scops.common.contract.ids import PurgeId
from scops.common.contract.messages.crawl import (
    SearchedPage,
    SiteSearchRequest,
    SiteSearchResponse,
)
from scops.common.contract.messages.purge import PurgePages, PurgeSelector
from scops.common.contract.messages.types import ScopeRef
from scops.common.db.address import Address
from scops.fetcher.fetch.index_file import ABSENT_AGE, HELD_AGE
from scops.fetcher.purging import handle_purge_pages, purge_some
from scops.fetcher.searching import LIMIT_MAX, QUERY_CHARACTERS_MAX, URLS_MAX, site_search
from tests.fakes.page_source import Answer, Hop, failure, page_answer
from tests.fakes.worlds.fetcher import SCOPE, FetcherWorld, scope

ROOT, KNOWN, PLAIN = "https://a.test/", "https://a.test/known.html", "https://a.test/plain.html"
OTHER, MKDOCS = "https://a.test/other", "https://a.test/search/search_index.json"
LLMS_TXT = "https://a.test/llms.txt"
INDEX, ROBOTS = "https://a.test/searchindex.js", "https://a.test/robots.txt"
QUESTION = "How often is an owl counted?"
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def index(**changes: Any) -> Answer:
    """The index of a site of four pages, two of which the scope holds and nobody fetched."""
    values = {
        "docnames": ["known", "owls", "private/owls", "count"],
        "titles": ["Known", "<b>Owls</b>", "Private", "Counting"],
        "terms": {"owl": [0, 2], "count": [0, 1, 3]},
        "titleterms": {"owl": 1},
        **changes,
    }
    return page_answer(f"Search.setIndex({json.dumps(values)})", etag='"1"')


@pytest.fixture
async def world(address: str | Address) -> AsyncIterator[FetcherWorld]:
    """Two pages that are known, of which one names the index of its site."""
    async with FetcherWorld.opened(address) as opened:
        for url in (ROOT, KNOWN, PLAIN):
            opened.source.serve(url, page_answer(url))
        opened.source.serve(INDEX, index())
        opened.scopes.apply(scope("a.test", "!a.test/private", seeds=[ROOT]))
        opened.indexes[ROOT] = (INDEX,)
        opened.links[ROOT] = (KNOWN, PLAIN)
        await opened.crawl()
        await opened.run()
        opened.source.asked.clear()
        yield opened


async def searched(world: FetcherWorld, **changes: Any) -> SiteSearchResponse:
    request = SiteSearchRequest(scope=SCOPE, urls=(PLAIN, ROOT), query=QUESTION, limit=9)
    return await site_search(replace(request, **changes), world.ports)


def asked(world: FetcherWorld) -> list[str]:
    urls = [one.url for one in world.source.asked]
    world.source.asked.clear()
    return urls


async def test_pages_of_the_scope_are_found_best_first(world: FetcherWorld) -> None:
    """With their titles, and whether they stand; what the scope keeps out is not told."""
    found = await searched(world)

    assert ("searched", "", INDEX, ROOT, True) == (
        found.outcome,
        found.reason,
        found.index_url,
        found.named_by,
        found.requested,
    )
    assert [
        ("https://a.test/owls.html", "Owls", False),
        (KNOWN, "Known", True),
        ("https://a.test/count.html", "Counting", False),
    ] == [(page.url, page.title, page.known) for page in found.pages]
    assert 1.0 > found.pages[0].score > found.pages[1].score > found.pages[2].score > 0.0
    assert found.pages[:1] == (await searched(world, limit=1)).pages


async def test_where_no_page_names_an_index_the_llms_txt_names_pages(world: FetcherWorld) -> None:
    """Those of the scope, with what it says of them; it is held as an index is."""
    text = "- [Owls](owls.html): how often each owl is counted\n- [Private](private/owls.html)"
    world.source.serve(LLMS_TXT, page_answer(text))
    found = await searched(world, urls=(PLAIN,))
    again = await searched(world, urls=(PLAIN,))

    assert ("searched", LLMS_TXT, PLAIN, True) == (
        found.outcome,
        found.index_url,
        found.named_by,
        found.requested,
    )
    owls = SearchedPage(url="https://a.test/owls.html", title="Owls: how often each owl is counted")
    assert (owls,) == found.pages == again.pages
    assert not again.requested
    assert [LLMS_TXT] == asked(world)


@pytest.mark.parametrize("body", [None, "- [Elsewhere](https://b.test/)", "", "Nothing"])
async def test_an_llms_txt_that_names_no_page_of_the_scope_is_not_told_of(
    world: FetcherWorld, body: str | None
) -> None:
    """A page that names an index may still come."""
    if body is not None:
        world.source.serve(LLMS_TXT, page_answer(body))
    nothing = await searched(world, urls=(PLAIN,))
    index = await searched(world)

    assert SiteSearchResponse() == nothing
    assert INDEX == index.index_url


async def test_an_index_is_asked_for_once_in_some_hours(world: FetcherWorld) -> None:
    """And then with its conditions."""
    await searched(world)
    first = asked(world)
    held = await searched(world, query="counting")
    world.clock.advance(HELD_AGE.total_seconds())
    again = await searched(world)

    assert [INDEX] == first
    assert (False, "searched") == (held.requested, held.outcome)
    assert (True, 3) == (again.requested, len(again.pages))
    assert [(INDEX, True)] == [(one.url, one.conditional) for one in world.source.asked]


async def test_the_host_has_its_pause(world: FetcherWorld) -> None:
    """As after any page: the next request waits."""
    started = world.clock.now()
    await searched(world)
    await world.fetch("https://a.test/new", job_id="other")
    await world.steps()
    times = {one.url: one.time for one in world.source.asked}

    assert times[INDEX] >= started
    pause = times["https://a.test/new"] - times[INDEX]
    assert pause.total_seconds() >= world.settings.host_delay_seconds


async def test_a_host_that_others_ask_is_not_waited_for_long(world: FetcherWorld) -> None:
    """The question may come again; nothing is sent."""
    await world.ports.frontier.borrow("a.test", lease_id="other", now=world.clock.now() + HOUR)
    with pytest.raises(TransientError) as raised:
        await searched(world)

    assert "HOST_BUSY" == raised.value.reason
    assert [] == asked(world)


async def test_robots_txt_is_kept(world: FetcherWorld) -> None:
    """What it keeps from us is not asked for."""
    world.source.serve(ROBOTS, page_answer("User-agent: *\nDisallow: /searchindex.js"))
    world.clock.advance((DAY + HOUR).total_seconds())
    found = await searched(world)

    assert ("blocked", "robots", False, ()) == (
        found.outcome,
        found.reason,
        found.requested,
        found.pages,
    )
    assert [ROBOTS] == asked(world)


@pytest.mark.parametrize(
    ("answer", "outcome", "reason"),
    [
        (None, "gone", "http_410"),
        (page_answer("alert('no index')"), "failed", "unreadable"),
        (failure("HTTP_403", status=403), "failed", "http_403"),
        (failure("BODY_TOO_LARGE"), "failed", "body_too_large"),
        (Hop(ROOT), "failed", "redirect_denied"),
        (Hop("https://b.test/searchindex.js"), "failed", "redirected"),
        (Hop("http://127.0.0.1/searchindex.js"), "failed", "address_denied"),
    ],
)
async def test_that_there_is_none_is_remembered_for_days(
    world: FetcherWorld, answer: Answer, outcome: str, reason: str
) -> None:
    """It is told once, with why; then as if no page named one."""
    world.source.serve(INDEX, answer)
    first = await searched(world)
    requests = asked(world)
    second = await searched(world)
    world.clock.advance(ABSENT_AGE.total_seconds())
    world.source.serve(INDEX, index())
    world.source.serve(ROBOTS, None)
    third = await searched(world)

    assert (outcome, reason, True, ()) == (
        first.outcome,
        first.reason,
        first.requested,
        first.pages,
    )
    assert [INDEX] == requests
    assert SiteSearchResponse() == second
    assert "searched" == third.outcome


async def test_a_failure_of_now_is_not_remembered(world: FetcherWorld) -> None:
    """The next question asks again; the host rests before it."""
    world.source.serve(INDEX, failure("HTTP_503", retryable=True, host_fault=True))
    first = await searched(world)
    world.source.serve(INDEX, index())
    world.clock.advance(HOUR.total_seconds())

    assert ("failed", "http_503") == (first.outcome, first.reason)
    assert "searched" == (await searched(world)).outcome


async def test_a_purge_takes_what_is_held(world: FetcherWorld) -> None:
    """An index holds words of pages: it is asked for anew."""
    await searched(world)
    asked(world)
    world.clock.advance(HOUR.total_seconds())
    wanted = PurgePages(
        purge_id=PurgeId("purge"),
        attempt=1,
        selector=PurgeSelector(url_prefixes=("a.test/known.html",)),
        before_time=world.clock.now(),
    )
    await handle_purge_pages(wanted, world.cause(), world.ports)
    while await purge_some(world.ports):
        pass
    held = await world.ports.files.held(INDEX)

    assert held is not None
    assert held.body is None
    assert (await searched(world)).requested
    assert [INDEX] == asked(world)


async def test_a_site_without_an_index_is_asked_once_for_its_llms_txt(world: FetcherWorld) -> None:
    """One of which no page is known is asked nothing."""
    assert SiteSearchResponse() == await searched(world, urls=(PLAIN, KNOWN))
    assert SiteSearchResponse() == await searched(world, urls=(KNOWN,))
    assert SiteSearchResponse() == await searched(world, urls=("https://b.test/",))
    assert SiteSearchResponse() == await searched(world, urls=())
    assert [LLMS_TXT] == asked(world)


async def test_urls_are_canonical_and_told_once(world: FetcherWorld) -> None:
    """What looks like a trap is left out, and so is what leads to another host."""
    names = ["a b", "/".join(["x"] * 20), "owls", "owls"]
    tables = {"terms": {"owl": [0, 1, 2, 3]}, "titleterms": {}}
    world.source.serve(INDEX, index(docnames=names, titles=["Owls"] * 4, **tables))
    sphinx = await searched(world)
    world.source.serve(OTHER, page_answer("other"))
    world.indexes[OTHER] = (MKDOCS,)
    await world.fetch(OTHER, job_id="other")
    await world.run()
    places = ("owls/#eggs", "//b.test/owls", "https://b.test/owls", "owls/", "../owls/x")
    docs = [{"location": place, "title": "Owls", "text": "owl"} for place in places]
    world.source.serve(MKDOCS, page_answer(json.dumps({"docs": docs})))
    mkdocs = await searched(world, urls=(PLAIN, OTHER, ROOT))

    assert ["https://a.test/a%20b.html", "https://a.test/owls.html"] == [
        page.url for page in sphinx.pages
    ]
    assert ["https://a.test/owls/", "https://a.test/owls/x"] == [page.url for page in mkdocs.pages]
    assert (MKDOCS, OTHER) == (mkdocs.index_url, mkdocs.named_by)


@pytest.mark.parametrize(
    "changes",
    [
        {"urls": tuple(f"https://a.test/{number}" for number in range(URLS_MAX + 1))},
        {"query": " "},
        {"query": "x" * (QUERY_CHARACTERS_MAX + 1)},
        {"limit": 0},
        {"limit": LIMIT_MAX + 1},
    ],
)
async def test_what_cannot_be_asked_is_told(world: FetcherWorld, changes: dict[str, Any]) -> None:
    """Before anything is looked up."""
    with pytest.raises(InvalidInput):
        await searched(world, **changes)


async def test_a_revision_that_has_not_come_is_waited_for(world: FetcherWorld) -> None:
    """Its rules are not known."""
    with pytest.raises(NotYetKnown):
        await searched(world, scope=ScopeRef(scope_id=SCOPE.scope_id, revision=9))
