"""What the component `servers-tls` runs beside NATS and PostgreSQL, on real servers.

Their scripts and configuration are those of the manifests, with other folders and a shorter pause.
"""

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from scops.common.bus.embedded.nats_child import NatsAddress, find_binary
from scops.common.bus.nats_bus import open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.standalone.process.nats_users import authorization
from tests.connected.waiting import until
from tests.deploy.manifests import COMPONENTS, PRODUCTION, composed, containers, named
from tests.fakes.certificates import Authority
from tests.fakes.servers import postgres
from tests.fakes.servers.machine import free_ports
from tests.fakes.servers.proxy import troubled

HOUR = timedelta(hours=1)
# The script has looked at what there is, or has seen what is new.
SEEN_SECONDS = 1.5
CLUSTER = composed(PRODUCTION, *(one for one in COMPONENTS if one.name in ("servers-tls", "tls")))


@pytest.fixture
def shown() -> Iterator[Path]:
    """What the pod of a server has at /tls; users of servers other than root's read it."""
    folder = Path(tempfile.mkdtemp(prefix="scops-certificates-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def trusted(shown: Path, tmp_path: Path) -> tuple[Authority, Path]:
    authority, file = Authority(), tmp_path / "authority.pem"
    file.write_bytes(authority.pem)
    authority.write(shown)
    return authority, file


@contextmanager
def renewing(server: str, shown: Path, folder: Path, **variables: str) -> Iterator[None]:
    """Runs what is beside a server, as long as inside."""
    (renewal,) = [
        one for one in containers(named(CLUSTER, "StatefulSet", server)) if one["name"] == "renewal"
    ]
    (script,) = renewal["args"]
    script = script.replace("/tls/", f"{shown}/").replace("sleep 60", "sleep 0.2")
    paths = f"{folder}:{os.environ['PATH']}"
    process = subprocess.Popen(
        [*renewal["command"], script], env={**os.environ, "PATH": paths, **variables}
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def nats_of_the_pod(shown: Path, folder: Path, client: int) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a nats-server with the files of the pod, users included."""
    files = named(CLUSTER, "ConfigMap", "nats-config")["data"]
    _, monitor = free_ports(2)
    places = {
        "/tls/": f"{shown}/",
        '"/data"': f'"{folder / "data"}"',
        "0.0.0.0:4222": f"127.0.0.1:{client}",
        "0.0.0.0:8222": f"127.0.0.1:{monitor}",
    }
    for name, text in files.items():
        for here, there in places.items():
            text = text.replace(here, there)
        (folder / "etc").mkdir(exist_ok=True)
        (folder / "etc" / name).write_text(text)
    (folder / "nats-users").mkdir()
    users = authorization(folder / "passwords", create=True)
    (folder / "nats-users" / "users.conf").write_text(users)
    serving, _ = containers(named(CLUSTER, "StatefulSet", "nats"))
    arguments = [each.replace("/etc/nats", str(folder / "etc")) for each in serving["args"]]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([find_binary(), *arguments], stderr=log)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


async def test_nats_shows_a_renewed_certificate_while_everything_runs(
    shown: Path, trusted: tuple[Authority, Path], common: CommonSettings, tmp_path: Path
) -> None:
    """Beneath a role that goes on: it is refused while the certificate has expired, then healed."""
    authority, ca = trusted
    (port,) = free_ports(1)
    with nats_of_the_pod(shown, tmp_path, port) as server:
        # In the pod the only process of that name is the server.
        signal = tmp_path / "pkill"
        signal.write_text(f'#!/bin/sh\n[ "$2 $3" = "-x nats-server" ] && kill $1 {server.pid}\n')
        signal.chmod(0o755)
        await until(lambda: "Server is ready" in (tmp_path / "log").read_text())
        password = SecretStr((tmp_path / "passwords" / "fetcher").read_text().strip())
        named_so = {"server_ca": ca, "nats_user": "fetcher", "nats_password": password}
        settings = common.model_copy(update=named_so)
        async with troubled("127.0.0.1", port) as network:
            address = NatsAddress(url=f"tls://127.0.0.1:{network.port}", monitor_url="")
            bus = await open_bus(address, settings)
            with renewing("nats", shown, tmp_path):
                await asyncio.sleep(SEEN_SECONDS)
                replace(authority, shown, tmp_path, ends=-HOUR)
                await until(lambda: reloads(tmp_path) > 0)
                network.reset()

                async def expired() -> bool:
                    return "has expired" in (await bus.problem() or "")

                await until(expired)
                replace(authority, shown, tmp_path)
                await until(lambda: bus.client.is_connected)
            healed = await bus.problem()
            await bus.close()

    assert healed is None


def reloads(folder: Path) -> int:
    return (folder / "log").read_text().count("Reloaded server configuration")


async def test_postgres_shows_a_renewed_certificate_while_everything_runs(
    shown: Path, trusted: tuple[Authority, Path], tmp_path: Path
) -> None:
    """Beneath a role that goes on, as above."""
    authority, ca = trusted
    with postgres.postgres_server(tls=shown) as server:
        variables = {
            "PGHOST": "127.0.0.1",
            "PGPORT": str(server.port),
            "PGUSER": postgres.USER,
            "PGPASSWORD": postgres.PASSWORD,
            "PGDATABASE": "postgres",
        }
        state = Database(Address(url=server.url(), server_ca=ca), name="fetcher")

        async def problem() -> str:
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name LIKE 'scops %'"
            )
            try:
                await state.clock()
            except StoreUnavailable as error:
                return error.message
            return ""

        async def expired() -> bool:
            return "has expired" in await problem()

        async def healed() -> bool:
            return not await problem()

        before = await problem()
        with renewing("postgres", shown, tmp_path, **variables):
            await asyncio.sleep(SEEN_SECONDS)
            replace(authority, shown, tmp_path, ends=-HOUR)
            await until(expired)
            replace(authority, shown, tmp_path)
            await until(healed)
        await state.close()

    assert "" == before


def replace(authority: Authority, shown: Path, folder: Path, *, ends: timedelta = HOUR) -> None:
    """Replaces a certificate as the kubelet does: with its rights, and never half of a file."""
    fresh = folder / "fresh"
    fresh.mkdir(exist_ok=True)
    files = authority.write(fresh, ends=ends)
    postgres.own(fresh)
    for file in files:
        shutil.move(file, shown / file.name)


def test_weaviate_is_ended_gracefully_when_its_certificate_is_renewed(
    shown: Path, trusted: tuple[Authority, Path], tmp_path: Path
) -> None:
    """Once, by the name that its program has; the kubelet starts it with what is there."""
    authority, _ = trusted
    told = tmp_path / "told"
    signal = tmp_path / "pkill"
    signal.write_text(f'#!/bin/sh\necho "$*" >>{told}\n')
    signal.chmod(0o755)
    with renewing("weaviate", shown, tmp_path):
        time.sleep(SEEN_SECONDS)
        quiet = told.exists()
        authority.write(shown)
        time.sleep(SEEN_SECONDS)

    assert not quiet
    assert {"-TERM -x weaviate"} == set(told.read_text().splitlines())
