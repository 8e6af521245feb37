"""Two fetchers meet in the middle of their transactions; each test is one way to lose something."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from scops.common.contract.messages.crawl import GoneReason, PageFetched
from scops.common.contract.messages.index import IndexOutcome, VersionIndexed
from scops.common.contract.messages.types import OrderKey
from scops.fetcher import handlers
from scops.fetcher.frontier.leases import PageLease, Release
from scops.fetcher.frontier.scheduler import work_on
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.frontier import PageResult
from scops.fetcher.settings import FetcherSettings
from tests.fakes.late_database import HeldDatabase
from tests.fakes.page_source import page_answer
from tests.fakes.servers.postgres_states import PostgresStates
from tests.fakes.worlds.fetcher import FetcherWorld, scope

SETTINGS = FetcherSettings(host_delay_seconds=0.0)
A, B = "https://h.test/a", "https://h.test/b"
# Longer than a transaction takes that nobody stops.
SOON_SECONDS = 0.4


@dataclass
class Meeting:
    """A fetcher, and another whose database stops before a statement."""

    world: FetcherWorld
    held: HeldDatabase
    other: FetcherPorts

    async def while_held(
        self, stopped: Coroutine[Any, Any, Any], meanwhile: Coroutine[Any, Any, Any]
    ) -> None:
        """Starts something on the held database, then something else, then lets both end."""
        first = asyncio.create_task(stopped)
        await asyncio.wait_for(self.held.reached.wait(), 10)
        second = asyncio.create_task(meanwhile)
        await asyncio.sleep(SOON_SECONDS)
        self.held.go.set()
        await asyncio.gather(first, second)


@asynccontextmanager
async def meeting(postgres: PostgresStates, *, before: str) -> AsyncIterator[Meeting]:
    address = postgres.address("fetcher")
    held = HeldDatabase(address, before=before)
    async with FetcherWorld.opened(address, settings=SETTINGS) as world:
        for url in (A, B):
            world.source.serve(url, page_answer(url))
        world.scopes.apply(scope("h.test", seeds=[A]))
        yield Meeting(world, held, world.new_ports(seed=1, database=held))
        await held.close()


async def record_gone(lease: PageLease, ports: FetcherPorts) -> None:
    now = ports.clock.now()
    release = Release(next_allowed_time=now, backoff=0)
    result = PageResult(lease=lease, time=now, what=GoneReason.NOT_FOUND)
    await ports.results.record([result], release=release, now=now)


def indexed(event: PageFetched) -> VersionIndexed:
    return VersionIndexed(
        page_id=event.page_id,
        fetch_id=event.fetch_id,
        outcome=IndexOutcome.ADDED,
        order_key=OrderKey(observed_from=event.observed_time),
    )


async def test_a_page_queued_while_its_host_is_released_is_not_forgotten(
    postgres: PostgresStates,
) -> None:
    """The release waits for who queues on the host, and then sees what was queued."""
    async with meeting(postgres, before="COMMIT") as met:
        await met.world.fetch(A, job_id="one")
        lease = await met.world.lease()

        await met.while_held(
            met.world.fetch(B, job_id="two", ports=met.other),
            record_gone(lease, met.world.ports),
        )

        assert B == (await met.world.lease()).url


@pytest.mark.parametrize("ending", ["gone", "fetched"])
async def test_a_job_that_meets_the_end_of_a_fetch_is_served(
    postgres: PostgresStates, ending: str
) -> None:
    """Whoever names a page whose fetch is just being recorded gets an outcome of its own."""
    # The extension of the lease before the request is a transaction, too.
    before = "COMMIT" if ending == "gone" else "INSERT INTO outbox"
    async with meeting(postgres, before=before) as met:
        await met.world.fetch(A, job_id="one")
        lease = await met.world.lease()
        record = record_gone if ending == "gone" else work_on

        await met.while_held(record(lease, met.other), met.world.crawl("two"))
        # The first outcome, then the fetch that it makes way for.
        await met.world.run()
        await met.world.run()

        for job_id in ("one", "two"):
            assert 0 == (await met.world.job(job_id)).counts.open


async def test_a_page_wanted_while_its_outcome_comes_is_fetched_again(
    postgres: PostgresStates,
) -> None:
    """The outcome does not see the new job's row, nor the job that the page is free."""
    async with meeting(postgres, before="COMMIT") as met:
        await met.world.fetch(A, job_id="one")
        await met.world.steps()
        event = await met.world.event(PageFetched)
        await met.world.extract(event)
        cause = met.world.cause()

        await met.while_held(
            handlers.handle_version_indexed(indexed(event), cause, met.other),
            met.world.fetch(A, job_id="two"),
        )
        await met.world.run()

        assert 0 == (await met.world.job("two")).counts.open


async def test_a_cancel_and_an_outcome_do_not_wait_for_each_other(
    postgres: PostgresStates,
) -> None:
    """Both lock the job before its rows."""
    async with meeting(postgres, before="UPDATE job SET") as met:
        await met.world.fetch(A, B, job_id="one")
        await met.world.steps()
        first, second = await met.world.events(PageFetched)
        for event in (first, second):
            await met.world.extract(event)
        cause = met.world.cause()

        await met.while_held(
            handlers.handle_version_indexed(indexed(first), cause, met.other),
            met.world.cancel("one"),
        )

        counts = (await met.world.job("one")).counts
        assert (0, 2) == (counts.open, counts.indexed + counts.cancelled)


async def test_two_outcomes_of_two_jobs_do_not_wait_for_each_other(
    postgres: PostgresStates,
) -> None:
    """A page's links come to its jobs in their order, whatever another page holds."""
    async with meeting(postgres, before="INSERT INTO alias") as met:
        for job_id in ("one", "two"):
            await met.world.crawl(job_id)
        await met.world.steps()
        event = await met.world.event(PageFetched)
        links = [f"https://h.test/{number}" for number in range(3)]
        both = [await met.world.extracted(event, links) for _ in range(2)]
        cause = met.world.cause()

        await met.while_held(
            handlers.handle_page_extracted(both[0], cause, met.other),
            handlers.handle_page_extracted(both[1], cause, met.world.ports),
        )

        for job_id in ("one", "two"):
            assert 4 == (await met.world.job(job_id)).counts.open
