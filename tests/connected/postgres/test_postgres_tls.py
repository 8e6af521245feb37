"""A PostgreSQL with TLS: whom roles trust, what they say of others, and certificates renewed."""

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.db.address import Address, ServerBounds
from scops.common.db.database import Database
from scops.standalone.backup.snapshots import connect_server
from tests.fakes.certificates import Authority
from tests.fakes.servers.postgres import PASSWORD, PostgresServer, own, postgres_server

HOUR = timedelta(hours=1)
IS_PRIVATE = text("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
VERIFIED = "?sslmode=verify-full"
QUICK = ServerBounds(pool_size=2, connect_timeout_seconds=2.0)


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Where the server has its certificate; its user reads it there."""
    made = Path(tempfile.mkdtemp(prefix="scops-certificates-", dir="/tmp"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def running(authority: Authority, folder: Path) -> Iterator[PostgresServer]:
    authority.write(folder)
    with postgres_server(tls=folder) as server:
        yield server


@pytest.fixture
def server(running: PostgresServer, authority: Authority, folder: Path) -> PostgresServer:
    """The server with a good certificate."""
    show(running, folder, authority)
    return running


@pytest.fixture
def ca(authority: Authority, tmp_path: Path) -> Path:
    file = tmp_path / "authority.pem"
    file.write_bytes(authority.pem)
    return file


def show(
    server: PostgresServer,
    folder: Path,
    authority: Authority,
    *,
    address: str = "127.0.0.1",
    ends: timedelta = HOUR,
) -> None:
    """Replaces the certificate while the server runs."""
    authority.write(folder, address=address, ends=ends)
    own(folder)
    server.execute("SELECT pg_reload_conf()")


def database(server: PostgresServer, ca: Path | None, query: str = "") -> Database:
    url = f"{server.url()}{query}"
    return Database(Address(url=url, server_ca=ca, bounds=QUICK), name="fetcher")


async def is_private(state: Database) -> bool:
    async with state.reading() as connection:
        return bool((await connection.execute(IS_PRIVATE)).scalar_one())


async def cut(server: PostgresServer) -> None:
    """Ends the sessions of roles."""
    server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name LIKE 'scops %'"
    )
    await asyncio.sleep(0.1)


@pytest.mark.parametrize(
    ("query", "expected"), [("", True), (VERIFIED, True), ("?sslmode=disable", False)]
)
async def test_with_an_authority_the_state_is_reached_by_tls(
    server: PostgresServer, ca: Path, query: str, expected: bool
) -> None:
    """Unless its address says that it is not."""
    state = database(server, ca, query)
    found = await is_private(state)
    await state.close()

    assert expected == found


async def test_a_backup_is_taken_by_tls(server: PostgresServer, ca: Path) -> None:
    """By the same authority."""
    common = CommonSettings(database_url=SecretStr(f"{server.url()}{VERIFIED}"), server_ca=ca)
    connection = await connect_server(common)
    found = await connection.fetchval(str(IS_PRIVATE))
    await connection.close()

    assert found


async def test_an_authority_that_is_not_named_is_not_trusted(server: PostgresServer) -> None:
    """Those of the system are; the error says which setting names another."""
    message = await refusal(database(server, None, VERIFIED))

    assert "signed by nobody who is trusted" in message
    assert "SCOPS_SERVER_CA" in message
    assert PASSWORD not in message


@pytest.mark.parametrize(
    ("address", "ends", "says"),
    [("127.0.0.1", -HOUR, "has expired"), ("192.0.2.1", HOUR, "is for another host")],
)
async def test_a_certificate_that_has_ended_or_is_another_s_is_refused(
    server: PostgresServer,
    folder: Path,
    authority: Authority,
    ca: Path,
    address: str,
    ends: timedelta,
    says: str,
) -> None:
    """Though the authority signed it, and the error says which of both it is."""
    show(server, folder, authority, address=address, ends=ends)

    assert says in await refusal(database(server, ca))


async def test_a_server_without_tls_is_refused(ca: Path) -> None:
    """Rather than told the password."""
    with postgres_server() as plain:
        message = await refusal(database(plain, ca))

    assert "rejected SSL upgrade" in message


async def test_a_renewed_certificate_heals_without_a_restart(
    server: PostgresServer, folder: Path, authority: Authority, ca: Path
) -> None:
    """Sessions that stand go on; new ones wait until it is replaced, in the same process."""
    state = database(server, ca)
    before = await is_private(state)
    show(server, folder, authority, ends=-HOUR)
    unharmed = await is_private(state)
    await cut(server)
    with pytest.raises(StoreUnavailable, match="has expired"):
        await is_private(state)
    show(server, folder, authority)
    healed = await is_private(state)
    await state.close()

    assert (True, True, True) == (before, unharmed, healed)


async def test_an_authority_that_is_replaced_is_trusted_without_a_restart(
    server: PostgresServer, folder: Path, ca: Path
) -> None:
    """From the next connection on; the former one is trusted no more."""
    state = database(server, ca)
    await is_private(state)
    other = Authority("another")
    show(server, folder, other)
    await cut(server)
    with pytest.raises(StoreUnavailable, match="signed by nobody who is trusted"):
        await is_private(state)
    ca.write_bytes(other.pem)
    healed = await is_private(state)
    await state.close()

    assert healed


async def refusal(state: Database) -> str:
    """Returns what a process says that cannot connect."""
    with pytest.raises(StoreUnavailable) as caught:
        await is_private(state)
    await state.close()
    return caught.value.message
