"""50,000 messages wait while their consumer is down: what takes them up stays small.

Measured: the resident memory of a process with the real runner and bus, and a handler that keeps
nothing; and of nats-server.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from scops.common.bus.admin.provisioner import provision
from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import DEAD_LETTER_STREAM, Role
from tests.fakes.servers.nats import NatsServer, nats_server
from tests.fakes.worlds.services import outgoing, page_gone

BACKLOG = 50_000
# What a process has handled that is warm: pools and buffers are what they will be.
WARM = 1_000
PUBLISHED_AT_ONCE = 200
DRAIN_SECONDS_MAX = 1200.0
LOOK_SECONDS = 0.5
STOP_SECONDS = 30.0
MEBIBYTE = 1024 * 1024
GROWTH_BYTES_MAX = 32 * MEBIBYTE
NATS_BYTES_MAX = 256 * MEBIBYTE


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with nats_server(tmp_path / "nats") as server:
        yield server


@pytest.fixture
def common(tmp_path: Path) -> CommonSettings:
    return CommonSettings(data_dir=tmp_path)


async def opened(server: NatsServer, common: CommonSettings) -> NatsBus:
    address = NatsAddress(url=server.url, monitor_url=server.monitor_url)
    return await open_bus(address, common)


async def publish(bus: NatsBus, first: int, count: int) -> None:
    """Publishes that pages are gone, each confirmed."""
    for begin in range(first, first + count, PUBLISHED_AT_ONCE):
        numbers = range(begin, min(begin + PUBLISHED_AT_ONCE, first + count))
        await asyncio.gather(
            *(bus.publisher.publish(outgoing(page_gone(one), f"gone-{one}")) for one in numbers)
        )


async def drained(bus: NatsBus, server: NatsServer, folder: Path) -> tuple[int, int, int]:
    """Runs a consumer until nothing waits.

    Returns:
        How many pages it has seen, its largest resident memory and that of nats-server.
    """
    command = [sys.executable, "-m", "tests.faults.backlog_consumer", server.url, str(folder)]
    child = subprocess.Popen(
        [*command, str(WARM + BACKLOG)], env={**os.environ, "PYTHONPATH": os.getcwd()}
    )
    ours, nats = psutil.Process(child.pid), psutil.Process(server.pid)
    limit = time.monotonic() + DRAIN_SECONDS_MAX
    most, most_nats = 0, 0
    try:
        while await bus.backlog(Role.CHANGE_DETECTOR):
            most = max(most, ours.memory_info().rss)
            most_nats = max(most_nats, nats.memory_info().rss)
            assert child.poll() is None, "the consumer has ended"
            assert time.monotonic() < limit, "the backlog was not drained"
            await asyncio.sleep(LOOK_SECONDS)
        child.terminate()
        assert 0 == await asyncio.to_thread(child.wait, STOP_SECONDS)
    finally:
        child.kill()
        child.wait()
    return int((folder / "seen").read_text()), most, most_nats


@pytest.mark.timeout(1500)
async def test_a_backlog_of_50_000_is_drained_in_bounded_memory(
    server: NatsServer, common: CommonSettings, tmp_path: Path
) -> None:
    """The consumer comes back to 50,000 messages: it takes little more memory than for 1,000."""
    bus = await opened(server, common)
    await provision(bus.jetstream, list(Role), common=common)
    await publish(bus, 0, WARM)
    _, warm, _ = await drained(bus, server, tmp_path)
    await publish(bus, WARM, BACKLOG)
    assert BACKLOG == await bus.backlog(Role.CHANGE_DETECTOR)
    started = time.monotonic()
    seen, most, most_nats = await drained(bus, server, tmp_path)
    print(
        f"warm {warm // MEBIBYTE} MiB, draining {most // MEBIBYTE} MiB, "
        f"nats-server {most_nats // MEBIBYTE} MiB, {time.monotonic() - started:.0f} s"
    )

    letters = await bus.jetstream.stream_info(DEAD_LETTER_STREAM.name)
    await bus.close()
    assert 0 == letters.state.messages
    assert BACKLOG == seen
    assert most < warm + GROWTH_BYTES_MAX
    assert most_nats < NATS_BYTES_MAX
