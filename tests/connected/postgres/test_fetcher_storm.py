"""Two fetchers on one state, everything at once: jobs that overlap, links, outcomes, a cancel."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import (
    CancelJob,
    CrawlFinished,
    CrawlScope,
    PageFetched,
    PageGone,
    PagesVerified,
    PageUnmodified,
)
from scops.common.contract.messages.index import HeadsVerified, IndexOutcome, VersionIndexed
from scops.common.contract.messages.types import OrderKey
from scops.common.contract.service_table import Lane
from scops.common.db.database import Database
from scops.common.db.outbox import relay
from scops.fetcher import handlers
from scops.fetcher.adapters.sql import tables
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.upkeep import publish_verified
from tests.fakes.bus import RecordingPublisher
from tests.fakes.clock import ManualClock
from tests.fakes.fetcher_steps import StepKind, fetch_next
from tests.fakes.late_database import JitteredDatabase
from tests.fakes.page_source import page_answer
from tests.fakes.patience import patiently
from tests.fakes.servers.postgres_states import PostgresStates
from tests.fakes.worlds.fetcher import SCOPE, FetcherWorld, scope

SETTINGS = FetcherSettings(host_delay_seconds=0.0)
HOSTS = 3
PAGES = 12
LINKS = 4
JOBS = 4
SEEDS = range(3)
WORKERS = 6
HANDLERS = 6
# Pages that may come under one lease of their host.
RUNS_MAX = (1, 2, 16)
ROUNDS_IDLE_MAX = 40


@dataclass
class Storm:
    """Both fetchers, the messages under way, and what had to be tried again."""

    world: FetcherWorld
    both: tuple[FetcherPorts, FetcherPorts]
    chance: random.Random
    publisher: RecordingPublisher = field(default_factory=RecordingPublisher)
    inbox: asyncio.Queue[Callable[[FetcherPorts], Awaitable[Any]]] = field(
        default_factory=asyncio.Queue
    )
    retried: list[str] = field(default_factory=list)
    open_hosts: Counter[str] = field(default_factory=Counter)
    finished: Counter[str] = field(default_factory=Counter)
    overlaps: list[str] = field(default_factory=list)
    ended: bool = False

    async def patiently(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Does something as the bus does: again where an error says that it passes."""
        return await patiently(work, told=self.retried)

    def ports(self) -> FetcherPorts:
        return self.chance.choice(self.both)

    async def work(self, ports: FetcherPorts) -> None:
        while not self.ended:
            run_max = self.chance.choice(RUNS_MAX)
            step = await self.patiently(partial(fetch_next, ports, run_max=run_max))
            if step.kind is StepKind.IDLE:
                await asyncio.sleep(0.01)

    async def relay(self, database: Database) -> None:
        while not self.ended:
            await self.patiently(lambda: publish_verified(self.ports(), limit=2))
            await self.patiently(
                lambda: relay(database, tables.outbox, self.publisher, clock=ManualClock())
            )
            while self.publisher.published:
                await self.deliver(self.publisher.published.pop(0).message)
            await asyncio.sleep(0.005)

    async def deliver(self, event: Any) -> None:
        """Answers an event as the rest of the pipeline does, in any order and perhaps twice."""
        if isinstance(event, CrawlFinished):
            self.finished[event.job_id] += 1
        if isinstance(event, PageFetched):
            links = self.world.links[event.canonical_url]
            extracted = await self.world.extracted(event, links)
            self._send(handlers.handle_page_extracted, extracted)
        if isinstance(event, PageFetched | PageUnmodified | PageGone):
            answer = VersionIndexed(
                page_id=event.page_id,
                fetch_id=event.fetch_id,
                outcome=IndexOutcome.CLOSED if isinstance(event, PageGone) else IndexOutcome.ADDED,
                order_key=OrderKey(observed_from=event.observed_time),
            )
            self._send(handlers.handle_version_indexed, answer)
        if isinstance(event, PagesVerified):
            fetch_ids = [page.fetch_id for page in event.pages]
            alone = self.chance.randrange(len(fetch_ids) + 1)
            verified = HeadsVerified(
                fetch_ids=tuple(fetch_ids[alone:]), unsettled_fetch_ids=tuple(fetch_ids[:alone])
            )
            self._send(handlers.handle_heads_verified, verified)

    def _send(self, handler: Any, message: Any) -> None:
        cause = self.world.cause()
        for _ in range(self.chance.choice((1, 1, 2))):
            self.inbox.put_nowait(lambda ports: handler(message, cause, ports))

    async def handle(self) -> None:
        while not self.ended:
            try:
                message = await asyncio.wait_for(self.inbox.get(), 0.05)
            except TimeoutError:
                continue
            await self.patiently(lambda message=message: message(self.ports()))  # type: ignore[misc]

    async def until_jobs_end(self) -> None:
        quiet = 0
        while quiet < ROUNDS_IDLE_MAX:
            records = await self.both[0].catalogue.jobs([JobId(f"job-{n}") for n in range(JOBS)])
            if len(records) == JOBS and all(record.finished_time for record in records):
                break
            quiet = 0 if self.inbox.qsize() or any(self.open_hosts.values()) else quiet + 1
            # Retry delays and leases pass while nothing else happens.
            self.world.clock.advance(1.0 if quiet > 5 else 0.0)
            await asyncio.sleep(0.05)
        self.ended = True

    async def deliver_the_rest(self, *databases: Database) -> None:
        """Sends and delivers what still waits once everybody has ended."""
        for database in databases:
            await relay(database, tables.outbox, self.publisher, clock=ManualClock())
        for outgoing in self.publisher.published:
            await self.deliver(outgoing.message)

    def watch_hosts(self) -> None:
        """Notes when two requests to one host are open at once."""
        inner = self.world.source._ask

        async def watched(url: str, *sent: Any) -> Any:
            host = url.split("/")[2]
            self.open_hosts[host] += 1
            if self.open_hosts[host] > 1:
                self.overlaps.append(host)
            await asyncio.sleep(0.001)
            try:
                return await inner(url, *sent)
            finally:
                self.open_hosts[host] -= 1

        self.world.source._ask = watched  # type: ignore[method-assign]


