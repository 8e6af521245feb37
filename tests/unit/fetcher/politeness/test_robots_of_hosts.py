"""robots.txt: when it is read, where it leads, and what it forbids."""

from datetime import timedelta

import pytest

from scops.fetcher.frontier.leases import Release
from tests.fakes.page_source import Hop, failure, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROBOTS = "https://a.test/robots.txt"
ELSEWHERE = "https://b.test/robots.txt"


async def test_robots_forbids(world: FetcherWorld) -> None:
    """A disallowed page ends as blocked(robots), unasked, and costs its host no pause."""
    world.source.serve(ROBOTS, page_answer("User-agent: *\nDisallow: /private"))
    seeds = world.source.serve_pages("private/1", "private/2", "open")
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    await world.run()

    assert [seeds[2]] == world.source.pages_asked()
    assert "blocked(robots)" == (await world.outcomes())[seeds[0]]
    assert 1 == sum(asked.url == ROBOTS for asked in world.source.asked)


@pytest.mark.parametrize(
    "answer", [failure("HTTP_503", status=503, retryable=True), failure("TIMEOUT", retryable=True)]
)
async def test_unreachable_robots_blocks(world: FetcherWorld, answer: object) -> None:
    """RFC 9309 section 2.3.1.4: a robots.txt that cannot be read forbids everything."""
    world.source.answers[ROBOTS] = answer  # type: ignore[assignment]
    (url,) = world.source.serve_pages("1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.crawl()
    await world.run()

    assert {url: "blocked(robots_unreachable)"} == await world.outcomes()
    assert [] == world.source.pages_asked()


async def test_robots_is_read_again_after_a_day(world: FetcherWorld) -> None:
    """RFC 9309 section 2.4: a cached robots.txt is used for at most 24 hours."""
    (url,) = world.source.serve_pages("1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    for job_id, hours in (("one", 23), ("two", 2), ("three", 0)):
        await world.fetch(url, job_id=job_id)
        await world.run()
        world.clock.advance(hours * 3600)

    assert 2 == sum(asked.url == ROBOTS for asked in world.source.asked)


async def test_robots_txt_of_another_host_is_read_under_its_clock(world: FetcherWorld) -> None:
    """RFC 9309 section 2.3.1.2: a site that has moved to another domain says so there."""
    seeds = world.source.serve_pages("1", "private")
    world.source.serve(ROBOTS, Hop(ELSEWHERE))
    world.source.serve(ELSEWHERE, page_answer("User-agent: *\nDisallow: /private"))
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    await world.run()
    (other,) = [host for host in await world.hosts() if host.host_key == "b.test"]
    asked = next(one.time for one in world.source.asked if one.url == ELSEWHERE)

    assert {seeds[0]: "indexed", seeds[1]: "blocked(robots)"} == await world.outcomes()
    assert other.lease_id is None
    assert other.next_allowed_time >= asked + timedelta(seconds=1)


async def test_robots_txt_of_a_busy_host_is_tried_again(world: FetcherWorld) -> None:
    """While somebody holds the other host nothing is sent there, and the page waits."""
    seeds = world.source.serve_pages("1")
    world.source.serve(ROBOTS, Hop(ELSEWHERE))
    world.source.serve(ELSEWHERE, page_answer(""))
    frontier = world.ports.frontier
    held = await frontier.borrow("b.test", lease_id="other", now=world.clock.now())
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    await world.step()
    before = [one.url for one in world.source.asked]
    assert held is not None
    release = Release(next_allowed_time=world.clock.now(), backoff=0)
    await frontier.give_back(held, release=release, now=world.clock.now())
    await world.run()

    assert ELSEWHERE not in before
    assert {seeds[0]: "indexed"} == await world.outcomes()


async def test_borrowed_host_of_a_crashed_worker_is_free_again(world: FetcherWorld) -> None:
    """A lease that belongs to no page runs out like any other."""
    seeds = world.source.serve_pages("1")
    await world.ports.frontier.borrow("a.test", lease_id="crashed", now=world.clock.now())
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    await world.run()

    assert {seeds[0]: "indexed"} == await world.outcomes()


async def test_endless_robots_redirects_allow_everything(world: FetcherWorld) -> None:
    """More than five redirects count as unavailable, across hosts too."""
    seeds = world.source.serve_pages("1")
    world.source.serve(ROBOTS, Hop("https://h0.test0.example/robots.txt"))
    for number in range(9):
        here = f"https://h{number}.test{number}.example/robots.txt"
        after = f"https://h{number + 1}.test{number + 1}.example/robots.txt"
        world.source.serve(here, Hop(after))
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    await world.run()

    assert {seeds[0]: "indexed"} == await world.outcomes()
