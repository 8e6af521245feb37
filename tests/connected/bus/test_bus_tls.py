"""A nats-server with TLS: whom roles trust, what they say of others, and certificates renewed."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from scops.common.bus.admin.durability import durability_check
from scops.common.bus.admin.permissions import PROVISIONER
from scops.common.bus.admin.provisioner import provision
from scops.common.bus.connection import RECONNECT_WAIT_SECONDS
from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import Role
from scops.common.runtime.platform import open_platform
from scops.common.runtime.runner import Runner
from scops.standalone.process.nats_users import authorization
from tests.connected.bus.conftest import bus_address, user_settings
from tests.connected.waiting import until
from tests.fakes.certificates import Authority
from tests.fakes.servers.nats import TLS_FIRST, NatsServer, nats_server
from tests.fakes.servers.proxy import Network, troubled
from tests.fakes.worlds.services import Recorder, outgoing, page_gone, service_of

HOUR = timedelta(hours=1)


@pytest.fixture
def authority() -> Authority:
    return Authority()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the server has its certificate."""
    made = tmp_path / "nats"
    made.mkdir()
    return made


@pytest.fixture
def trusting(common: CommonSettings, authority: Authority, tmp_path: Path) -> CommonSettings:
    """Settings that name the authority."""
    file = tmp_path / "authority.pem"
    file.write_bytes(authority.pem)
    return common.model_copy(update={"server_ca": file})


@pytest.fixture
def server(authority: Authority, folder: Path) -> Iterator[NatsServer]:
    authority.write(folder)
    with nats_server(folder, tls=TLS_FIRST) as server:
        yield server


@pytest.fixture
async def network(server: NatsServer) -> AsyncIterator[Network]:
    """A way to the server that can be cut."""
    async with troubled("127.0.0.1", int(server.url.rpartition(":")[2])) as network:
        yield network


def by(network: Network) -> NatsAddress:
    return NatsAddress(url=f"tls://127.0.0.1:{network.port}", monitor_url="")


async def test_a_role_works_by_tls_under_its_user(
    authority: Authority, folder: Path, trusting: CommonSettings, tmp_path: Path
) -> None:
    """Both of its connections: what it publishes, and what it consumes."""
    authority.write(folder)
    users = authorization(tmp_path / "passwords", create=True)
    with nats_server(folder, authorization=users, tls=TLS_FIRST) as server:
        owner = user_settings(trusting, tmp_path, PROVISIONER)
        provisioner = await open_bus(bus_address(server), owner)
        await provision(provisioner.jetstream, list(Role), common=owner)
        await provisioner.close()
        recorder = Recorder()
        settings = user_settings(trusting, tmp_path, Role.CHANGE_DETECTOR.value)
        bus = await open_bus(bus_address(server), settings)
        platform = await open_platform(
            settings, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
        )
        runner = Runner([service_of(Role.CHANGE_DETECTOR, PageGone, recorder)], platform, bus)
        await runner.start()
        await runner.until_running()
        fetcher = await open_bus(
            bus_address(server), user_settings(trusting, tmp_path, Role.FETCHER.value)
        )
        await fetcher.publisher.publish(outgoing(page_gone(), "gone"))
        await until(lambda: recorder.finished == 1)
        await runner.stop()
        await platform.close()
        await fetcher.close()
        await bus.close()

    assert ["gone"] == recorder.event_ids


