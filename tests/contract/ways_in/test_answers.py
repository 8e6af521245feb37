"""Redirects, pages that are as they were, that are gone, and that robots.txt forbids, by each way.

The fetcher is whole, its requests and its browser are real; the pipeline behind it is driven by
hand.
"""

import pytest

from scops.common.contract.messages.crawl import GoneReason, PageFetched, PageGone
from tests.contract.ways_in.conftest import OpenWay
from tests.contract.ways_in.ways import Way

ROBOTS = "User-agent: *\nDisallow: /private/\n"


async def test_a_page_says_what_it_shows(way: Way) -> None:
    """The event tells by which way that came."""
    (text,) = await way.fetched(way.put("/a", "Herons eat fish."))

    assert "Herons eat fish." in text


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_within_the_scope_is_followed(way: Way, status: int) -> None:
    """What stands at its end is the page."""
    target, start = way.put("/new", "Herons eat fish."), way.url("/old")
    way.origin.redirect("/old", target, status)
    (text,) = await way.fetched(start)

    assert "Herons eat fish." in text
    assert 1 == way.origin.count(path="/new")


@pytest.mark.parametrize(
    ("status", "outcome"), [(301, "joined(moved)"), (302, "blocked(redirected)")]
)
@pytest.mark.parametrize("host", ["", "other.example.net"])
async def test_a_redirect_out_of_the_scope_is_not_followed(
    way: Way, status: int, outcome: str, host: str
) -> None:
    """Neither on the host nor off it; a permanent one says where the page is now."""
    away = way.url("/away", host=host or "app.example.org")
    way.put("/away", "Somebody else's.")
    way.hold("!" + away.removeprefix("http://"))
    way.origin.redirect("/old", away, status)
    url = way.url("/old")

    assert {url: outcome} == await way.look(url, job_id="job")
    assert 0 == way.origin.count(path="/away")


@pytest.mark.parametrize("validators", [True, False])
async def test_a_page_that_is_as_it_was_is_no_version(
    open_way: OpenWay, name: str, validators: bool
) -> None:
    """By a 304, by the same bytes, or by what it shows; what is new of it is a version."""
    way = await open_way(name, validators=validators)
    url = way.put("/a", "Herons eat fish.")
    first = await way.look(url, job_id="1")
    second = await way.look(url, job_id="2")
    way.put("/a", "Herons eat frogs.")
    third = await way.look(url, job_id="3")
    asked_with = [
        one.headers.get("If-None-Match") for one in way.origin.requests if one.path == "/a"
    ]

    assert ["indexed", "unchanged", "indexed"] == [one[url] for one in (first, second, third)]
    # Validators of a server say nothing of what the scripts of its page ask for.
    assert (validators and not way.shown) == any(asked_with)


@pytest.mark.parametrize(
    ("status", "reason"), [(404, GoneReason.NOT_FOUND), (410, GoneReason.GONE)]
)
async def test_a_page_that_is_gone_is_closed(way: Way, status: int, reason: GoneReason) -> None:
    """And comes back when it does."""
    url = way.put("/a", "Herons eat fish.")
    await way.look(url, job_id="1")
    way.origin.remove("/a", status)
    await way.world.fetch_at_once(url, job_id="2")
    event = await way.world.event(PageGone)
    await way.world.index(event)
    way.put("/a", "Herons eat fish.")
    await way.world.fetch_at_once(url, job_id="3")

    assert reason is event.reason
    assert url == (await way.world.event(PageFetched)).canonical_url


async def test_a_page_that_robots_txt_forbids_is_not_asked_for(way: Way) -> None:
    """Nor is one that a redirect leads to."""
    way.origin.replace("/robots.txt", ROBOTS, type="text/plain")
    forbidden = way.put("/private/a", "Not for us.")
    way.origin.redirect("/b", forbidden)
    leading = way.url("/b")

    assert {forbidden: "blocked(robots)", leading: "blocked(robots)"} == await way.look(
        forbidden, leading, job_id="job"
    )
    assert not [path for path in way.origin.paths() if "/private/" in path]


async def test_without_its_robots_txt_a_host_is_left_alone(way: Way) -> None:
    """A server that does not answer for it has not said that it allows anything."""
    way.origin.fail("/robots.txt", 503)
    url = way.put("/a", "Herons eat fish.")
    outcomes = await way.look(url, job_id="job")

    assert {url: "blocked(robots_unreachable)"} == outcomes
    assert {"/robots.txt"} == set(way.origin.paths())
