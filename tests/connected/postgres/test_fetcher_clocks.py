"""Fetchers on one PostgreSQL whose clocks differ: each host meets one request at once."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from scops.common.archive.opening import open_archive
from scops.common.bus.ports import Cause, Outgoing, Sealed
from scops.common.config.settings import CommonSettings
from scops.common.contract.ids import EventId, JobId
from scops.common.contract.messages.crawl import FetchPage
from scops.common.contract.service_table import Lane, Role
from scops.common.db.database import Database
from scops.common.processes.pool import ChildPool
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.platform import Platform, SharedResources
from scops.common.runtime.service import Service
from scops.common.scope.book import ScopeBook
from scops.fetcher import service as fetcher_service
from scops.fetcher.settings import FetcherSettings
from tests.connected.waiting import until
from tests.fakes.bus import messages_in
from tests.fakes.clock import ManualClock
from tests.fakes.page_source import FakePageSource, page_answer
from tests.fakes.query_client import LocalQueryClient
from tests.fakes.servers.postgres_states import PostgresStates
from tests.fakes.worlds.fetcher import SCOPE, scope
from tests.fakes.worlds.services import handler_of

DELAY_SECONDS = 0.3
ANSWER_SECONDS = 0.7
# What a difference of clocks may cost of a pause.
TOLERANCE_SECONDS = 0.05


@dataclass
class SkewedClock(SystemClock):
    """A machine's clock that is wrong."""

    seconds: float

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.seconds)


class LoggedSource(FakePageSource):
    """A host that takes its time, and notes when it was asked and had answered."""

    def __init__(self) -> None:
        super().__init__(ManualClock())
        self.log: list[tuple[float, float]] = []
        self.open = 0
        self.most_open = 0

    async def _ask(self, url: str, conditional: bool, sent: tuple[tuple[str, str], ...]) -> Any:
        began = time.monotonic()
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            await asyncio.sleep(ANSWER_SECONDS)
            return await super()._ask(url, conditional, sent)
        finally:
            self.open -= 1
            self.log.append((began, time.monotonic()))


@dataclass
class Publications:
    """A publisher that keeps what it is given."""

    published: list[Outgoing] = field(default_factory=list)

    async def publish(self, outgoing: Outgoing) -> None:
        self.published.append(outgoing)

    async def send(self, sealed: Sealed) -> None:
        self.published += messages_in(sealed)


async def _nothing_owed(role: Role) -> int:
    return 0


@asynccontextmanager
async def fetcher(database: Database, skew: float) -> AsyncIterator[Service]:
    """Runs a fetcher as its process does, on a machine whose clock is wrong."""
    book = ScopeBook([scope("a.test")])
    book.complete, book.vouched_before = True, True
    book.vouched_time = SystemClock().now()
    clock = SkewedClock(skew)
    platform = Platform(
        common=CommonSettings(),
        clock=clock,
        archive=open_archive("memory://", "main"),
        publisher=Publications(),
        query_client=LocalQueryClient((), clock=clock),
        scope_book=book,
        random=random.Random(skew),
        shared=SharedResources(CommonSettings()),
        children=ChildPool.of_settings(CommonSettings()),
        database=lambda name: database,
        backlog=_nothing_owed,
    )
    settings = FetcherSettings(host_delay_seconds=DELAY_SECONDS, response_factor=0.0)
    service = fetcher_service.build(settings, platform)
    tasks = [asyncio.create_task(_run(loop.run)) for loop in service.loops]
    yield service
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await service.close()


async def _run(loop: Callable[[], Any]) -> None:
    await loop()


async def _ask_for(service: Service, urls: list[str]) -> None:
    handler = handler_of(service, FetchPage)
    now = SystemClock().now()
    command = FetchPage(job_id=JobId("job"), scope=SCOPE, accepted_time=now, urls=tuple(urls))
    cause = Cause(event_id=EventId("x"), organisation_id="main", lane=Lane.BULK, published_time=now)
    await handler(command, cause)


@pytest.mark.parametrize("skew", [90.0, -90.0, 7200.0])
async def test_machines_whose_clocks_differ_share_a_host_politely(
    postgres: PostgresStates, monkeypatch: pytest.MonkeyPatch, skew: float
) -> None:
    """More than a lease is long: by its own clock the other would take every held host over."""
    source = LoggedSource()
    monkeypatch.setattr(fetcher_service, "_page_source", lambda *_: source)
    urls = [f"https://a.test/{number}" for number in range(6)]
    for url in urls:
        source.serve(url, page_answer(url))
    address = postgres.address("fetcher")
    one, two = Database(address, name="fetcher"), Database(address, name="fetcher")
    async with fetcher(one, 0.0) as service, fetcher(two, skew):
        await _ask_for(service, urls)
        await until(lambda: set(source.pages_asked()) >= set(urls), timeout_seconds=40)
    await one.close()
    await two.close()
    pauses = [after[0] - before[1] for before, after in pairwise(sorted(source.log))]

    assert 1 == source.most_open
    assert len(urls) == len(source.pages_asked())
    assert min(pauses) > DELAY_SECONDS - TOLERANCE_SECONDS
