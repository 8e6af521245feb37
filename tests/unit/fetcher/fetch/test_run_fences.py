"""Runs that stood still: what another may be asking is not asked, nor what was given up."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from scops.common.archive.ports import NewBlob
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef
from scops.fetcher.frontier.leases import PageLease
from scops.fetcher.frontier.scheduler import lease_some, work_on
from scops.fetcher.upkeep import give_up_unrecorded
from tests.fakes.worlds.fetcher import FetcherWorld
from tests.fakes.worlds.runs import SETTINGS, BusyWeb, host_of_pages, run_of, waiting


@pytest.fixture
async def world() -> AsyncIterator[FetcherWorld]:
    """Six pages of a host with a short pause."""
    async with host_of_pages() as opened:
        yield opened


async def test_each_request_is_fenced(world: FetcherWorld) -> None:
    """Who stood still amid a run asks nothing that another may be asking; what came is kept."""
    run = await run_of(world)
    others = world.new_ports(seed=1)

    async def stand_still() -> None:
        world.clock.advance(3 * SETTINGS.lease_seconds)
        await lease_some(others, count=1)

    busy = replace(world.ports, source=BusyWeb(world.source, stand_still, before=4))
    assert not await work_on(run, busy)

    assert [page.url for page in run.pages[:3]] == world.source.pages_asked()
    (row,) = await world.hosts()
    assert row.lease_id not in {None, run.host.lease_id}


async def test_a_lease_that_was_taken_over_ends_the_run(world: FetcherWorld) -> None:
    """The page whose request was not sent waits again with the rest."""
    run = await run_of(world)
    world.clock.advance(3 * SETTINGS.lease_seconds)
    (taken,) = await lease_some(world.new_ports(seed=1), count=1)
    assert isinstance(taken, PageLease)
    assert not await work_on(run, world.ports)

    assert [] == world.source.pages_asked()
    assert {page.url for page in run.pages} <= {taken.url, *await waiting(world)}


async def test_a_page_that_was_given_up_is_not_asked_for(world: FetcherWorld) -> None:
    """The host is still the run's own, but its pages wait for whoever leases them next."""
    run = await run_of(world)

    async def stand_still() -> None:
        world.clock.advance(3 * SETTINGS.lease_seconds)
        await give_up_unrecorded(world.ports)

    busy = replace(world.ports, source=BusyWeb(world.source, stand_still, before=4))
    assert not await work_on(run, busy)

    assert [page.url for page in run.pages[:3]] == world.source.pages_asked()
    assert [] == [row for row in await world.hosts() if row.lease_id is not None]
    # Its first page is given up with the host's lease alone.
    assert sorted(page.url for page in run.pages[1:]) == sorted(await waiting(world))


async def test_a_page_that_is_asked_for_late_is_not_given_up(world: FetcherWorld) -> None:
    """Its lease was extended before the request, so that nobody asks for it again meanwhile."""
    run = await run_of(world)
    late = run.pages[3].url

    async def stand_still() -> None:
        world.clock.advance(3 * SETTINGS.lease_seconds)

    busy = replace(
        world.ports,
        source=BusyWeb(world.source, stand_still, before=4),
        archive=WatchedArchive(world),
    )
    assert await work_on(run, busy)

    assert late == world.source.pages_asked()[-1]
    assert late in [event.canonical_url for event in await world.events(PageFetched)]
    assert late not in await waiting(world)


class WatchedArchive:
    """The watchdog looks just before bodies are kept."""

    def __init__(self, world: FetcherWorld) -> None:
        self._world = world
        self.get = world.ports.archive.get

    async def put_many(
        self, blobs: Sequence[NewBlob], *, patient: bool = False
    ) -> Sequence[BodyRef]:
        await give_up_unrecorded(self._world.ports)
        return await self._world.ports.archive.put_many(blobs, patient=patient)
