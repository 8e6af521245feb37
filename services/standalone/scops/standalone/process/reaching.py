"""Waits for the bus at a start: a process that came first says what it lacks, and goes on."""

import asyncio

from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.nats_bus import NatsBus, open_bus
from scops.common.contract.errors import StoreUnavailable
from scops.common.observe.log import get_logger
from scops.common.runtime.lifecycle import ProcessLifecycle

log = get_logger(__name__)
DELAY_FIRST_SECONDS = 0.5
DELAY_SECONDS_MAX = 15.0
BUS = "bus"


async def reach_bus(
    address: NatsAddress, lifecycle: ProcessLifecycle, *, name: str
) -> NatsBus | None:
    """Connects to the bus, trying again with growing delay; alive and not ready meanwhile.

    Returns:
        The connected bus; None when the process was told to stop before it came about.
    """
    delay = DELAY_FIRST_SECONDS
    stopped = asyncio.create_task(lifecycle.stopping.wait())
    while True:
        connecting = asyncio.create_task(open_bus(address, lifecycle.common, name=name))
        await asyncio.wait((connecting, stopped), return_when=asyncio.FIRST_COMPLETED)
        try:
            if stopped.done() and not connecting.done():
                connecting.cancel()
                return None
            bus = await connecting
        except StoreUnavailable as error:
            lifecycle.waiting_for[BUS] = error.message
            log.warning("bus_not_reached", error=error.message, retry_seconds=delay)
        else:
            stopped.cancel()
            lifecycle.waiting_for.pop(BUS, None)
            return bus
        if await _stopped_within(stopped, delay):
            return None
        delay = min(delay * 2, DELAY_SECONDS_MAX)


async def _stopped_within(stopped: "asyncio.Task[bool]", seconds: float) -> bool:
    await asyncio.wait((stopped,), timeout=seconds)
    return stopped.done()
