"""The disk of nats-server is really full: nothing acknowledged is lost, and it is said.

Needs the right to mount a tmpfs; `make faults`.
"""

import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scops.common.bus.admin.provisioner import provision
from scops.common.bus.consume import pulls
from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.bus.publish import publisher
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.messages.change import VersionAdded
from scops.common.contract.messages.crawl import FetchPage
from scops.common.contract.service_table import BY_TYPE, DEAD_LETTER_STREAM, Role
from scops.common.runtime import runner
from scops.common.runtime.platform import open_platform
from scops.common.runtime.runner import Runner
from tests.connected.waiting import until
from tests.fakes.servers.machine import small_disk
from tests.fakes.servers.nats import NatsServer
from tests.fakes.worlds.services import Recorder, minimal, outgoing, service_of

DISK_MEBIBYTES = 32
MEBIBYTE = 1024 * 1024
PUBLISHED_BEFORE = 5
BODY = tuple("u" * 1000 for _ in range(400))
STREAM = BY_TYPE[FetchPage].stream.name


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few mebibytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    with small_disk(folder, mebibytes=DISK_MEBIBYTES):
        yield folder


@pytest.fixture
def server(tmp_path: Path, disk: Path) -> Iterator[NatsServer]:
    server = NatsServer(tmp_path / "nats", store=disk / "store").start()
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture
def common(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommonSettings:
    monkeypatch.setattr(publisher, "PUB_ACK_SECONDS", 1.0)
    monkeypatch.setattr(publisher, "ATTEMPTS", 2)
    monkeypatch.setattr(runner, "LOOK_SECONDS", 1.0)
    monkeypatch.setattr(pulls, "TIMEOUT_SECONDS", 1.0)
    return CommonSettings(
        data_dir=tmp_path / "data",
        graceful_timeout_seconds=3.0,
    )


@pytest.fixture
async def bus(server: NatsServer, common: CommonSettings) -> AsyncIterator[NatsBus]:
    bus = await open_bus(NatsAddress(url=server.url, monitor_url=server.monitor_url), common)
    await provision(bus.jetstream, list(Role), common=common)
    yield bus
    await bus.close()


async def test_a_full_disk_loses_nothing_and_is_said(
    server: NatsServer, bus: NatsBus, common: CommonSettings, disk: Path
) -> None:
    """Publications fail, roles are unready and pause; after room and a restart all is there."""
    recorder = Recorder()
    platform = await open_platform(
        common, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
    )
    runner = Runner([service_of(Role.INDEXER, VersionAdded, Recorder())], platform, bus)
    await runner.start()
    await runner.until_running()
    assert {} == await runner.ready()

    confirmed = await _publish_until_refused(bus, disk / "filler")
    await until(lambda: _is_ill(runner), timeout_seconds=15)
    told = (await runner.ready())["bus-durability"]
    assert "make room and restart nats-server" in told
    assert {} == await runner.alive()

    (disk / "filler").unlink()
    server.stop()
    server.start()
    await until(lambda: _is_ready(runner), timeout_seconds=30)
    await bus.publisher.publish(outgoing(replace(minimal(FetchPage), urls=BODY), "after"))
    consumer = Runner([service_of(Role.FETCHER, FetchPage, recorder)], platform, bus)
    await consumer.start()
    await until(lambda: {*confirmed, "after"} <= set(recorder.event_ids), timeout_seconds=60)

    letters = await bus.jetstream.stream_info(DEAD_LETTER_STREAM.name)
    assert 0 == letters.state.messages
    assert len(confirmed) >= PUBLISHED_BEFORE
    await consumer.stop()
    await runner.stop()
    await platform.close()


async def _publish_until_refused(bus: NatsBus, filler: Path) -> list[str]:
    """Publishes, lets somebody else fill the disk, goes on; returns what was confirmed."""
    confirmed: list[str] = []
    message = replace(minimal(FetchPage), urls=BODY)
    for number in range(2 * DISK_MEBIBYTES):
        if number == PUBLISHED_BEFORE:
            filler.write_bytes(b"\0" * (shutil.disk_usage(filler.parent).free - 2 * MEBIBYTE))
        event_id = f"fetch-{number}"
        try:
            await bus.publisher.publish(outgoing(message, event_id))
        except StoreUnavailable:
            return confirmed
        confirmed.append(event_id)
    raise AssertionError("the disk was never full")


async def _is_ill(runner: Runner) -> bool:
    return "bus-durability" in await runner.ready()


async def _is_ready(runner: Runner) -> bool:
    return not await runner.ready()
