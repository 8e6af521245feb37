"""Runs services from the start of a process to its end.

A connection that the bus has closed for good, as of a user that is removed, ends the process with
an error: whoever started it starts it again, and it waits until the bus takes its user.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from scops.common.bus.nats_bus import NatsBus
from scops.common.contract.errors import StoreUnavailable
from scops.common.observe.log import get_logger
from scops.common.observe.tracing import tracing
from scops.common.runtime.lifecycle import ProcessLifecycle
from scops.common.runtime.platform import Platform
from scops.common.runtime.runner import Runner
from scops.common.runtime.service import Service

log = get_logger(__name__)
# Between two looks at whether the connection lives.
LOOK_SECONDS = 1.0


async def run_between(
    lifecycle: ProcessLifecycle,
    services: Sequence[Service],
    platform: Platform,
    bus: NatsBus,
    *,
    on_running: Callable[[str], Awaitable[None]] | None = None,
) -> None:
    """Runs services until the process is to stop.

    Raises:
        ScopsError: the start failed, or the process can do its work only once it is started again.
    """
    runner = Runner(services, platform, bus)
    lifecycle.health.follow(alive=runner.alive, ready=runner.ready)
    with tracing(platform.common, service=_trace_name(services)):
        try:
            await runner.start()
            await _until_stopped(runner, lifecycle.stopping, lifecycle.health.url, on_running)
        finally:
            await runner.stop()


def _trace_name(services: Sequence[Service]) -> str:
    """Returns the name of this process in traces."""
    return f"scops-{services[0].role}" if len(services) == 1 else "scops"


async def _until_stopped(
    runner: Runner,
    stopping: asyncio.Event,
    health_url: str,
    on_running: Callable[[str], Awaitable[None]] | None,
) -> None:
    waiting = asyncio.create_task(until_over(runner, stopping))
    running = asyncio.create_task(runner.until_running())
    await asyncio.wait((waiting, running), return_when=asyncio.FIRST_COMPLETED)
    if running.done() and on_running is not None and not stopping.is_set():
        await on_running(health_url)
    running.cancel()
    await waiting
    log.info("stopping")


async def until_over(runner: Runner, stopping: asyncio.Event) -> None:
    """Waits until the process is to stop.

    Raises:
        StoreUnavailable: only a restart brings it back to its work.
    """
    while not stopping.is_set():
        if lost := await runner.alive():
            raise StoreUnavailable("; ".join(lost.values()), reason="BUS_CONNECTION_CLOSED")
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await stopping.wait()
