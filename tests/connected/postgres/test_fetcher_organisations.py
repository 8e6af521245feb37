"""Fetchers of two organisations on one server ask a host as politely as one fetcher does."""

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from scops.common.config.settings import CommonSettings
from scops.common.contract.messages.crawl import GoneReason
from scops.common.contract.organisations import schema_name
from scops.common.contract.service_table import Role
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.common.db.migrate import upgrade
from scops.fetcher.frontier.leases import Idle, LeaseLost, PageLease, Release, Settled
from scops.fetcher.ports.frontier import PageResult
from scops.fetcher.settings import FetcherSettings
from scops.standalone.process.database_logins import provision_logins
from scops.standalone.process.parts import parts_of
from tests.connected.postgres.test_schemas import migrations_of
from tests.fakes.clock import ManualClock
from tests.fakes.fetcher_steps import StepKind, lease_next
from tests.fakes.page_source import page_answer
from tests.fakes.servers.postgres import apart
from tests.fakes.servers.postgres_states import BOUNDS, PostgresStates
from tests.fakes.worlds.fetcher import FetcherWorld, scope

DELAY_SECONDS = 5.0
SETTINGS = FetcherSettings(host_delay_seconds=DELAY_SECONDS)
PAGES = [f"https://h.test/{number}" for number in range(6)]
PASSWORD = "a password of some length"
STEPS_MAX = 400
ORGANISATIONS = ("main", "acme")


@pytest.fixture
async def two(postgres: PostgresStates) -> AsyncIterator[list[FetcherWorld]]:
    """A fetcher of each, by one clock; the same pages wait for both."""
    url = postgres.server.new_database()
    worlds: list[FetcherWorld] = []
    async with AsyncExitStack() as stack:
        for organisation in ORGANISATIONS:
            address = Address(url=url, schema=schema_name(organisation, "fetcher"), bounds=BOUNDS)
            apart(partial(upgrade, address, migrations_of("fetcher")))
            database = Database(address, name="fetcher")
            stack.push_async_callback(database.close)
            clock = worlds[0].clock if worlds else ManualClock()
            world = FetcherWorld(database, SETTINGS, clock)
            world.ports = world.new_ports(seed=len(worlds))
            world.scopes.apply(scope("h.test", seeds=PAGES))
            for page in PAGES:
                world.source.serve(page, page_answer(page))
            worlds.append(world)
        yield worlds


async def test_a_host_is_asked_by_both_no_faster_than_by_one(two: list[FetcherWorld]) -> None:
    """Whoever goes first: every two requests, robots.txt too, are the host's delay apart."""
    chance = random.Random(7)
    for world in two:
        await world.fetch(*PAGES)
    resting: set[int] = set()
    for _ in range(STEPS_MAX):
        idle: list[datetime] = []
        for number in chance.sample([0, 1], 2):
            step = await two[number].step()
            if step.kind is StepKind.IDLE:
                resting |= {number} if step.next_time is None else set()
                idle += [] if step.next_time is None else [step.next_time]
        if len(resting) == len(two):
            break
        if idle:
            two[0].clock.advance(max(0.0, (min(idle) - two[0].clock.now()).total_seconds()))

    for world in two:
        assert set(PAGES) <= {one.url for one in world.source.asked}
    times = sorted(one.time for world in two for one in world.source.asked)
    gaps = [(after - before).total_seconds() for before, after in pairwise(times)]
    assert DELAY_SECONDS <= min(gaps)
    # And no slower than one fetcher with all of it, give or take a look.
    assert 2 * DELAY_SECONDS >= max(gaps)


async def test_a_host_in_hand_is_nobody_elses(two: list[FetcherWorld]) -> None:
    """Not while it is asked, nor in its pause; one that died has it until its lease ends."""
    main, acme = two
    await main.fetch(PAGES[0])
    await acme.fetch(PAGES[0])
    lease = await main.lease()
    assert await _idle_until(acme) > acme.clock.now()
    await main.ports.frontier.extend(lease.host, now=main.clock.now())
    release = Release(next_allowed_time=main.clock.now() + timedelta(seconds=30), backoff=1)
    await gone(main, lease, release)
    dead = await _lease_when_free(acme)
    assert release.next_allowed_time == acme.clock.now()

    await main.fetch(PAGES[1], job_id="more")
    ends = main.clock.now() + timedelta(seconds=SETTINGS.lease_seconds + DELAY_SECONDS)
    assert PAGES[1] == (await _lease_when_free(main)).url
    assert ends == main.clock.now()
    with pytest.raises(LeaseLost):
        await acme.ports.frontier.extend(dead.host, now=acme.clock.now())


async def gone(world: FetcherWorld, lease: PageLease, release: Release) -> None:
    """Records that a page is gone."""
    now = world.clock.now()
    result = PageResult(lease=lease, time=now, what=GoneReason.NOT_FOUND)
    await world.ports.results.record([result], release=release, now=now)


async def _lease_when_free(world: FetcherWorld) -> PageLease:
    """Moves the clock from look to look while others have the host."""
    for _ in range(STEPS_MAX):
        leased = await lease_next(world.ports)
        if isinstance(leased, PageLease):
            return leased
        if isinstance(leased, Idle):
            assert leased.next_time is not None
            world.clock.advance((leased.next_time - world.clock.now()).total_seconds())
    raise AssertionError("the host is never free")


async def _idle_until(world: FetcherWorld) -> datetime:
    """Returns when a fetcher looks again that may ask nobody now."""
    leased = await lease_next(world.ports)
    while isinstance(leased, Settled):
        leased = await lease_next(world.ports)
    assert isinstance(leased, Idle)
    assert leased.next_time is not None
    return leased.next_time


async def test_claims_are_forgotten_and_bounded(two: list[FetcherWorld]) -> None:
    """A claim from a clock that was far ahead holds nobody up; an old one is dropped."""
    main, acme = two
    async with acme.database.transaction() as connection:
        far = "SELECT scops_hosts.take(sha256('h.test'), 'theirs', 0, 9000000000000000000)"
        await connection.execute(text(far))
    await main.fetch(PAGES[0])
    lease = await main.lease()
    release = Release(next_allowed_time=main.clock.now(), backoff=0)
    await gone(main, lease, release)
    async with main.database.transaction() as connection:
        await connection.execute(text("SELECT scops_hosts.forget(9000000000000000000)"))
        rows = await connection.execute(text("SELECT count(*) FROM scops_hosts.claim"))
        assert [(0,)] == [tuple(row) for row in rows]


async def test_a_login_claims_and_reads_nothing(postgres: PostgresStates, tmp_path: Path) -> None:
    """Whose hosts are asked is told to nobody; roles beside the fetcher claim nothing."""
    url = postgres.url()
    parts = parts_of((Role.FETCHER, Role.GATEWAY))
    for part in parts:
        (tmp_path / part.role.value).write_text(PASSWORD)
    values = {"data_dir": tmp_path, "database_url": url}
    await provision_logins(CommonSettings.model_validate(values), parts, tmp_path)
    take = "SELECT scops_hosts.take('x', 'mine', 1, 2)"
    for role in ("fetcher", "gateway"):
        login = make_url(url).set(username=f"scops_{role}", password=PASSWORD)
        connection = await asyncpg.connect(login.render_as_string(hide_password=False))
        refused = ["SELECT * FROM scops_hosts.claim", "DELETE FROM scops_hosts.claim"]
        if role == "fetcher":
            assert 1 == await connection.fetchval(take)
        else:
            refused.append(take)
        for statement in refused:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
        await connection.close()
