"""PostgreSQL has no room, or is a standby: it is said which, and nothing committed is lost.

Needs the right to mount a tmpfs; `make faults`.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

import scops.fetcher
from scops.common.bus.ports import Outgoing
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.ids import EventId, JobId, ScopeId
from scops.common.contract.messages.crawl import FetchPage
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import Lane
from scops.common.contract.store_faults import StoreFault
from scops.common.db.address import Address, ServerBounds
from scops.common.db.database import Database
from scops.common.db.migrate import upgrade
from scops.common.db.outbox import enqueue
from scops.common.db.schema import schema_check
from scops.common.runtime.service import ReadinessCheck
from scops.fetcher.adapters.sql.tables import outbox
from tests.fakes.clock import START
from tests.fakes.servers.machine import small_disk
from tests.fakes.servers.postgres import PostgresServer, postgres_server

MIGRATIONS = Path(next(iter(scops.fetcher.__path__))) / "migrations"
DISK_MEBIBYTES = 64
ROWS_BEFORE = 5
ROWS_MAX = 5_000
URLS = tuple("u" * 1000 for _ in range(50))


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with postgres_server(durable=True) as server:
        yield server


@pytest.fixture
def disk() -> Iterator[Path]:
    """A small disk for a tablespace, where the server's user may come."""
    folder = Path(tempfile.mkdtemp(prefix="scops-tablespace-", dir="/tmp"))
    with small_disk(folder, mebibytes=DISK_MEBIBYTES):
        folder.chmod(0o755)
        space = folder / "space"
        space.mkdir()
        shutil.chown(space, user="postgres")
        yield folder
    folder.rmdir()


async def state_on(url: str) -> Database:
    """Returns the fetcher's state on a database, provisioned."""
    address = Address(url=url, schema="scops_fetcher", bounds=ServerBounds(pool_size=2))
    await asyncio.to_thread(upgrade, address, MIGRATIONS)
    return Database(address, name="fetcher")


async def add(database: Database, name: str) -> None:
    """Commits a row of 50 KB that does not compress into nothing."""
    urls = tuple(f"{name}/{number}/{url}" for number, url in enumerate(URLS))
    scope = ScopeRef(scope_id=ScopeId("docs"), revision=1)
    message = FetchPage(job_id=JobId(name), scope=scope, accepted_time=START, urls=urls)
    command = Outgoing(
        message=message, event_id=EventId(name), organisation_id="main", lane=Lane.NOW
    )
    async with database.transaction() as connection:
        await enqueue(connection, outbox, command, now=START)


async def kept(database: Database) -> set[str]:
    async with database.reading() as connection:
        return {row.event_id for row in await connection.execute(select(outbox.c.event_id))}


async def fill(database: Database, first: int) -> list[str]:
    """Commits rows until the server refuses one; returns those that it took."""
    confirmed: list[str] = []
    for number in range(first, first + ROWS_MAX):
        try:
            await add(database, f"row-{number}")
        except StoreUnavailable as error:
            if error.fault is not StoreFault.FULL:
                raise
            return confirmed
        confirmed.append(f"row-{number}")
    raise AssertionError("the disk was never full")


async def test_a_full_server_says_so_and_goes_on_with_room(
    server: PostgresServer, disk: Path
) -> None:
    """What was committed before is there; once there is room the same work succeeds."""
    server.execute(f"CREATE TABLESPACE small LOCATION '{disk / 'space'}'")
    server.execute("CREATE DATABASE small TABLESPACE small")
    database = await state_on(server.url("small"))
    before = [f"before-{number}" for number in range(ROWS_BEFORE)]
    for name in before:
        await add(database, name)
    filler = disk / "filler"
    filler.write_bytes(b"\0" * shutil.disk_usage(disk).free)

    confirmed = await fill(database, 0)
    assert {*before, *confirmed} == await kept(database)
    filler.unlink()
    await add(database, "after")

    assert {*before, *confirmed, "after"} == await kept(database)
    await database.close()


async def test_a_standby_is_unready_and_a_promoted_one_goes_on(server: PostgresServer) -> None:
    """It answers reads; writes and the check that writes say what it is; promoted, all go on."""
    database = await state_on(server.new_database())
    await add(database, "before")
    await asyncio.to_thread(server.stand_by)

    with pytest.raises(StoreUnavailable) as refused:
        await add(database, "meanwhile")
    with pytest.raises(StoreUnavailable, match="takes writes"):
        await schema_check(database, MIGRATIONS, name="fetcher", written=outbox).probe()
    assert refused.value.fault is StoreFault.READ_ONLY
    assert {"before"} == await kept(database)
    await asyncio.to_thread(server.promote)
    await add(database, "meanwhile")

    assert await schema_check(database, MIGRATIONS, name="fetcher", written=outbox).probe() is None
    assert {"before", "meanwhile"} == await kept(database)
    await database.close()


# What takes a right from a login, and what gives it back.
RIGHTS = {
    "rows": (
        "REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA scops_fetcher FROM plain",
        "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA scops_fetcher TO plain",
    ),
    "schema": (
        "REVOKE USAGE ON SCHEMA scops_fetcher FROM plain",
        "GRANT USAGE ON SCHEMA scops_fetcher TO plain",
    ),
    "password": ("ALTER ROLE plain PASSWORD 'another'", "ALTER ROLE plain PASSWORD 'plain'"),
    "login": ("ALTER ROLE plain NOLOGIN", "ALTER ROLE plain LOGIN"),
}


@pytest.mark.parametrize("right", RIGHTS)
async def test_a_right_taken_back_is_waited_for(server: PostgresServer, right: str) -> None:
    """Its work is the store's fault, so that it waits; the check says so; given back, all go on."""
    owner = server.new_database()
    name = owner.rpartition("/")[2]
    await (await state_on(owner)).close()
    if not _has_role(server):
        server.execute("CREATE ROLE plain LOGIN PASSWORD 'plain'")
    for statement in (
        "GRANT USAGE ON SCHEMA scops_fetcher TO plain",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA scops_fetcher TO plain",
        "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA scops_fetcher TO plain",
    ):
        server.execute(statement, database=name)
    url = f"postgresql://plain:plain@127.0.0.1:{server.port}/{name}"
    bounds = ServerBounds(pool_size=2)
    database = Database(Address(url=url, schema="scops_fetcher", bounds=bounds), name="fetcher")
    check = schema_check(database, MIGRATIONS, name="fetcher", written=outbox)
    await add(database, "before")
    taken, given = RIGHTS[right]
    server.execute(taken, database=name)
    _end_connections(server)

    with pytest.raises(StoreUnavailable):
        await add(database, "meanwhile")
    assert await _said(check)
    server.execute(given, database=name)
    await add(database, "meanwhile")

    assert await check.probe() is None
    assert {"before", "meanwhile"} == await kept(database)
    await database.close()


async def _said(check: ReadinessCheck) -> str | None:
    """Returns what a check says is missing, by its answer or as an error of the store."""
    try:
        return await check.probe()
    except StoreUnavailable as error:
        return error.message


def _has_role(server: PostgresServer) -> bool:
    return bool(server.execute("SELECT 1 FROM pg_roles WHERE rolname = 'plain'"))


def _end_connections(server: PostgresServer) -> None:
    """Ends what is open: a login is looked at when a connection is made."""
    server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'plain'")
