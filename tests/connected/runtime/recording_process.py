"""A process with one service that records what it is given, to be stopped by signals."""

import asyncio
import os
import subprocess
import sys
from asyncio.subprocess import Process
from pathlib import Path

from scops.common.bus.nats_bus import NatsBus
from tests.connected.waiting import until

PROGRAM = """
import asyncio, sys
from pathlib import Path
from scops.common.bus.nats_bus import open_bus
from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.contract.service_table import Role
from scops.common.runtime.lifecycle import process_lifecycle
from scops.common.contract.messages.crawl import PageGone
from scops.common.runtime.platform import open_platform
from scops.common.runtime.process_run import run_between
from scops.common.config.settings import CommonSettings
from tests.fakes.worlds.services import Recorder, service_of

async def main():
    common = CommonSettings(data_dir=Path(sys.argv[2]), log_level="error")
    bus = await open_bus(NatsAddress(url=sys.argv[1], monitor_url=""), common)
    platform = await open_platform(
        common, publisher=bus.publisher, query_client=bus.query_client, backlog=bus.backlog)
    recorder = Recorder(delay_seconds=float(sys.argv[3]))
    async def on_running(url):
        Path(sys.argv[2], "running").write_text(url)
    service = service_of(Role.CHANGE_DETECTOR, PageGone, recorder)
    async with process_lifecycle(common) as lifecycle:
        await run_between(lifecycle, [service], platform, bus, on_running=on_running)
    await platform.close()
    await bus.close()
    Path(sys.argv[2], "ended").write_text(",".join(recorder.event_ids))

asyncio.run(main())
"""


async def started_process(bus: NatsBus, folder: Path, *, delay_seconds: float) -> Process:
    """Starts the process and waits until it consumes; `ended` in its folder names what it took.

    Args:
        delay_seconds: how long it works on a message.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROGRAM,
        bus.address.url,
        str(folder),
        str(delay_seconds),
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        stdout=subprocess.DEVNULL,
    )
    await until(lambda: (folder / "running").exists())
    return process
