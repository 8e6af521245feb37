"""A fetcher that is killed amid a run of a host: its pages are fetched by whoever comes next.

The process is a real one and dies of `kill -9`, with a request on its way, pages that were
answered and not recorded, and pages that it did not come to. On a file and on PostgreSQL.
"""

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from aiohttp import web

from scops.common.contract.messages.crawl import CrawlFinished, JobState, PageFetched
from scops.common.contract.service_table import Lane
from scops.common.db.address import Address, sqlite_url
from scops.common.db.database import Database
from scops.common.runtime.holder import Holder
from scops.fetcher.adapters.sql import tables
from scops.fetcher.frontier.leases import PageLease, PageRun
from scops.fetcher.frontier.runs import RUN_PAGES_MAX
from scops.fetcher.frontier.scheduler import BOTH_LANES, lease_some, work_on
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.upkeep import give_up_unrecorded
from tests.contract.fetcher_state.crashing_run import SETTINGS, opened
from tests.contract.ways_in.ways import HOST
from tests.fakes.servers.origin import Origin
from tests.fakes.servers.postgres_states import PostgresStates
from tests.fakes.worlds.fetcher import FetcherWorld, scope

PAGES = 20
# Amid whose answer the process dies, counted as pages are asked for.
SLOW = 5
DEATH_SECONDS = 60.0
# How often each of two processes looks for work.
LOOKS = 40


@dataclass
class Site:
    """Pages of one host, which counts who asks; one answer waits until somebody is dead."""

    origin: Origin
    asked: list[str] = field(default_factory=list)
    under_way: int = 0
    most_at_once: int = 0
    stuck: asyncio.Event = field(default_factory=asyncio.Event)
    dead: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.root = f"http://{HOST}:{self.origin.url.rpartition(':')[2]}"
        self.urls = [f"{self.root}/{number:02}" for number in range(PAGES)]
        for number in range(PAGES):
            self.origin.handle(f"/{number:02}", self._answer)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(f"{self.root}{request.path}")
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            if len(self.asked) == SLOW:
                self.stuck.set()
                await self.dead.wait()
            await asyncio.sleep(0)
        finally:
            self.under_way -= 1
        text = f"<!doctype html><html><body><p>Page {request.path}.</p></body></html>"
        return web.Response(text=text, content_type="text/html")


@pytest.fixture(params=["file", "postgresql"])
async def address(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    """Where a state is that several processes share, with its tables."""
    if request.param == "postgresql":
        states: PostgresStates = request.getfixturevalue("postgres")
        return states.address("fetcher")
    found = Address(url=sqlite_url(tmp_path / "fetcher.db"))
    async with FetcherWorld.opened(found):
        return found


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with Origin() as origin:
        yield Site(origin)


async def kill_amid_run(site: Site, address: Address, lock: Path) -> None:
    """Has a process lease a run, and kills it in a request of it."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.contract.fetcher_state.crashing_run"),
        *(str(lock), site.root.removeprefix("http://")),
        stdin=asyncio.subprocess.PIPE,
    )
    assert child.stdin is not None
    child.stdin.write(f"{address.url}\n{address.schema}\n".encode())
    child.stdin.close()
    async with asyncio.timeout(DEATH_SECONDS):
        await site.stuck.wait()
    os.kill(child.pid, signal.SIGKILL)
    await child.wait()
    site.dead.set()


async def work(ports: FetcherPorts) -> None:
    """Works as a slot of a process does, in runs where there are any."""
    for _ in range(LOOKS):
        for found in await lease_some(ports, lanes=BOTH_LANES, count=1, run_max=RUN_PAGES_MAX):
            if isinstance(found, PageLease | PageRun):
                await work_on(found, ports)
        await asyncio.sleep(0)


@pytest.mark.parametrize("heir", [True, False], ids=["same folder", "another machine"])
async def test_a_run_whose_fetcher_was_killed_is_fetched_by_others(
    site: Site, address: Address, tmp_path: Path, heir: bool
) -> None:
    """Each page is told of once, no host is asked by two at once, and the job ends."""
    world = opened(address)
    world.scopes.apply(scope(site.root.removeprefix("http://")))
    site.origin.replace("/first", "<p>It has a robots.txt.</p>")
    await world.fetch_at_once(f"{site.root}/first", job_id="first")
    await world.events()
    await world.fetch(*site.urls, lane=Lane.BULK)
    lock = tmp_path / "fetcher.holder"
    await kill_amid_run(site, address, lock)
    before = list(site.asked)
    held = [row for row in await world.rows(tables.fetch) if row.state == "leased"]
    (host,) = [row for row in await world.hosts() if row.lease_id]

    # It died in a run: it held many pages of the host, and had asked for some of them.
    assert RUN_PAGES_MAX == len(held)
    assert host.lease_id in {row.fetch_id for row in held}
    assert SLOW == len(before) == len(set(before))

    holder = Holder(lock)
    if heir:
        await holder.enter()
    second = Database(address, name="second")
    both = (world.new_ports(seed=1, holder=holder), world.new_ports(seed=2, database=second))
    inherited = await both[0].frontier.inherit(now=world.clock.now())
    if not heir:
        await asyncio.gather(*(work(ports) for ports in both))
        assert before == site.asked
        world.clock.advance(timedelta(seconds=2 * SETTINGS.lease_seconds + 1).total_seconds())
        for ports in both:
            await give_up_unrecorded(ports)
    await asyncio.gather(*(work(ports) for ports in both))
    events = [*await world.run(), *await world.events()]
    job, states = await world.job(), {row.state for row in await world.rows(tables.fetch)}
    holder.leave()
    await second.close()
    await world.database.close()
    assert world.web is not None
    await world.web.close()
    fetched = [one.canonical_url for one in events if isinstance(one, PageFetched)]

    assert int(heir) == inherited
    assert site.urls == sorted(fetched)
    assert Counter([*site.urls, *before]) == Counter(site.asked)
    assert 1 == site.most_at_once
    assert (JobState.COMPLETED, 0) == (job.state, job.counts.open)
    assert 1 == len([one for one in events if isinstance(one, CrawlFinished)])
    assert "leased" not in states
