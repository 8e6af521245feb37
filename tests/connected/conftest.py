"""A real nats-server for each test: started as `scops up` starts it, on free ports."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from scops.common.bus.admin.provisioner import provision
from scops.common.bus.consume import pulls, retry
from scops.common.bus.embedded.nats_child import NatsChild
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.bus.publish import publisher
from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import Role
from scops.common.observe.log import configure_logging
from scops.common.runtime import runner
from scops.common.runtime.platform import open_platform
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service


@pytest.fixture(autouse=True)
def _plain_log() -> None:
    """Logs as a process does: plain lines, no local variables in tracebacks."""
    configure_logging(CommonSettings(log_level="warning", log_format="json"))


@pytest.fixture(autouse=True)
def _short_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets tests wait for less."""
    monkeypatch.setattr(retry, "DELAY_FIRST_SECONDS", 0.2)
    monkeypatch.setattr(retry, "DELAY_SECONDS_MAX", 0.4)
    monkeypatch.setattr(runner, "LOOK_SECONDS", 1.0)
    monkeypatch.setattr(pulls, "TIMEOUT_SECONDS", 1.0)
    monkeypatch.setattr(publisher, "FULL_SECONDS_MAX", 2.0)


@pytest.fixture
def common(tmp_path: Path) -> CommonSettings:
    """Settings with a folder of their own."""
    return CommonSettings(
        data_dir=tmp_path / "data",
        bus_stream_bytes_max=16 * 1024 * 1024,
        graceful_timeout_seconds=3.0,
    )


@pytest.fixture
async def nats_server(common: CommonSettings) -> AsyncIterator[NatsChild]:
    """A running nats-server without streams."""
    child = NatsChild(common)
    await child.start()
    yield child
    await child.stop()


@pytest.fixture
async def bare_bus(nats_server: NatsChild, common: CommonSettings) -> AsyncIterator[NatsBus]:
    """A connected bus without streams."""
    bus = await open_bus(nats_server.address, common)
    yield bus
    await bus.close()


@pytest.fixture
async def bus(bare_bus: NatsBus, common: CommonSettings) -> NatsBus:
    """A connected bus, provisioned for every role."""
    await provision(bare_bus.jetstream, list(Role), common=common)
    return bare_bus


@pytest.fixture
async def run(
    bus: NatsBus, common: CommonSettings
) -> AsyncIterator[Callable[[Sequence[Service]], Awaitable[Runner]]]:
    """Starts services in a runner and waits until they consume; stops them at the end."""
    runners: list[Runner] = []
    platform = await open_platform(
        common, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog
    )

    async def start(services: Sequence[Service]) -> Runner:
        started = Runner(services, platform, bus)
        runners.append(started)
        await started.start()
        await started.until_running()
        return started

    yield start
    for started in runners:
        await started.stop()
    await platform.close()
