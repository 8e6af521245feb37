"""Hosts that an operator keeps from being crawled: nothing is asked of them, by any way."""

from dataclasses import replace

import pytest

from scops.common.scope.hosts import HostLists
from tests.fakes.page_source import Hop, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

OPEN, SHUT = "https://a.test/a", "https://b.test/b"


@pytest.fixture
def shut(world: FetcherWorld) -> FetcherWorld:
    """A world in which one of two hosts of a scope is denied."""
    addresses = replace(world.ports.addresses, hosts=HostLists(denied=frozenset({"b.test"})))
    world.ports = replace(world.ports, addresses=addresses)
    world.scopes.apply(scope("a.test", "b.test"))
    world.source.serve(SHUT, page_answer("never asked"))
    return world


async def test_a_page_of_a_denied_host_ends_blocked(shut: FetcherWorld) -> None:
    """Not even its robots.txt is asked for, and the page beside it is fetched."""
    shut.source.serve(OPEN, page_answer("open"))
    await shut.fetch(SHUT, OPEN)
    await shut.run()

    assert {SHUT: "blocked(host_denied)", OPEN: "indexed"} == await shut.outcomes()
    assert [] == [one.url for one in shut.source.asked if "b.test" in one.url]


async def test_a_redirect_to_a_denied_host_is_not_followed(shut: FetcherWorld) -> None:
    """From a page, and from a robots.txt."""
    shut.source.serve(OPEN, Hop(SHUT, permanent=True))
    shut.source.serve("https://a.test/robots.txt", Hop("https://b.test/robots.txt", permanent=True))
    await shut.fetch(OPEN)
    await shut.run()

    assert all(
        outcome.startswith(("blocked", "dead")) for outcome in (await shut.outcomes()).values()
    )
    assert [] == [one.url for one in shut.source.asked if "b.test" in one.url]
