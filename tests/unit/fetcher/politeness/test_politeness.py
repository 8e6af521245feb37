"""Politeness: the pause of each host, and what lengthens it."""

from datetime import timedelta

import pytest

from scops.fetcher.settings import FetcherSettings
from tests.fakes.fetcher_steps import StepKind
from tests.fakes.page_source import failure, page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROBOTS = "https://a.test/robots.txt"


async def test_requests_to_a_host_keep_its_delay(world: FetcherWorld) -> None:
    """From the end of one request to the next, robots.txt included, a second passes."""
    world.source.response_seconds = 0.3
    world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("1", "2", "3")))
    await world.crawl()
    await world.run()

    assert [1.3] * 4 == world.source.gaps_seconds()


async def test_subdomains_share_a_clock(world: FetcherWorld) -> None:
    """The host is the registrable domain."""
    seeds = world.source.serve_pages("1", host="x.example.org")
    seeds += world.source.serve_pages("1", host="y.example.org")
    world.scopes.apply(scope("x.example.org", "y.example.org", seeds=seeds))
    await world.crawl()
    await world.run()

    assert 6 == len(world.source.asked)
    assert min(world.source.gaps_seconds()) >= 1.0


async def test_other_hosts_do_not_wait(world: FetcherWorld) -> None:
    """While one host rests, another is asked."""
    seeds = world.source.serve_pages("1") + world.source.serve_pages("1", host="b.test")
    world.scopes.apply(scope("a.test", "b.test", seeds=seeds))
    await world.crawl()
    for _ in seeds:
        await world.step()

    assert 2 == len(world.source.pages_asked())
    # Each host's robots.txt, then its page a second later.
    assert world.source.gaps_seconds() == [1.0, 0.0, 1.0]


async def test_crawl_delay_is_honoured_and_capped(world: FetcherWorld) -> None:
    """A Crawl-delay above ours holds from the next request on, at most 30 seconds."""
    world.source.serve(ROBOTS, page_answer("User-agent: *\nCrawl-delay: 100"))
    world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("1", "2")))
    await world.crawl()
    await world.run()

    assert [30.0, 30.0, 30.0] == world.source.gaps_seconds()


async def test_strained_host_is_left_alone_longer_each_time(world: FetcherWorld) -> None:
    """429 and 503 double the pause of the whole host until it answers again."""
    seeds = world.source.serve_pages("1")
    world.source.serve(seeds[0], failure("HTTP_503", retryable=True, host_fault=True, status=503))
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.fetch(*seeds)
    await world.run()

    # Robots.txt, then the page: 5 s first, doubled, or the page's own delay where that is longer.
    assert [1.0, 5.0, 20.0, 80.0] == world.source.gaps_seconds()
    assert 4 == (await world.hosts())[0].backoff
    assert {seeds[0]: "dead(http_503)"} == await world.outcomes()


@pytest.mark.parametrize(("asked", "pause"), [(None, 5.0), (1800.0, 1800.0), (9000.0, 3600.0)])
async def test_host_may_ask_for_time_by_its_robots(
    world: FetcherWorld, asked: float | None, pause: float
) -> None:
    """A robots.txt that is answered 503 strains the host as a page does, Retry-After included."""
    world.source.serve(
        ROBOTS,
        failure("HTTP_503", status=503, retryable=True, host_fault=True, retry_after_seconds=asked),
    )
    (url,) = world.source.serve_pages("1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url)
    await world.run()
    (host,) = await world.hosts()
    (asking,) = world.source.asked

    assert {url: "blocked(robots_unreachable)"} == await world.outcomes()
    assert (1, pause) == (host.backoff, (host.next_allowed_time - asking.time).total_seconds())


async def test_retry_after_is_honoured(world: FetcherWorld) -> None:
    """A host that names a time is not asked before it."""
    seeds = world.source.serve_pages("1", "2")
    answer = failure("HTTP_429", retryable=True, retry_after_seconds=120.0, status=429)
    world.source.serve(seeds[0], answer)
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.fetch(seeds[0])
    await world.step()
    await world.fetch(seeds[1], job_id="two")
    step = await world.step()

    assert StepKind.IDLE is step.kind
    assert step.next_time == world.clock.now() + timedelta(seconds=120)


async def test_literal_addresses_have_their_own_delay() -> None:
    """`SCOPS_FETCHER_DELAYS` sets the pause of ranges of addresses."""
    settings = FetcherSettings(delays="127.0.0.0/8=0.02", allowed_private="127.0.0.0/8:*")
    async with FetcherWorld.opened(settings=settings) as world:
        seeds = [f"http://127.0.0.1:8000/{number}" for number in range(3)]
        for url in seeds:
            world.source.serve(url, page_answer(url))
        world.scopes.apply(scope("127.0.0.1:8000", seeds=seeds))
        await world.crawl()
        await world.run()

        assert [0.02] * 4 == world.source.gaps_seconds()
