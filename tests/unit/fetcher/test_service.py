"""The running service: loops, wake-ups, and a person who does not wait behind a crawl."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from scops.common.archive.opening import open_archive
from scops.common.bus.ports import Cause, Outgoing, Sealed
from scops.common.config.settings import CommonSettings
from scops.common.contract.ids import EventId, JobId
from scops.common.contract.messages.crawl import FetchPage, PageFetched
from scops.common.contract.service_table import Lane, Role, consumed_by
from scops.common.db.database import Database
from scops.common.processes.pool import ChildPool
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.platform import Platform, SharedResources
from scops.common.runtime.service import Service
from scops.common.runtime.wakeup import Wakeup
from scops.common.scope.book import ScopeBook
from scops.fetcher import service as fetcher_service
from scops.fetcher.adapters.sql import tables
from scops.fetcher.ports.page_source import FetchRequest, FetchResult, RequestGate
from scops.fetcher.settings import FetcherSettings
from tests.fakes.bus import messages_in
from tests.fakes.clock import ManualClock
from tests.fakes.page_source import FakePageSource, page_answer
from tests.fakes.query_client import LocalQueryClient
from tests.fakes.worlds.fetcher import SCOPE, scope
from tests.fakes.worlds.services import handler_of, messages_of

PROMPT_SECONDS = 0.5


@dataclass
class Recorder:
    """A publisher that keeps what it is given."""

    published: list[Outgoing] = field(default_factory=list)
    seen: asyncio.Event = field(default_factory=asyncio.Event)

    async def publish(self, outgoing: Outgoing) -> None:
        self.published.append(outgoing)
        self.seen.set()

    async def send(self, sealed: Sealed) -> None:
        self.published += messages_in(sealed)
        self.seen.set()

    async def until(self, wanted: Callable[[Any], bool]) -> Any:
        """Waits for a message."""
        while True:
            for outgoing in self.published:
                if wanted(outgoing.message):
                    return outgoing.message
            self.seen.clear()
            await self.seen.wait()


class SlowSource(FakePageSource):
    """Answers pages of one host only when told."""

    def __init__(self) -> None:
        super().__init__(ManualClock())
        self.released = asyncio.Event()

    async def fetch(self, request: FetchRequest, gate: RequestGate) -> FetchResult:
        answer = await super().fetch(request, gate)
        if "slow" in request.url:
            await self.released.wait()
        return answer


@asynccontextmanager
async def running(
    monkeypatch: pytest.MonkeyPatch, source: SlowSource, settings: FetcherSettings
) -> AsyncIterator[tuple[Service, Recorder]]:
    """Runs the service's loops as the runner does."""
    database, recorder = Database("sqlite://"), Recorder()
    async with database.transaction() as connection:
        await connection.run_sync(tables.metadata.create_all)
    book = ScopeBook([scope("slow.test", "fast.test", *(f"s{n}.test" for n in range(9)))])
    book.complete, book.vouched_before = True, True
    book.vouched_time = SystemClock().now()
    platform = Platform(
        common=CommonSettings(),
        clock=SystemClock(),
        archive=open_archive("memory://", "main"),
        publisher=recorder,
        query_client=LocalQueryClient((), clock=SystemClock()),
        scope_book=book,
        random=random.Random(0),
        shared=SharedResources(CommonSettings()),
        children=ChildPool.of_settings(CommonSettings()),
        database=lambda name: database,
        backlog=no_backlog,
    )
    monkeypatch.setattr(fetcher_service, "_page_source", lambda *_: source)
    service = fetcher_service.build(settings, platform)
    tasks = [asyncio.create_task(run_loop(loop.run)) for loop in service.loops]
    yield service, recorder
    source.released.set()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await service.close()
    await database.close()


async def run_loop(run: Callable[[], Awaitable[None]]) -> None:
    await run()


async def nothing() -> Any:
    raise AssertionError("the fetcher embeds nothing")


async def no_backlog(role: Role) -> int:
    return 0


async def command(service: Service, message: Any, lane: Lane) -> None:
    handler = handler_of(service, type(message))
    cause = Cause(
        event_id=EventId("x"),
        organisation_id="main",
        lane=lane,
        published_time=SystemClock().now(),
    )
    await handler(message, cause)


def fetch_page(job_id: str, *urls: str) -> FetchPage:
    return FetchPage(
        job_id=JobId(job_id), scope=SCOPE, accepted_time=SystemClock().now(), urls=urls
    )


async def test_a_person_reaches_the_wire_while_every_worker_is_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reserved workers serve lane now at once although crawls hold all the others."""
    source = SlowSource()
    slow = [f"https://s{number}.test/slow" for number in range(4)]
    for url in (*slow, "https://fast.test/"):
        source.serve(url, page_answer(url))
    settings = FetcherSettings(workers=2, host_delay_seconds=0.0)
    async with running(monkeypatch, source, settings) as (service, recorder):
        await command(service, fetch_page("crawl", *slow), Lane.BULK)
        await until(lambda: sum("slow" in url for url in source.pages_asked()) == 2)
        async with asyncio.timeout(PROMPT_SECONDS):
            await command(service, fetch_page("person", "https://fast.test/"), Lane.NOW)
            event = await recorder.until(lambda message: isinstance(message, PageFetched))

    assert "https://fast.test/" == event.url


async def test_idle_workers_wake_for_new_work_and_for_the_hosts_delay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sleepers neither poll nor oversleep: pages of one host come at its delay."""
    source = SlowSource()
    urls = [f"https://fast.test/{number}" for number in range(5)]
    for url in urls:
        source.serve(url, page_answer(url))
    monkeypatch.setattr("scops.fetcher.frontier.workers.IDLE_SECONDS_MAX", 60.0)
    settings = FetcherSettings(host_delay_seconds=0.05)
    async with running(monkeypatch, source, settings) as (service, _):
        await asyncio.sleep(0.05)
        async with asyncio.timeout(5):
            await command(service, fetch_page("one", *urls), Lane.BULK)
            await until(lambda: len(source.pages_asked()) == len(urls))

    assert sorted(urls) == sorted(source.pages_asked())


async def test_the_service_consumes_what_the_contract_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each message that the table gives to the fetcher has one handler, and none else."""
    async with running(monkeypatch, SlowSource(), FetcherSettings()) as (service, _):
        bound = messages_of(service)

    assert {entry.message for entry in consumed_by(Role.FETCHER)} == set(bound)
    assert len(bound) == len(set(bound))


async def until(condition: Callable[[], bool]) -> None:
    """Waits for something that other tasks bring about."""
    while not condition():
        await asyncio.sleep(0.005)


async def test_wakeup_remembers_one_call() -> None:
    """A call that finds nobody asleep lets the next sleeper pass."""
    wakeup = Wakeup()
    wakeup.notify()
    wakeup.notify()
    async with asyncio.timeout(1):
        await wakeup.wait(60)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await wakeup.wait(60)


async def test_wakeup_wakes_one_sleeper_at_a_time() -> None:
    """Two sleepers, one call: one wakes, the one that has slept longest."""
    wakeup = Wakeup()
    first = asyncio.create_task(wakeup.wait(60))
    await asyncio.sleep(0)
    second = asyncio.create_task(wakeup.wait(60))
    await asyncio.sleep(0)
    wakeup.notify()
    await first

    assert not second.done()
    wakeup.notify()
    await second
