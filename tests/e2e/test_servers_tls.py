"""Every role apart, all servers by TLS: a crawl, an answer, and a certificate that ends."""

import shutil
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.e2e.separate_roles import SeparateRoles, Servers
from tests.fakes.certificates import Authority
from tests.fakes.servers.nats import TLS_FIRST
from tests.fakes.servers.origin import Origin
from tests.fakes.servers.postgres import postgres_server
from tests.fakes.servers.weaviate import WeaviateServer

SESSIONS = (
    "SELECT bool_and(ssl), count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
    "WHERE application_name LIKE 'scops%'"
)
QUESTION = "How much does the River plan cost?"


@pytest.fixture
def folder() -> Iterator[Path]:
    """Certificates of PostgreSQL and Weaviate, which users of servers read."""
    made = Path(tempfile.mkdtemp(prefix="scops-certificates-", dir="/tmp"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.mark.timeout(900)
def test_an_installation_by_tls_answers_and_heals(
    tmp_path: Path, folder: Path, tarn: Origin
) -> None:
    """While the bus shows an expired certificate every role says so; none is started again."""
    authority = Authority()
    ca = folder / "authority.pem"
    ca.write_bytes(authority.pem)
    bus = tmp_path / "roles" / "nats"
    for place in (bus, folder / "postgres", folder / "weaviate"):
        place.mkdir(parents=True)
        authority.write(place)
    (folder / "postgres").chmod(0o755)
    pair = folder / "weaviate" / "tls.crt", folder / "weaviate" / "tls.key"
    weaviate = WeaviateServer(tmp_path / "weaviate", tls=pair).start()
    try:
        with postgres_server(tls=folder / "postgres") as postgres:
            system = SeparateRoles(
                tmp_path / "roles",
                Servers(postgres, {**weaviate.settings, "SCOPS_SERVER_CA": str(ca)}),
                bus_tls=TLS_FIRST,
            )
            try:
                system.start()
                system.create_scope("tarn", seeds=[f"{tarn.url}/"])
                system.crawl("tarn")
                answered = system.ask(QUESTION, "tarn").answered
                ((private, sessions),) = postgres.execute(SESSIONS)
                said = show_expired(system, authority, bus)
                show_good(system, authority, bus)
                again = system.ask(QUESTION, "tarn").answered
                ended = [one.child.poll() for one in system.processes if one.child]
            finally:
                system.kill()
    finally:
        weaviate.kill()

    assert (True, True) == (answered, again)
    assert private
    assert sessions > 0
    assert len(system.processes) == len([text for text in said if "has expired" in text])
    assert [None] * len(system.processes) == ended


def show_expired(system: SeparateRoles, authority: Authority, bus: Path) -> list[str]:
    """Has the bus start again with a certificate that has ended; returns what each role says."""
    system.nats.kill()
    authority.write(bus, ends=timedelta(hours=-1))
    system.nats.start()

    def said() -> list[str]:
        return [str(system.problems(one.health_url).get("bus", "")) for one in system.processes]

    system.until(lambda: all("has expired" in text for text in said()))
    return said()


def show_good(system: SeparateRoles, authority: Authority, bus: Path) -> None:
    """Renews it while everything runs; returns once every role is ready."""
    authority.write(bus)
    system.nats.reload()
    system.wait_ready()
