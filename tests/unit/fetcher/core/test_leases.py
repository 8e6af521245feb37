"""Leases: whose turn it is, politeness, robots.txt, crashes, backpressure."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from scops.common.contract import Lane, Role
from scops.common.errors import StoreUnavailable
from scops.common.messages.crawl import FetchFailed, PageFetched
from scops.common.messages.types import BodyRef
from scops.fetcher.leases import Idle, LeaseLost, PageLease, Release, Settled, TaskLease
from scops.fetcher.scheduler import (
    BOTH_LANES,
    StepKind,
    fetch_next,
    lease_next,
    lease_some,
    work_on,
)
from scops.fetcher.settings import FetcherSettings
from tests.fakes.fetcher_world import FetcherWorld, scope
from tests.fakes.page_source import Hop, failure, page_answer

ROOT = "https://a.test/"
ROBOTS = "https://a.test/robots.txt"


def serve_site(world: FetcherWorld, *names: str, host: str = "a.test") -> list[str]:
    urls = [f"https://{host}/{name}" for name in names]
    for url in urls:
        world.source.serve(url, page_answer(url))
    return urls


def gaps(world: FetcherWorld) -> list[float]:
    times = [asked.time for asked in world.source.asked]
    return [(after - before).total_seconds() for before, after in pairwise(times)]


async def leased(world: FetcherWorld) -> PageLease:
    lease = await lease_next(world.ports)
    assert isinstance(lease, PageLease)
    return lease


async def test_requests_to_a_host_keep_its_delay(world: FetcherWorld) -> None:
    """From the end of one request to the next, robots.txt included, a second passes."""
    world.source.response_seconds = 0.3
    world.scopes.apply(scope("a.test", seeds=serve_site(world, "1", "2", "3")))
    await world.crawl()
    await world.run()

    assert [1.3] * 4 == gaps(world)


async def test_subdomains_share_a_clock(world: FetcherWorld) -> None:
    """The host is the registrable domain."""
    seeds = serve_site(world, "1", host="x.example.org")
    seeds += serve_site(world, "1", host="y.example.org")
    world.scopes.apply(scope("x.example.org", "y.example.org", seeds=seeds))
    await world.crawl()
    await world.run()

    assert 6 == len(world.source.asked)
    assert min(gaps(world)) >= 1.0


async def test_other_hosts_do_not_wait(world: FetcherWorld) -> None:
    """While one host rests, another is asked."""
    seeds = serve_site(world, "1") + serve_site(world, "1", host="b.test")
    world.scopes.apply(scope("a.test", "b.test", seeds=seeds))
    await world.crawl()
    for _ in seeds:
        await world.step()

    assert 2 == len(world.source.pages_asked())
    # Each host's robots.txt, then its page a second later.
    assert gaps(world) == [1.0, 0.0, 1.0]


async def test_a_leased_host_is_given_to_nobody_else(world: FetcherWorld) -> None:
    """Two workers never hold one host, however free its clock is."""
    world.scopes.apply(scope("a.test", seeds=serve_site(world, "1", "2")))
    await world.crawl()
    first = await leased(world)
    world.clock.advance(10)
    (second,) = await world.ports.frontier.lease_some(
        lanes=BOTH_LANES, lease_ids=["other"], now=world.clock.now()
    )

    assert isinstance(second, Idle)
    assert second.next_time == first.host.free_before + timedelta(seconds=75)


async def test_a_batch_takes_each_free_host_once(world: FetcherWorld) -> None:
    """Leases of one transaction are of different hosts, `now` first; then it says when to ask."""
    seeds = [url for host in "bcd" for url in serve_site(world, "1", "2", host=f"{host}.test")]
    world.scopes.apply(scope("a.test", "b.test", "c.test", "d.test", seeds=seeds))
    await world.crawl()
    await world.fetch(ROOT, job_id="asked")
    found = await lease_some(world.ports, count=10)
    *leases, last = found

    assert all(isinstance(lease, PageLease | TaskLease) for lease in leases)
    hosts = [lease.host.host_key for lease in leases if not isinstance(lease, Idle | Settled)]
    assert "a.test" == hosts[0]
    assert ["a.test", "b.test", "c.test", "d.test"] == sorted(hosts)
    assert isinstance(last, Idle)
    assert sorted(hosts) == sorted(host.host_key for host in await world.hosts() if host.lease_id)


async def test_a_batch_takes_no_more_than_asked_for(world: FetcherWorld) -> None:
    """What there is no place for stays in the frontier."""
    seeds = [url for host in "bcd" for url in serve_site(world, "1", host=f"{host}.test")]
    world.scopes.apply(scope("b.test", "c.test", "d.test", seeds=seeds))
    await world.crawl()
    found = await lease_some(world.ports, count=2)

    assert 2 == len(found)
    assert 2 == len([host for host in await world.hosts() if host.lease_id])


async def test_the_lease_is_committed_before_the_request(world: FetcherWorld) -> None:
    """The host's row holds the lease, beyond the request's timeout, when the request is sent."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await world.crawl()
    lease = await leased(world)
    (host,) = await world.hosts()

    assert host.lease_id == lease.fetch_id
    left = (host.lease_until - world.clock.now()).total_seconds()
    assert left > world.settings.request_seconds_max
    assert host.next_allowed_time == world.clock.now() + timedelta(seconds=1)
    assert [] == world.source.asked


