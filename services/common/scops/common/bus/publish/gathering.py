"""A publisher that sends what some sources publish in lane bulk together, as frames.

A frame holds messages of one contract: at most 32, and 128 KiB. What stands alone, is of lane
now, or is no part of frames, goes as ever.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from scops.common.bus.ports import Outgoing, Publisher, Sealed
from scops.common.bus.publish.sealing import frame_of, producing, seal, sealed_bytes
from scops.common.contract.service_table import BY_TYPE, Lane
from scops.common.runtime.clock import Clock

FRAME_ITEMS_MAX: Final = 32
FRAME_BYTES_MAX: Final = 128 * 1024
# One alone has nobody to wait for.
SOURCES_MIN: Final = 2
# How long a message waits for those of sources that are slower.
WAIT_SECONDS: Final = 0.25


def goes_together(outgoing: Outgoing) -> bool:
    """Returns whether a message may go in a frame."""
    return outgoing.lane is Lane.BULK and BY_TYPE[type(outgoing.message)].framed


class Gathering:
    """The `Publisher` port; what it is given waits until each source has published, or ended.

    A publication returns, or raises, with the PubAck of its frame: none of its messages is taken
    for published before.
    """

    def __init__(self, publisher: Publisher, *, clock: Clock) -> None:
        self._publisher = publisher
        self._clock = clock
        self._sources = 0
        # Publications that have no PubAck yet.
        self._waiting = 0
        self._open: dict[type[Any], _Batch] = {}
        self._sending: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Counts one more source, whose next publication is waited for."""
        self._sources += 1

    def end(self) -> None:
        """Counts one source less."""
        self._sources -= 1
        self._send_if_complete()

    async def publish(self, outgoing: Outgoing) -> None:
        if self._sources < SOURCES_MIN or not goes_together(outgoing):
            await self._publisher.publish(outgoing)
            return
        with producing(outgoing):
            sealed = seal(outgoing, now=self._clock.now())
            confirmed = self._add(sealed)
            self._send_if_complete()
            await confirmed

    async def send(self, sealed: Sealed) -> None:
        await self._publisher.send(sealed)

    def _add(self, sealed: Sealed) -> asyncio.Future[None]:
        size, key = sealed_bytes(sealed), sealed.contract.message
        if key in self._open and not self._open[key].has_room_for(size):
            self._send(key)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WAIT_SECONDS, self._send_all)
        self._waiting += 1
        return self._open.setdefault(key, _Batch()).add(sealed, size)

    def _send_if_complete(self) -> None:
        if self._open and self._waiting >= self._sources:
            self._send_all()

    def _send_all(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for key in tuple(self._open):
            self._send(key)

    def _send(self, key: type[Any]) -> None:
        batch = self._open.pop(key)
        task = asyncio.create_task(self._leave(batch.messages), name="publish together")
        self._sending.add(task)
        task.add_done_callback(partial(self._left, batch))

    async def _leave(self, messages: Sequence[Sealed]) -> None:
        one = messages[0]
        if len(messages) > 1:
            one = frame_of(messages, now=self._clock.now())
        await self._publisher.send(one)

    def _left(self, batch: "_Batch", sending: asyncio.Task[None]) -> None:
        self._sending.discard(sending)
        self._waiting -= len(batch.messages)
        batch.end(sending)


class _Batch:
    """Messages of one contract that leave together."""

    def __init__(self) -> None:
        self.messages: list[Sealed] = []
        self._bytes = 0
        self._published: list[asyncio.Future[None]] = []

    def has_room_for(self, size: int) -> bool:
        return len(self.messages) < FRAME_ITEMS_MAX and self._bytes + size <= FRAME_BYTES_MAX

    def add(self, sealed: Sealed, size: int) -> asyncio.Future[None]:
        """Returns what ends with the message's PubAck, or with why there is none."""
        published: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.messages.append(sealed)
        self._published.append(published)
        self._bytes += size
        return published

    def end(self, sending: asyncio.Task[None]) -> None:
        """Tells whoever published one of them how it went."""
        for published in self._published:
            # Whoever waited may have been cancelled.
            if published.done():
                continue
            if sending.cancelled():
                published.cancel()
            elif (error := sending.exception()) is not None:
                published.set_exception(error)
            else:
                published.set_result(None)
