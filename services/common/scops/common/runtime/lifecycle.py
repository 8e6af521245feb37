"""What a process has from its first moment to its last: signals and the health server."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from scops.common.config.settings import CommonSettings
from scops.common.observe.log import get_logger
from scops.common.runtime.health import HealthServer

log = get_logger(__name__)
SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass(slots=True)
class ProcessLifecycle:
    """Whether a process is to stop, and what its health server tells while it starts.

    Attributes:
        stopping: set by the first SIGTERM or SIGINT, or from within; a second signal ends the
            process at once.
        waiting_for: what the start still lacks, by name; told by /readyz.
    """

    common: CommonSettings
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    waiting_for: dict[str, str] = field(default_factory=dict)
    health: HealthServer = field(init=False)

    def __post_init__(self) -> None:
        self.health = HealthServer(self.common, alive=_nothing, ready=self._starting)

    async def _starting(self) -> dict[str, str]:
        return {"state": "The process is starting", **self.waiting_for}


@asynccontextmanager
async def process_lifecycle(common: CommonSettings) -> AsyncIterator[ProcessLifecycle]:
    """Listens for signals and serves health while inside.

    Raises:
        StoreUnavailable: the port of the health server is taken.
    """
    lifecycle = ProcessLifecycle(common)
    remove_signals = _stop_on_signals(lifecycle.stopping)
    try:
        await lifecycle.health.start()
        yield lifecycle
    finally:
        await lifecycle.health.stop()
        remove_signals()


async def _nothing() -> dict[str, str]:
    return {}


def _stop_on_signals(stopping: asyncio.Event) -> Callable[[], None]:
    loop = asyncio.get_running_loop()

    def received(number: signal.Signals) -> None:
        if stopping.is_set():
            log.error("stopped_at_once", signal=number.name)
            # Not `sys.exit`: nothing may hold up who asks twice. What is lost is delivered again.
            os._exit(128 + number)
        stopping.set()

    for number in SIGNALS:
        loop.add_signal_handler(number, received, number)

    def remove() -> None:
        for number in SIGNALS:
            loop.remove_signal_handler(number)

    return remove