async def test_a_crash_between_lease_and_result_fetches_the_page_again(world: FetcherWorld) -> None:
    """When the lease has run out, the fetch is given up and the page waits for a new one."""
    (url,) = serve_site(world, "1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.crawl()
    crashed = await leased(world)
    step = await world.step()
    assert StepKind.IDLE is step.kind
    world.clock.advance(76)
    await world.run()

    assert {url: "indexed"} == await world.outcomes()
    assert crashed.fetch_id != (await world.page(url)).last_fetch_id


async def test_a_result_after_the_lease_was_given_up_changes_nothing(world: FetcherWorld) -> None:
    """A worker that comes back late neither publishes nor frees the new holder's host."""
    (url,) = serve_site(world, "1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url)
    late = await leased(world)
    world.clock.advance(76)
    current = await leased(world)
    await world.events()
    with pytest.raises(LeaseLost):
        await world.ports.frontier.extend(late.host, now=world.clock.now())
    late_with_robots = await work_on(late, world.ports)

    assert StepKind.LOST is late_with_robots.kind
    assert [] == await world.events()
    assert (await world.hosts())[0].lease_id == current.fetch_id


async def test_a_page_that_always_ends_its_worker_dies(world: FetcherWorld) -> None:
    """After as many crashes as attempts the page is dead, and its job ends."""
    (url,) = serve_site(world, "1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url)
    for _ in range(world.settings.attempts_max):
        await leased(world)
        world.clock.advance(76)
    await world.run()

    assert {url: "dead(lease_expired)"} == await world.outcomes()


async def test_lane_now_goes_first(world: FetcherWorld) -> None:
    """A page that a person waits for overtakes the crawl of the same host."""
    seeds = serve_site(world, "1", "2", "3")
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    (wanted,) = serve_site(world, "now")
    await world.fetch(wanted, job_id="person", lane=Lane.NOW)
    await world.step()

    assert [wanted] == world.source.pages_asked()


async def test_a_person_makes_a_queued_page_urgent(world: FetcherWorld) -> None:
    """A page of a crawl that is asked for on lane now moves there, and is fetched once."""
    seeds = serve_site(world, "1", "2", "3")
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    await world.fetch(seeds[2], job_id="person", lane=Lane.NOW)
    await world.step()
    event = await world.event(PageFetched)
    await world.extract(event)
    await world.index(event)

    assert seeds[2] == event.url
    assert {seeds[2]: "indexed"} == await world.outcomes("person")
    assert "indexed" == (await world.outcomes())[seeds[2]]


async def test_a_row_joins_the_fetch_in_flight_of_an_older_lease(world: FetcherWorld) -> None:
    """A job accepted before the lease takes part in it although its row came later."""
    root, linked = serve_site(world, "", "linked")
    world.scopes.apply(scope("a.test", seeds=[root]))
    await world.crawl("before")
    await world.step()
    event = await world.event(PageFetched)
    await world.fetch(linked, job_id="holder")
    world.clock.advance(2)
    lease = await leased(world)
    world.clock.advance(1)
    await world.fetch(linked, job_id="after")
    await world.extract(event, [linked])

    assert {
        ("holder", lease.fetch_id),
        ("before", lease.fetch_id),
        ("after", None),
    } == {(row.job_id, row.fetch_id) for row in await world.ledger_rows(lease.page_id)}


async def test_no_page_is_leased_while_its_outcome_is_awaited(world: FetcherWorld) -> None:
    """A page whose fetch was published waits until the index has answered."""
    (url,) = serve_site(world, "1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url, job_id="one")
    await world.step()
    event = await world.event(PageFetched)
    await world.fetch(url, job_id="two")
    world.clock.advance(100)

    assert StepKind.IDLE is (await world.step()).kind
    await world.index(event)
    assert StepKind.PAGE is (await world.step()).kind


async def test_robots_forbids(world: FetcherWorld) -> None:
    """A disallowed page ends as blocked(robots), unasked, and costs its host no pause."""
    world.source.serve(ROBOTS, page_answer("User-agent: *\nDisallow: /private"))
    seeds = serve_site(world, "private/1", "private/2", "open")
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
    (url,) = serve_site(world, "1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.crawl()
    await world.run()

    assert {url: "blocked(robots_unreachable)"} == await world.outcomes()
    assert [] == world.source.pages_asked()


async def test_robots_is_read_again_after_a_day(world: FetcherWorld) -> None:
    """RFC 9309 section 2.4: a cached robots.txt is used for at most 24 hours."""
    (url,) = serve_site(world, "1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    for job_id, hours in (("one", 23), ("two", 2), ("three", 0)):
        await world.fetch(url, job_id=job_id)
        await world.run()
        world.clock.advance(hours * 3600)

    assert 2 == sum(asked.url == ROBOTS for asked in world.source.asked)


async def test_crawl_delay_is_honoured_and_capped(world: FetcherWorld) -> None:
    """A Crawl-delay above ours holds from the next request on, at most 30 seconds."""
    world.source.serve(ROBOTS, page_answer("User-agent: *\nCrawl-delay: 100"))
    world.scopes.apply(scope("a.test", seeds=serve_site(world, "1", "2")))
    await world.crawl()
    await world.run()

    assert [30.0, 30.0, 30.0] == gaps(world)


async def test_strained_host_is_left_alone_longer_each_time(world: FetcherWorld) -> None:
    """429 and 503 double the pause of the whole host until it answers again."""
    seeds = serve_site(world, "1")
    world.source.serve(seeds[0], failure("HTTP_503", retryable=True, host_fault=True, status=503))
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.fetch(*seeds)
    await world.run()

    # Robots.txt, then the page: 5 s first, doubled, or the page's own delay where that is longer.
    assert [1.0, 5.0, 20.0, 80.0] == gaps(world)
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
    (url,) = serve_site(world, "1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url)
    await world.run()
    (host,) = await world.hosts()
    (asking,) = world.source.asked

    assert {url: "blocked(robots_unreachable)"} == await world.outcomes()
    assert (1, pause) == (host.backoff, (host.next_allowed_time - asking.time).total_seconds())


async def test_retry_after_is_honoured(world: FetcherWorld) -> None:
    """A host that names a time is not asked before it."""
    seeds = serve_site(world, "1", "2")
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
    settings = FetcherSettings(delays="127.0.0.0/8=0.02")
    async with FetcherWorld.opened(settings=settings) as world:
        seeds = [f"http://127.0.0.1:8000/{number}" for number in range(3)]
        for url in seeds:
            world.source.serve(url, page_answer(url))
        world.scopes.apply(scope("127.0.0.1:8000", seeds=seeds))
        await world.crawl()
        await world.run()

        assert [0.02] * 4 == gaps(world)


@pytest.mark.parametrize("role", [Role.EXTRACTOR, Role.CHANGE_DETECTOR, Role.INDEXER])
async def test_crawls_wait_while_a_stage_is_behind(world: FetcherWorld, role: Role) -> None:
    """Above `pending_max` nothing is leased on lane bulk; a person is still served."""
    seeds = serve_site(world, "1", "2")
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    world.pending[role] = world.settings.pending_max + 1
    behind = await world.step()
    await world.fetch(seeds[1], job_id="person")
    person = await world.step()
    world.pending.clear()
    world.clock.advance(5)

    assert (StepKind.IDLE, StepKind.PAGE) == (behind.kind, person.kind)
    assert [seeds[1]] == world.source.pages_asked()
    assert StepKind.IDLE is not (await world.step()).kind


async def test_a_rule_removed_mid_crawl_admits_nothing_more(world: FetcherWorld) -> None:
    """Waiting pages are judged by the newest rules at lease time, unasked."""
    seeds = serve_site(world, "keep/1", "drop/1")
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    world.scopes.apply(scope("a.test/keep", seeds=seeds, revision=2))
    world.links[seeds[0]] = ("https://a.test/drop/2",)
    await world.run()

    assert {seeds[0]: "indexed", seeds[1]: "blocked(out_of_scope)"} == await world.outcomes()
    assert [seeds[0]] == world.source.pages_asked()


async def test_deleting_the_scope_ends_its_crawl(world: FetcherWorld) -> None:
    """A deleted scope holds no page."""
    seeds = serve_site(world, "1")
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    world.scopes.apply(scope("a.test", seeds=seeds, revision=2, deleted=True))
    await world.run()

    assert {seeds[0]: "blocked(out_of_scope)"} == await world.outcomes()


async def test_a_full_archive_costs_the_page_nothing(world: FetcherWorld) -> None:
    """What we cannot store is not the page's fault: it waits again, no attempt is counted."""
    (url,) = serve_site(world, "1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url)
    with pytest.raises(StoreUnavailable):
        await fetch_next(replace(world.ports, archive=FullArchive()))
    page = await world.page(url)
    failed = await world.event(FetchFailed)
    await world.run()

    assert (0, None) == (page.attempts, page.awaiting_fetch_id)
    assert "ARCHIVE_UNAVAILABLE" == failed.reason
    assert {url: "indexed"} == await world.outcomes()


class FullArchive:
    """An archive that takes nothing."""

    async def put(self, data: bytes, *, media_type: str, charset: str = "") -> BodyRef:
        raise StoreUnavailable("full", reason="ARCHIVE_UNAVAILABLE")

    async def get(self, ref: BodyRef) -> bytes:
        raise AssertionError("nothing is read")


ELSEWHERE = "https://b.test/robots.txt"


async def test_robots_txt_of_another_host_is_read_under_its_clock(world: FetcherWorld) -> None:
    """RFC 9309 section 2.3.1.2: a site that has moved to another domain says so there."""
    seeds = serve_site(world, "1", "private")
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
    seeds = serve_site(world, "1")
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
    seeds = serve_site(world, "1")
    await world.ports.frontier.borrow("a.test", lease_id="crashed", now=world.clock.now())
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    await world.run()

    assert {seeds[0]: "indexed"} == await world.outcomes()


async def test_endless_robots_redirects_allow_everything(world: FetcherWorld) -> None:
    """More than five redirects count as unavailable, across hosts too."""
    seeds = serve_site(world, "1")
    world.source.serve(ROBOTS, Hop("https://h0.test0.example/robots.txt"))
    for number in range(9):
        here = f"https://h{number}.test{number}.example/robots.txt"
        after = f"https://h{number + 1}.test{number + 1}.example/robots.txt"
        world.source.serve(here, Hop(after))
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    await world.run()

    assert {seeds[0]: "indexed"} == await world.outcomes()
