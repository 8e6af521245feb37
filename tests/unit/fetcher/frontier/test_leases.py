"""Leases: whose turn it is, what is held meanwhile, crashes, backpressure, rules that change."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import update

from scops.common.archive.ports import NewBlob
from scops.common.contract.errors import NotYetKnown, StoreUnavailable
from scops.common.contract.messages.crawl import FetchFailed, PageFetched
from scops.common.contract.messages.types import BodyRef
from scops.common.contract.service_table import Lane, Role
from scops.common.scope.book import ScopeBook
from scops.fetcher.adapters.sql import tables
from scops.fetcher.frontier.leases import Idle, LeaseLost, PageLease, Settled, TaskLease
from scops.fetcher.frontier.scheduler import BOTH_LANES, lease_some, work_on
from tests.fakes.fetcher_steps import StepKind, fetch_next, lease_next
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"


async def test_a_leased_host_is_given_to_nobody_else(world: FetcherWorld) -> None:
    """Two workers never hold one host, however free its clock is."""
    world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("1", "2")))
    await world.crawl()
    first = await world.lease()
    world.clock.advance(10)
    (second,) = await world.ports.frontier.lease_some(
        lanes=BOTH_LANES, lease_ids=["other"], now=world.clock.now()
    )

    assert isinstance(second, Idle)
    assert second.next_time == first.host.free_before + timedelta(seconds=75)


async def test_a_batch_takes_each_free_host_once(world: FetcherWorld) -> None:
    """Leases of one transaction are of different hosts, `now` first; then it says when to ask."""
    seeds = [
        url for host in "bcd" for url in world.source.serve_pages("1", "2", host=f"{host}.test")
    ]
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
    seeds = [url for host in "bcd" for url in world.source.serve_pages("1", host=f"{host}.test")]
    world.scopes.apply(scope("b.test", "c.test", "d.test", seeds=seeds))
    await world.crawl()
    found = await lease_some(world.ports, count=2)

    assert 2 == len(found)
    assert 2 == len([host for host in await world.hosts() if host.lease_id])


async def test_the_lease_is_committed_before_the_request(world: FetcherWorld) -> None:
    """The host's row holds the lease, beyond the request's timeout, when the request is sent."""
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    await world.crawl()
    lease = await world.lease()
    (host,) = await world.hosts()

    assert host.lease_id == lease.fetch_id
    left = (host.lease_until - world.clock.now()).total_seconds()
    assert left > world.settings.request_seconds_max
    assert host.next_allowed_time == world.clock.now() + timedelta(seconds=1)
    assert [] == world.source.asked


async def test_a_crash_between_lease_and_result_fetches_the_page_again(world: FetcherWorld) -> None:
    """When the lease has run out, the fetch is given up and the page waits for a new one."""
    (url,) = world.source.serve_pages("1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.crawl()
    crashed = await world.lease()
    step = await world.step()
    assert StepKind.IDLE is step.kind
    world.clock.advance(76)
    await world.run()

    assert {url: "indexed"} == await world.outcomes()
    assert crashed.fetch_id != (await world.page(url)).last_fetch_id


async def test_a_result_after_the_lease_was_given_up_changes_nothing(world: FetcherWorld) -> None:
    """A worker that comes back late neither publishes nor frees the new holder's host."""
    (url,) = world.source.serve_pages("1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url)
    late = await world.lease()
    world.clock.advance(76)
    current = await world.lease()
    await world.events()
    with pytest.raises(LeaseLost):
        await world.ports.frontier.extend(late.host, now=world.clock.now())
    late_with_robots = await work_on(late, world.ports)

    assert not late_with_robots
    assert [] == await world.events()
    assert (await world.hosts())[0].lease_id == current.fetch_id


async def test_a_page_that_always_ends_its_worker_dies(world: FetcherWorld) -> None:
    """After as many crashes as attempts the page is dead, and its job ends."""
    (url,) = world.source.serve_pages("1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url)
    for _ in range(world.settings.attempts_max):
        await world.lease()
        world.clock.advance(76)
    await world.run()

    assert {url: "dead(lease_expired)"} == await world.outcomes()


async def test_lane_now_goes_first(world: FetcherWorld) -> None:
    """A page that a person waits for overtakes the crawl of the same host."""
    seeds = world.source.serve_pages("1", "2", "3")
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    (wanted,) = world.source.serve_pages("now")
    await world.fetch(wanted, job_id="person", lane=Lane.NOW)
    await world.step()

    assert [wanted] == world.source.pages_asked()


async def test_a_person_makes_a_queued_page_urgent(world: FetcherWorld) -> None:
    """A page of a crawl that is asked for on lane now moves there, and is fetched once."""
    seeds = world.source.serve_pages("1", "2", "3")
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
    root, linked = world.source.serve_pages("", "linked")
    world.scopes.apply(scope("a.test", seeds=[root]))
    await world.crawl("before")
    await world.step()
    event = await world.event(PageFetched)
    await world.fetch(linked, job_id="holder")
    world.clock.advance(2)
    lease = await world.lease()
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
    (url,) = world.source.serve_pages("1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url, job_id="one")
    await world.step()
    event = await world.event(PageFetched)
    await world.fetch(url, job_id="two")
    world.clock.advance(100)

    assert StepKind.IDLE is (await world.step()).kind
    await world.index(event)
    assert StepKind.PAGE is (await world.step()).kind


@pytest.mark.parametrize("role", [Role.EXTRACTOR, Role.CHANGE_DETECTOR, Role.INDEXER])
async def test_crawls_wait_while_a_stage_is_behind(world: FetcherWorld, role: Role) -> None:
    """Above `pending_max` nothing is leased on lane bulk; a person is still served."""
    seeds = world.source.serve_pages("1", "2")
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


async def test_a_site_that_fills_a_stage_leaves_others_their_share(world: FetcherWorld) -> None:
    """Its own crawl waits until it has fewer pages on their way than its share; theirs go on."""
    world.settings = world.settings.model_copy(update={"pending_max": 4})
    world.ports = world.new_ports()
    flood = world.source.serve_pages(*map(str, range(9)), host="flood.test")
    others = world.source.serve_pages("1", "2", "3", host="b.test")
    world.scopes.apply(scope("flood.test", seeds=flood))
    await world.crawl("flood")
    for _ in range(5):
        await world.step()
        world.clock.advance(5)
    world.pending[Role.CHANGE_DETECTOR] = 5
    waiting = (await world.step()).kind
    world.scopes.apply(scope("flood.test", "b.test", seeds=others, revision=2))
    await world.crawl("others")
    await world.steps()
    taken = [url for url in world.source.pages_asked() if url in others]
    for event in await world.events(PageFetched):
        await world.extract(event)
        await world.index(event)
    asked = len(world.source.pages_asked())
    world.pending.clear()
    await world.steps()

    assert StepKind.IDLE is waiting
    # Half of four.
    assert 2 == len(taken)
    assert asked < len(world.source.pages_asked())


async def test_a_rule_removed_mid_crawl_admits_nothing_more(world: FetcherWorld) -> None:
    """Waiting pages are judged by the newest rules at lease time, unasked."""
    seeds = world.source.serve_pages("keep/1", "drop/1")
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    world.scopes.apply(scope("a.test/keep", seeds=seeds, revision=2))
    world.links[seeds[0]] = ("https://a.test/drop/2",)
    await world.run()

    assert {seeds[0]: "indexed", seeds[1]: "blocked(out_of_scope)"} == await world.outcomes()
    assert [seeds[0]] == world.source.pages_asked()


async def test_deleting_the_scope_ends_its_crawl(world: FetcherWorld) -> None:
    """A deleted scope holds no page."""
    seeds = world.source.serve_pages("1")
    world.scopes.apply(scope("a.test", seeds=seeds))
    await world.crawl()
    world.scopes.apply(scope("a.test", seeds=seeds, revision=2, deleted=True))
    await world.run()

    assert {seeds[0]: "blocked(out_of_scope)"} == await world.outcomes()


async def test_a_full_archive_costs_the_page_nothing(world: FetcherWorld) -> None:
    """What we cannot store is not the page's fault: it waits again, no attempt is counted."""
    (url,) = world.source.serve_pages("1")
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

    async def put_many(
        self, blobs: Sequence[NewBlob], *, patient: bool = False
    ) -> Sequence[BodyRef]:
        raise StoreUnavailable("full", reason="ARCHIVE_UNAVAILABLE")

    async def get(self, ref: BodyRef) -> bytes:
        raise AssertionError("nothing is read")


async def test_who_asks_for_a_busy_host_leaves_its_wake(world: FetcherWorld) -> None:
    """A robots.txt that leads to a host in use, then a crash of its user: the page comes again."""
    (url,) = world.source.serve_pages("1")
    world.scopes.apply(scope("a.test", seeds=[url]))
    await world.fetch(url)
    crashed = await world.lease()
    now = world.clock.now()
    borrowed = await world.ports.frontier.borrow("a.test", lease_id="other", now=now)
    await world.run()

    assert borrowed is None
    assert {url: "indexed"} == await world.outcomes()
    assert crashed.fetch_id != (await world.page(url)).last_fetch_id


async def test_a_held_host_is_looked_at_when_its_lease_runs_out(world: FetcherWorld) -> None:
    """Not when the next of its entries is due, which may be much later, or never."""
    one, two = world.source.serve_pages("1", "2")
    world.scopes.apply(scope("a.test", seeds=[one, two]))
    await world.fetch(one)
    lease = await world.lease()
    await world.fetch(two, job_id="other")
    await world.cancel("other")
    (host,) = await world.hosts()

    assert host.lease_id == lease.fetch_id
    assert host.wake_now == host.wake_bulk == host.lease_until


async def test_a_dead_worker_does_not_shorten_its_host_s_pause(world: FetcherWorld) -> None:
    """Its last request may have ended with the lease: the pause is counted from there."""
    one, two = world.source.serve_pages("1", "2")
    world.scopes.apply(scope("a.test", seeds=[one, two]))
    await world.fetch(one, two)
    held = await world.lease()
    async with world.database.transaction() as connection:
        slow = update(tables.host).values(crawl_delay_seconds=30.0)
        await connection.execute(slow)
    world.clock.advance(76)
    early = await fetch_next(world.ports)
    world.clock.advance(29)

    assert StepKind.IDLE is early.kind
    assert early.next_time == world.clock.now()
    assert (await world.lease()).fetch_id != held.fetch_id


async def test_a_scope_that_may_still_arrive_blocks_nothing(world: FetcherWorld) -> None:
    """After a restore the projection is empty until the gateway has filled it and vouches."""
    world.scopes.apply(scope("a.test", seeds=["https://a.test/"]))
    await world.crawl()
    world.scopes = ScopeBook()
    world.scopes.complete = True
    world.ports = world.new_ports()
    with pytest.raises(NotYetKnown):
        await lease_next(world.ports)

    world.scopes.apply(scope("a.test", seeds=["https://a.test/"]))
    world.scopes.vouched_time = world.clock.now()
    assert isinstance(await lease_next(world.ports), PageLease)
