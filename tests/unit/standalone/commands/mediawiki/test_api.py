"""The API of a wiki is asked politely, and told from what is none."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime

import pytest
from aiohttp import web

from scops.common.contract.errors import InvalidInput
from scops.fetcher.adapters.apis.asking import TRIES_MAX
from scops.standalone.commands.mediawiki.api import WikiApi
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.wiki import PATH, Wiki

FIRST = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    """A wiki of five pages, one of them with five revisions; two of a list come at once."""
    with running(Origin()) as origin:
        made = Wiki(origin)
        for name in ("A", "B", "B two", "C", "D"):
            made.save(name, FIRST, f"<p>{name}</p>")
        for hour in range(1, 5):
            made.save("A", FIRST.replace(hour=hour), f"<p>{hour}</p>")
        yield made


@pytest.fixture
def pauses() -> list[float]:
    """How long was waited for what."""
    return []


@pytest.fixture
def api(wiki: Wiki, pauses: list[float]) -> Iterator[WikiApi]:
    with closing(WikiApi(wiki.url, pause_seconds=1.0, sleep=pauses.append)) as opened:
        yield opened


def test_lists_are_read_to_their_ends(api: WikiApi, wiki: Wiki) -> None:
    """Answer by answer; titles by their beginnings, revisions from the newest on."""
    assert ["A", "B", "B two", "C", "D"] == list(api.titles(namespace=0, prefix=""))
    assert ["B", "B two"] == list(api.titles(namespace=0, prefix="B"))
    assert [4, 3, 2, 1, 0] == [one.at.hour for one in api.revisions("A")]


def test_what_is_not_read_on_is_not_asked_for(api: WikiApi, wiki: Wiki) -> None:
    """A long history costs what is wanted of it."""
    next(api.revisions("A"))

    assert 1 == len(wiki.asked)


def test_requests_follow_each_other_with_pauses(
    api: WikiApi, wiki: Wiki, pauses: list[float]
) -> None:
    """And ask to be refused while the wiki's servers lag."""
    list(api.titles(namespace=0, prefix=""))

    assert [1.0, 1.0] == pauses
    assert all("5" == one["maxlag"] for one in wiki.asked)
    agents = {one.headers["User-Agent"] for one in wiki.origin.requests}
    assert all(agent.startswith("scops/") and "https://" in agent for agent in agents)


def test_a_wiki_that_lags_is_asked_again_when_it_says(
    api: WikiApi, wiki: Wiki, pauses: list[float]
) -> None:
    """So many times; then somebody has to."""
    wiki.busy = 2

    assert "en" == api.wiki().language
    wiki.busy = TRIES_MAX
    with pytest.raises(OSError, match="busy"):
        api.wiki()
    assert 2 * TRIES_MAX + 2 > len(wiki.asked)


def test_a_server_that_is_down_is_named(api: WikiApi, wiki: Wiki) -> None:
    """By what it answered."""
    wiki.origin.fail(PATH, 503)

    with pytest.raises(OSError, match="answered 503"):
        api.wiki()


def test_what_is_gone_or_hidden_shows_nothing(api: WikiApi, wiki: Wiki) -> None:
    """A title without a page, and a revision that was hidden or deleted."""
    hidden = wiki.save("D", FIRST.replace(hour=9), "x", hidden=True)

    assert api.page("Nowhere") is None
    assert api.html(hidden) is None
    assert api.html(77) is None
    assert ["", "9"] == [
        next(one for one in api.revisions("D")).digest,
        str(next(one for one in api.revisions("D")).at.hour),
    ]


@pytest.mark.parametrize("body", ["<html>A page</html>", "[]", '"text"', "{}"])
def test_another_page_is_no_api(api: WikiApi, wiki: Wiki, body: str) -> None:
    """With what to give in its place."""

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text=body)

    wiki.origin.handle(PATH, answer)
    with pytest.raises(InvalidInput, match=r"api\.php"):
        api.wiki()


def test_a_wiki_that_lets_nobody_read_says_so(api: WikiApi, wiki: Wiki) -> None:
    """In its own words."""

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.json_response(
            {"error": {"code": "readapidenied", "info": "You need to log in."}}
        )

    wiki.origin.handle(PATH, answer)
    with pytest.raises(InvalidInput, match="You need to log in"):
        api.wiki()
