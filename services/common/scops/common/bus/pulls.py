"""Pulls messages for the places of one durable, and ends without leaving any behind."""

import asyncio
from contextlib import suppress
from typing import Any

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error

from scops.common.bus.connection import settle
from scops.common.clock import Clock
from scops.common.ids import monotonic_seconds
from scops.common.log import get_logger

log = get_logger(__name__)
# Between pulls that failed or came back empty at once.
PULL_PAUSE_SECONDS = 1.0
# How long the server may take to say that it has sent everything.
LAST_WORDS_SECONDS = 2
IDLE_POLL_SECONDS = 0.02
STATUS = "Status"


class Gate:
    """Open while there is a point in pulling; shared by the durables of a process."""

    def __init__(self) -> None:
        self._opened = asyncio.Event()
        self._opened.set()

    def shut(self) -> None:
        """Holds back who comes next."""
        self._opened.clear()

    def open(self) -> None:
        """Lets everybody through."""
        self._opened.set()

    async def passed(self) -> None:
        """Waits until the gate is open."""
        await self._opened.wait()


class SharedPull:
    """One pull subscription for all places of a subscriber; never empty-handed twice at once.

    FastStream's loop waits for the slowest message of a batch before it pulls again, and the
    client library, asked for several, keeps the first until the others have come or time is up.
    So each place runs a loop of its own, and they take turns to pull one message.
    """

    def __init__(self, pull: Any, *, places: int, gate: Gate, clock: Clock) -> None:
        self._pull = pull
        self._places = places
        self._gate = gate
        self._clock = clock
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._fetching: asyncio.Task[list[Msg]] | None = None
        self._closed = False

    async def fetch(self, batch: int, timeout: float) -> list[Msg]:
        """Returns one message, or none; after `close` it does not return any more."""
        self._waiting += 1
        try:
            async with self._turn:
                await self._gate.passed()
                messages = await self._fetch(timeout)
            if self._closed and not messages:
                await asyncio.Event().wait()
            return messages
        finally:
            self._waiting -= 1

    async def unsubscribe(self) -> None:
        await self._pull.unsubscribe()

    async def close(self, client: Client | None) -> None:
        """Pulls nothing more; what the server had sent by then is handled, or given back.

        A subscription that simply ends would drop what is on its way to us, and the server would
        deliver it again only after the acknowledgement timer.
        """
        self._closed = True
        subscription = self._pull._sub
        if client is None or client.is_closed:
            return
        try:
            await client._send_unsubscribe(subscription._id)
            # The server answers this after everything it sent before it knew.
            await settle(client, timeout_seconds=LAST_WORDS_SECONDS)
        except (Error, OSError, TimeoutError) as error:
            log.warning("pull_not_ended", error=repr(error))
        if self._fetching is not None:
            # A message that has arrived in this moment is returned all the same.
            await asyncio.sleep(0)
            self._fetching.cancel()
        await self._give_back(subscription._pending_queue)

    async def idle(self) -> None:
        """Waits until every place has finished what it was given."""
        while self._waiting < self._places:
            await self._clock.sleep(IDLE_POLL_SECONDS)

    async def _fetch(self, timeout: float) -> list[Msg]:
        if self._closed:
            return []
        started = monotonic_seconds()
        messages: list[Msg] = []
        self._fetching = asyncio.create_task(
            self._pull.fetch(batch=1, timeout=timeout), name="pull"
        )
        try:
            messages = await self._fetching
        except TimeoutError:
            log.debug("pull_was_empty")
        except (Error, OSError) as error:
            log.debug("pull_failed", error=repr(error))
        except asyncio.CancelledError:
            if not self._closed:
                self._fetching.cancel()
                raise
        finally:
            self._fetching = None
        if not messages and monotonic_seconds() - started < PULL_PAUSE_SECONDS and not self._closed:
            await self._clock.sleep(PULL_PAUSE_SECONDS)
        return messages

    async def _give_back(self, arrived: "asyncio.Queue[Msg]") -> None:
        """Naks what arrived for a pull that nobody waits for any more."""
        while not arrived.empty():
            message = arrived.get_nowait()
            if STATUS in (message.headers or {}):
                continue
            with suppress(Error, OSError):
                await message.nak()
