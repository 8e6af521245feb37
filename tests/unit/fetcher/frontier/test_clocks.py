"""Clocks that jump, or were wrong: no host is asked too early, and none sleeps for hours."""

from dataclasses import replace
from datetime import timedelta

import pytest

from scops.common.contract.messages.crawl import PageFetched
from scops.fetcher.adapters.sql import tables
from scops.fetcher.frontier.leases import Idle, PageLease
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.upkeep import seek_lost
from tests.fakes.fetcher_steps import lease_next
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
HOUR = 3600.0


def unsettled(ports: FetcherPorts) -> FetcherPorts:
    return replace(ports, settled=lambda seconds: False)


async def test_nothing_is_leased_while_a_clock_is_unsettled(world: FetcherWorld) -> None:
    """A jump makes leases of open requests look as if they had run out."""
    one, two = world.source.serve_pages("1", "2")
    world.scopes.apply(scope("a.test", seeds=[one, two]))
    await world.fetch(one, two)
    held = await world.lease()
    world.clock.advance(HOUR)
    jumped = await lease_next(unsettled(world.ports))
    later = await lease_next(world.ports)

    assert isinstance(jumped, Idle)
    assert isinstance(later, PageLease)
    assert later.fetch_id != held.fetch_id


@pytest.mark.parametrize("hours", [1, 24])
async def test_a_clock_that_was_ahead_puts_no_host_off(world: FetcherWorld, hours: int) -> None:
    """Pauses, leases and due times that it wrote are brought back; jobs go on within seconds."""
    one, two, three = (world.source.serve_pages("x", host=f"{h}.test")[0] for h in "abc")
    world.scopes.apply(scope("a.test", "b.test", "c.test", seeds=[one, two, three]))
    world.clock.advance(hours * HOUR)
    await world.fetch(one, two, three)
    await world.lease()
    await world.step()
    world.clock.turn_back(hours * HOUR)
    frozen = await lease_next(world.ports)
    await seek_lost(unsettled(world.ports))
    untouched = await lease_next(world.ports)
    await seek_lost(world.ports)
    began = world.clock.now()
    await world.run()

    assert isinstance(frozen, Idle)
    assert isinstance(untouched, Idle)
    assert {"indexed"} == set((await world.outcomes()).values())
    assert world.clock.now() - began < timedelta(seconds=200)


async def test_a_loss_from_before_a_clock_was_set_back_is_found(world: FetcherWorld) -> None:
    """Its time of publication lies ahead, and is not waited for."""
    world.source.serve(ROOT, page_answer("root"))
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    world.clock.advance(24 * HOUR)
    await world.fetch(ROOT)
    await world.steps()
    await world.events()
    world.clock.turn_back(24 * HOUR)
    await seek_lost(world.ports)
    world.clock.advance(61)
    await seek_lost(world.ports)

    assert 2 == (await world.event(PageFetched)).attempt


async def test_what_is_put_off_rightly_stays_so(world: FetcherWorld) -> None:
    """Pauses that hosts ask for, and retries, are not cut short."""
    one, two = world.source.serve_pages("1", "2")
    world.scopes.apply(scope("a.test", seeds=[one, two]))
    await world.fetch(one, two)
    await world.lease()
    before = await world.rows(tables.host), await world.rows(tables.queue)
    await seek_lost(world.ports)

    assert before == (await world.rows(tables.host), await world.rows(tables.queue))


async def test_observed_times_of_a_page_only_grow(world: FetcherWorld) -> None:
    """Also where the clock was set back between two fetches."""
    world.source.serve(ROOT, page_answer("one"))
    world.scopes.apply(scope("a.test", seeds=[ROOT]))
    times = []
    for number in range(3):
        world.source.serve(ROOT, page_answer(f"text {number}"))
        await world.fetch(ROOT, job_id=f"job-{number}")
        times += [event.observed_time for event in await world.run() if hasattr(event, "body")]
        world.clock.turn_back(HOUR)
        await seek_lost(world.ports)

    assert 3 == len(times)
    assert sorted(set(times)) == times
