"""Workers killed at random while pages are recrawled: what the hosts saw of it stays polite."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any

import pytest

from scops.common.contract.messages.change import Verdict, VersionAdded
from scops.common.contract.messages.crawl import JobState, PageFetched, PageUnmodified
from scops.common.contract.messages.types import ChangeSummary, OrderKey
from scops.common.scope.urls import host_key
from scops.fetcher import handlers
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.ledger.jobs import RECRAWL
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.upkeep import recrawl_due
from tests.connected.postgres.test_fetcher_storm import JOBS, Storm, _accept, build_site
from tests.fakes.late_database import JitteredDatabase
from tests.fakes.servers.postgres_states import PostgresStates
from tests.fakes.worlds.fetcher import FetcherWorld

DELAY_SECONDS = 1.0
# Every page is due again at once, and the budget pays for two a second.
SETTINGS = FetcherSettings(
    host_delay_seconds=DELAY_SECONDS,
    response_factor=0.0,
    attempts_max=20,
    request_seconds_max=20.0,
    recrawl_per_day=172_800,
    recrawl_stale_min=0.0,
    recrawl_hours_min=0.0,
)
SEEDS = range(1)
WORKERS, HANDLERS = 6, 4
KILLS = 12
# The killing begins when so many pages have been taken up unasked.
RECRAWLED = 3
TICK_SECONDS, TICK_EACH = 0.25, 0.005


@dataclass(slots=True)
class Request:
    """What a host saw of a request; one that was broken off ends when its connection does."""

    host: str
    url: str
    started: datetime
    ended: datetime | None = None
    broken_off: bool = False


@dataclass
class KillingStorm(Storm):
    """A storm in which the hosts keep a log, workers die, and pages are fetched unasked."""

    log: list[Request] = field(default_factory=list)
    workers: dict[int, "asyncio.Task[None]"] = field(default_factory=dict)
    requesting: set["asyncio.Task[Any] | None"] = field(default_factory=set)
    recrawled: int = 0
    calm: bool = False

    def keep_log(self) -> None:
        """Lets the hosts note every request, those for robots.txt too."""
        source = self.world.source
        source._ask = self._logged(source._ask)  # type: ignore[method-assign]

    def _logged(self, inner: Any) -> Callable[..., Awaitable[Any]]:
        async def logged(url: str, *sent: Any) -> Any:
            clock = self.world.clock
            request = Request(host_key(url), url, clock.now())
            self.log.append(request)
            self.requesting.add(asyncio.current_task())
            try:
                await asyncio.sleep(self.chance.random() * 0.02)
                return await inner(url, *sent)
            except asyncio.CancelledError:
                request.broken_off = True
                raise
            finally:
                request.ended = clock.now()
                self.requesting.discard(asyncio.current_task())

        return logged

    async def deliver(self, event: Any) -> None:
        await super().deliver(event)
        if isinstance(event, PageFetched | PageUnmodified):
            verdict = Verdict(
                page_id=event.page_id,
                order_key=OrderKey(observed_from=event.observed_time),
                verified_time=event.observed_time,
                observed_time=event.observed_time,
                summary=ChangeSummary(semantic=self.chance.random() < 0.5),
            )
            self._send(handlers.handle_verdict, VersionAdded(verdict=verdict))

    async def tick(self) -> None:
        """Time passes for everybody, also for a lease whose worker is dead."""
        while not self.ended:
            await asyncio.sleep(TICK_EACH)
            self.world.clock.advance(TICK_SECONDS)

    async def recrawl(self, ports: FetcherPorts) -> None:
        while not self.calm:
            self.recrawled += await self.patiently(lambda: recrawl_due(ports))
            await asyncio.sleep(0.05)

    def start_worker(self, place: int) -> None:
        task = asyncio.create_task(self.work(self.both[place % 2]))
        self.workers[place] = task

    async def kill(self) -> None:
        """Ends workers wherever they are, without a chance to give anything back."""
        while self.recrawled < RECRAWLED:
            await asyncio.sleep(0.01)
        for kills in range(KILLS):
            await asyncio.sleep(self.chance.random() * 0.2)
            place = await self._requesting_place() if kills % 2 else self.chance.randrange(WORKERS)
            self.workers[place].cancel()
            await asyncio.gather(self.workers[place], return_exceptions=True)
            self.start_worker(place)
        self.calm = True

    async def _requesting_place(self) -> int:
        """Waits for a worker in the middle of a request."""
        while True:
            found = [place for place, task in self.workers.items() if task in self.requesting]
            if found:
                return self.chance.choice(found)
            await asyncio.sleep(0.001)

    async def until_calm(self) -> None:
        """Waits until the killing is over and every job has ended, asked for or not."""
        while not self.calm or await self._running():
            await asyncio.sleep(0.05)
        self.ended = True
        await asyncio.gather(*self.workers.values())

    async def _running(self) -> list[Any]:
        rows = await self.world.rows(tables.job)
        return [row.job_id for row in rows if row.state == JobState.RUNNING.value]


@pytest.mark.parametrize("seed", SEEDS)
async def test_hosts_are_asked_politely_whoever_dies(postgres: PostgresStates, seed: int) -> None:
    """A host sees one request at a time, and its delay between any two, through recrawls too."""
    chance = random.Random(seed)
    address = postgres.address("fetcher")
    first = JitteredDatabase(address, name="first", chance=chance)
    second = JitteredDatabase(address, name="second", chance=chance)
    world = FetcherWorld(first, SETTINGS)
    storm = KillingStorm(world, (world.ports, world.new_ports(seed=1, database=second)), chance)
    try:
        build_site(world, chance)
        world.scopes.complete = True
        storm.keep_log()
        for place in range(WORKERS):
            storm.start_worker(place)
        async with asyncio.timeout(200), asyncio.TaskGroup() as tasks:
            tasks.create_task(storm.tick())
            for ports, database in zip(storm.both, (first, second), strict=True):
                tasks.create_task(storm.recrawl(ports))
                tasks.create_task(storm.relay(database))
            for _ in range(HANDLERS):
                tasks.create_task(storm.handle())
            for number in range(JOBS):
                tasks.create_task(_accept(storm, number))
            tasks.create_task(storm.kill())
            tasks.create_task(storm.until_calm())
        await storm.deliver_the_rest(first, second)
        await check(storm)
    finally:
        for task in storm.workers.values():
            task.cancel()
        await first.close()
        await second.close()


async def check(storm: KillingStorm) -> None:
    gaps = [gap for host in by_host(storm.log) for gap in gaps_of(host)]

    assert min(gaps) >= DELAY_SECONDS
    jobs = await storm.world.rows(tables.job)
    assert {job.job_id: 1 for job in jobs} == storm.finished
    assert 0 == sum(job.open_count for job in jobs)
    # It was a storm: requests were broken off, and recrawls asked for pages again.
    assert any(request.broken_off for request in storm.log)
    assert any(job.kind == RECRAWL and job.admitted_count for job in jobs)
    assert len(storm.log) > 2 * len({request.url for request in storm.log})
    assert not [text for text in storm.retried if "deadlock" in text], storm.retried


def by_host(log: list[Request]) -> list[list[Request]]:
    ordered = sorted(log, key=lambda request: (request.host, request.started))
    return [list(group) for _, group in groupby(ordered, key=lambda request: request.host)]


def gaps_of(requests: list[Request]) -> list[float]:
    """Returns the seconds between the end of each request and the start of the next."""
    assert all(request.ended is not None for request in requests)
    return [
        (later.started - earlier.ended).total_seconds()
        for earlier, later in pairwise(requests)
        if earlier.ended is not None
    ]
