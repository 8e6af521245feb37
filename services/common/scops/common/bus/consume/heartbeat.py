"""Keeps a message from being redelivered while its handler works."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType

from scops.common.bus.ports import Delivery
from scops.common.contract.errors import TransientError

# A third of the acknowledgement timer: two beats may be lost.
INTERVAL_SECONDS = 10.0
# Wraps the handling of one delivery; the simulation passes none.
HeartbeatFactory = Callable[[Delivery], AbstractAsyncContextManager[None]]


class Heartbeat:
    """Sends `in_progress` at an interval; costs one timer as long as handlers are quick."""

    def __init__(self, delivery: Delivery) -> None:
        self._delivery = delivery
        self._timer: asyncio.TimerHandle | None = None
        self._beats: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> None:
        self._schedule()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for beat in self._beats:
            beat.cancel()

    def _schedule(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(INTERVAL_SECONDS, self._beat)

    def _beat(self) -> None:
        task = asyncio.get_running_loop().create_task(self._send())
        self._beats.add(task)
        task.add_done_callback(self._beats.discard)
        self._schedule()

    async def _send(self) -> None:
        try:
            await self._delivery.in_progress()
        except TransientError:
            # The bus is away; the next beat tries again, and a redelivery does no harm.
            return