async def test_an_authority_that_is_not_named_is_not_trusted(
    server: NatsServer, common: CommonSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the system are; the error says which setting names another."""
    message = await refusal(server.url, common, monkeypatch)

    assert "signed by nobody who is trusted" in message
    assert "SCOPS_SERVER_CA" in message


@pytest.mark.parametrize(
    ("address", "ends", "says"),
    [("127.0.0.1", -HOUR, "has expired"), ("192.0.2.1", HOUR, "is for another host")],
)
async def test_a_certificate_that_has_ended_or_is_another_s_is_refused(
    authority: Authority,
    folder: Path,
    trusting: CommonSettings,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    ends: timedelta,
    says: str,
) -> None:
    """Though the authority signed it, and the error says which of both it is."""
    authority.write(folder, address=address, ends=ends)
    with nats_server(folder, tls=TLS_FIRST) as server:
        message = await refusal(server.url, trusting, monkeypatch)

    assert says in message


async def test_nothing_is_sent_to_a_server_that_does_not_begin_with_tls(
    tmp_path: Path, trusting: CommonSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is in between could say that there is none, and read the password."""
    with nats_server(tmp_path / "nats") as server:
        url = server.url.replace("nats://", "tls://")
        named = trusting.model_copy(
            update={"nats_user": "fetcher", "nats_password": SecretStr("sesame")}
        )
        message = await refusal(url, named, monkeypatch)

    assert "does not begin with TLS" in message
    assert "handshake_first" in message


async def test_a_server_that_says_itself_that_it_has_tls_is_verified_too(
    authority: Authority, folder: Path, trusting: CommonSettings, common: CommonSettings
) -> None:
    """By the named authority, though the address asks for nothing."""
    authority.write(folder)
    with nats_server(folder, tls="handshake_first: false") as server:
        address = NatsAddress(url=server.url.replace("tls://", "nats://"), monitor_url="")
        bus = await open_bus(address, trusting)
        problem = await bus.problem()
        await bus.close()

    assert problem is None


async def test_a_renewed_certificate_heals_without_a_restart(
    authority: Authority,
    server: NatsServer,
    folder: Path,
    network: Network,
    trusting: CommonSettings,
) -> None:
    """One that expires says so at /readyz until it is replaced; the same process goes on."""
    bus = await open_bus(by(network), trusting)
    authority.write(folder, ends=-HOUR)
    server.reload()
    unharmed = await bus.problem()
    network.reset()
    expired = await complaint(bus)
    authority.write(folder, "renewed")
    server.reload()
    await until(lambda: bus.client.is_connected)
    healed = await bus.problem()
    await bus.close()

    assert (None, None) == (unharmed, healed)
    assert "its certificate has expired" in expired


async def test_an_authority_that_is_replaced_is_trusted_without_a_restart(
    server: NatsServer, folder: Path, network: Network, trusting: CommonSettings
) -> None:
    """From the next connection on; the former one is trusted no more."""
    bus = await open_bus(by(network), trusting)
    other = Authority("another")
    other.write(folder)
    server.reload()
    network.reset()
    untrusted = await complaint(bus)
    assert trusting.server_ca is not None
    trusting.server_ca.write_bytes(b"being written")
    await asyncio.sleep(2 * RECONNECT_WAIT_SECONDS)
    trusting.server_ca.write_bytes(other.pem)
    await until(lambda: bus.client.is_connected)
    healed = await bus.problem()
    await bus.close()

    assert "signed by nobody who is trusted" in untrusted
    assert healed is None


async def test_the_monitoring_is_verified_by_the_same_authority(
    authority: Authority, folder: Path, trusting: CommonSettings
) -> None:
    """Where it is asked by https://."""
    authority.write(folder)
    with nats_server(folder, tls=TLS_FIRST) as server:
        bus = await open_bus(bus_address(server), trusting)
        proven = await durability_check(server.monitor_url, trusted=bus.trusted).probe()
        await bus.close()

    assert proven is None


@pytest.mark.parametrize("broken", ["absent", "no PEM"])
async def test_authorities_that_cannot_be_read_are_said_at_the_start(
    common: CommonSettings, tmp_path: Path, broken: str
) -> None:
    """By the name of the setting, before anything is asked."""
    file = tmp_path / "authority.pem"
    if broken == "no PEM":
        file.write_text("certificate")
    named = common.model_copy(update={"server_ca": file})

    with pytest.raises(InvalidInput, match="SCOPS_SERVER_CA"):
        await open_bus(NatsAddress(url="tls://127.0.0.1:9", monitor_url=""), named)


async def complaint(bus: NatsBus) -> str:
    """Returns what /readyz says once a certificate was refused."""

    async def refused() -> bool:
        return "certificate" in (await bus.problem() or "")

    await until(refused)
    return await bus.problem() or ""


async def refusal(url: str, common: CommonSettings, monkeypatch: pytest.MonkeyPatch) -> str:
    """Returns what a process says that cannot connect."""
    monkeypatch.setattr("scops.common.bus.connection.CONNECT_SECONDS", 3.0)
    with pytest.raises(StoreUnavailable) as caught:
        await open_bus(NatsAddress(url=url, monitor_url=""), common)
    return caught.value.message
