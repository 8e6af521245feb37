"""The bus behind a bad network, on a damaged disk, and what it syncs before it confirms."""

import asyncio
import re
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from nats.errors import Error as NatsError

from scops.common.bus.admin.provisioner import provision
from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.bus.publish import publisher
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.messages.crawl import PageGone
from scops.common.contract.service_table import BY_TYPE, Role
from scops.common.runtime.platform import open_platform
from scops.common.runtime.runner import Runner
from tests.connected.waiting import until
from tests.fakes.servers.nats import NatsServer
from tests.fakes.servers.proxy import Network, Trouble, troubled
from tests.fakes.worlds.services import Recorder, outgoing, page_gone, service_of

STREAM = BY_TYPE[PageGone].stream.name
MESSAGES = 100
TROUBLED_MESSAGES = 30
CUT_BYTES = 40
TROUBLES = {
    "latency": Trouble(latency_seconds=0.2),
    "bandwidth": Trouble(bytes_per_second=20_000),
    "slices": Trouble(slice_bytes=7, latency_seconds=0.0005),
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    server = NatsServer(tmp_path / "nats", store=tmp_path / "store").start()
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture
def common(tmp_path: Path) -> CommonSettings:
    return CommonSettings(data_dir=tmp_path / "data", graceful_timeout_seconds=3.0)


@pytest.fixture
async def bus(server: NatsServer, common: CommonSettings) -> AsyncIterator[NatsBus]:
    bus = await open_bus(NatsAddress(url=server.url, monitor_url=server.monitor_url), common)
    await provision(bus.jetstream, list(Role), common=common)
    yield bus
    await bus.close()


async def publish(bus: NatsBus, count: int, *, name: str) -> list[str]:
    """Publishes one message after the other; returns the ids, all confirmed."""
    names = [f"{name}-{number}" for number in range(count)]
    for number, event_id in enumerate(names):
        await bus.publisher.publish(outgoing(page_gone(number), event_id))
    return names


async def stored(bus: NatsBus) -> int:
    return int((await bus.jetstream.stream_info(STREAM)).state.messages)


async def through(network: Network, server: NatsServer, common: CommonSettings) -> NatsBus:
    """Opens the bus over a troubled network."""
    address = NatsAddress(url=f"nats://127.0.0.1:{network.port}", monitor_url=server.monitor_url)
    return await open_bus(address, common)


@pytest.mark.parametrize("kind", TROUBLES)
async def test_a_slow_network_delays_and_loses_nothing(
    server: NatsServer, bus: NatsBus, common: CommonSettings, kind: str
) -> None:
    """Each message is confirmed and stored once, though the answers are late or in pieces."""
    port = int(server.url.rpartition(":")[2])
    async with troubled("127.0.0.1", port) as network:
        far = await through(network, server, common)
        network.trouble = TROUBLES[kind]
        await publish(far, TROUBLED_MESSAGES, name=kind)
        network.trouble = Trouble()
        await far.close()

    assert TROUBLED_MESSAGES == await stored(bus)


async def test_resets_and_stalls_lose_and_double_nothing(
    server: NatsServer, bus: NatsBus, common: CommonSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections end in the middle and answers stay out: ids tell repeats, the client returns."""
    monkeypatch.setattr(publisher, "PUB_ACK_SECONDS", 1.0)
    port = int(server.url.rpartition(":")[2])
    async with troubled("127.0.0.1", port) as network:
        far = await through(network, server, common)
        publishing = asyncio.create_task(_publish_patiently(far, 3 * TROUBLED_MESSAGES))
        for _ in range(3):
            await asyncio.sleep(0.1)
            network.trouble = Trouble(stalled=True)
            await asyncio.sleep(0.5)
            network.reset()
            network.trouble = Trouble()
            await asyncio.sleep(2.5)
        await asyncio.wait_for(publishing, 60)
        connections = network.connections
        await far.close()

    assert connections > 1
    assert 3 * TROUBLED_MESSAGES == await stored(bus)


async def _publish_patiently(bus: NatsBus, count: int) -> None:
    """Publishes as a relay does: what was not confirmed goes again, under its id."""
    for number in range(count):
        while True:
            try:
                await bus.publisher.publish(outgoing(page_gone(number), f"gone-{number}"))
                break
            except StoreUnavailable:
                await asyncio.sleep(0.1)
        await asyncio.sleep(0.02)


async def test_a_truncated_block_costs_its_tail_alone(
    server: NatsServer, bus: NatsBus, common: CommonSettings
) -> None:
    """The server starts, delivers all before the cut, and takes again what is published again."""
    names = await publish(bus, MESSAGES, name="gone")
    server.stop()
    blocks = sorted(server.store.rglob(f"streams/{STREAM}/msgs/*.blk"))
    last = blocks[-1]
    with last.open("r+b") as block:
        block.truncate(last.stat().st_size - CUT_BYTES)
    server.start()
    await until(lambda: _is_connected(bus), timeout_seconds=30)

    recorder = Recorder()
    platform = await open_platform(
        common, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
    )
    runner = Runner([service_of(Role.CHANGE_DETECTOR, PageGone, recorder)], platform, bus)
    await runner.start()
    await until(lambda: {*names[:-1]} <= set(recorder.event_ids), timeout_seconds=30)
    assert names[-1] not in recorder.event_ids
    await bus.publisher.publish(outgoing(page_gone(MESSAGES), names[-1]))
    await until(lambda: names[-1] in recorder.event_ids, timeout_seconds=30)
    await runner.stop()
    await platform.close()


async def _is_connected(bus: NatsBus) -> bool:
    try:
        await stored(bus)
    except (NatsError, OSError):
        return False
    return True


async def test_every_confirmation_comes_after_a_sync(
    server: NatsServer, bus: NatsBus, tmp_path: Path
) -> None:
    """As strace sees it: before each confirmation a block was synced."""
    strace = shutil.which("strace")
    assert strace, "strace is missing: `make setup`, or `apt-get install strace`."
    trace = tmp_path / "trace"
    command = [strace, "-f", "-qq", "-y", "-s", "300", "-e", "trace=fsync,fdatasync,write,writev"]
    tracer = subprocess.Popen([*command, "-o", str(trace), "-p", str(server.pid)])
    try:
        await until(lambda: _is_traced(server.pid), timeout_seconds=15)
        await publish(bus, MESSAGES, name="gone")
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait(10)

    synced, confirmed, unsynced = False, 0, 0
    for line in trace.read_text(errors="replace").splitlines():
        if re.search(r"\bf(data)?sync\(\d+<[^>]*\.blk>", line):
            synced = True
        elif f'stream\\":\\"{STREAM}' in line.replace(" ", "") and "seq" in line:
            confirmed, unsynced = confirmed + 1, unsynced + (not synced)
            synced = False
    assert (MESSAGES, 0) == (confirmed, unsynced)


def _is_traced(pid: int) -> bool:
    """Returns whether strace has attached to every thread."""
    states = [entry.read_text() for entry in Path(f"/proc/{pid}/task").glob("*/status")]
    return all("TracerPid:\t0\n" not in state for state in states)