def build_site(world: FetcherWorld, chance: random.Random) -> list[str]:
    urls = [f"https://h{number % HOSTS}.test/{number}" for number in range(PAGES)]
    for url in urls:
        world.source.serve(url, page_answer(url))
        world.links[url] = tuple(chance.sample(urls, LINKS))
    hosts = (f"h{number}.test" for number in range(HOSTS))
    world.scopes.apply(scope(*hosts, seeds=urls[:2]))
    return urls


async def _accept(storm: Storm, number: int) -> None:
    await asyncio.sleep(number * 0.05)
    command = CrawlScope(
        job_id=JobId(f"job-{number}"), scope=SCOPE, accepted_time=storm.world.clock.now()
    )
    cause = storm.world.cause(Lane.NOW if number % 2 else Lane.BULK)
    await storm.patiently(lambda: handlers.handle_crawl_scope(command, cause, storm.ports()))


async def _cancel(storm: Storm, number: int) -> None:
    await asyncio.sleep(0.1 + storm.chance.random())
    command = CancelJob(job_id=JobId(f"job-{number}"))
    cause = storm.world.cause()
    await storm.patiently(lambda: handlers.handle_cancel_job(command, cause, storm.ports()))


@pytest.mark.parametrize("seed", SEEDS)
async def test_every_job_ends_once_however_two_fetchers_meet(
    postgres: PostgresStates, seed: int
) -> None:
    """Overlapping crawls on two pools end with one outcome a page, and nothing waits for ever."""
    chance = random.Random(seed)
    address = postgres.address("fetcher")
    first = JitteredDatabase(address, name="first", chance=chance)
    second = JitteredDatabase(address, name="second", chance=chance)
    world = FetcherWorld(first, SETTINGS)
    try:
        storm = Storm(world, (world.ports, world.new_ports(seed=1, database=second)), chance)
        build_site(world, chance)
        storm.watch_hosts()
        async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
            for number in range(WORKERS):
                tasks.create_task(storm.work(storm.both[number % 2]))
            for database in (first, second):
                tasks.create_task(storm.relay(database))
            for _ in range(HANDLERS):
                tasks.create_task(storm.handle())
            for number in range(JOBS):
                tasks.create_task(_accept(storm, number))
            for number in range(JOBS // 2):
                tasks.create_task(_cancel(storm, number))
            tasks.create_task(storm.until_jobs_end())

        await storm.deliver_the_rest(first, second)
        await check(storm)
    finally:
        await first.close()
        await second.close()


async def check(storm: Storm) -> None:
    for number in range(JOBS):
        record = await storm.world.job(f"job-{number}")
        assert record.finished_time is not None, (record, storm.retried)
        assert record.counts.open == 0
        assert all(row.outcome not in ("", "open") for row in record.outcomes)
        total = record.counts.indexed + record.counts.unchanged + record.counts.cancelled
        assert total == len(record.outcomes)
    assert storm.finished == {f"job-{number}": 1 for number in range(JOBS)}
    assert storm.overlaps == []
    assert not [text for text in storm.retried if "deadlock" in text], storm.retried
