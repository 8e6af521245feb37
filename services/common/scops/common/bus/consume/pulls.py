"""Pulls messages for the slots of one durable, and ends without leaving any behind."""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error

from scops.common.bus.admin.topology import Durable
from scops.common.bus.connection import LAST_WORDS_SECONDS, end_interest, settle
from scops.common.contract.ids import monotonic_seconds
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock
from scops.common.runtime.gate import Gate

log = get_logger(__name__)
# How long one request waits at the server.
TIMEOUT_SECONDS = 5.0
# Before the next request after one that was refused.
PULL_PAUSE_SECONDS = 1.0
# How much later than the server we give up a request that nothing was heard of.
SILENCE_SECONDS = 1.0
# Within this the server sends what it has for a request that has reached it.
ANSWER_SECONDS = 0.1
# Handlers that take less find their next message here already: what waits for a slot waits
# shorter than the server waits for its acknowledgement by far.
QUICK_SECONDS = 0.1
# Share of the newest handling in how long one takes.
NEWEST = 0.1
IDLE_POLL_SECONDS = 0.02
NANOSECONDS = 1_000_000_000
NEXT_MESSAGE = "$JS.API.CONSUMER.MSG.NEXT"
ACKNOWLEDGEMENTS = "$JS.ACK."
STATUS = "Status"
LEFT = "Nats-Pending-Messages"
# The server ends a request by itself: its time is up, or there is nothing (NATS ADR-37).
ENDED = frozenset({"404", "408"})


@dataclass(slots=True)
class _Request:
    """Messages that the server was asked for.

    Attributes:
        until: when it has ended in any case, on the monotonic clock.
        left: messages that have not come yet.
    """

    until: float
    left: int


class SharedPull:
    """Pulls for all slots of a subscriber; each takes one message at a time.

    The client library, asked for several messages, keeps the first until the others have come or
    time is up. So what the slots wait for together is asked for in one request, and asked for
    again when half of it has come. A message has a slot before it is sent; only of those that
    are handled quickly, one a slot is sent ahead.
    """

    def __init__(
        self,
        client: Client,
        durable: Durable,
        *,
        slots: int,
        gate: Gate,
        clock: Clock,
    ) -> None:
        self._client = client
        self._subject = f"{NEXT_MESSAGE}.{durable.stream}.{durable.name}"
        self._place = f".{durable.stream}.{durable.name}."
        self._slots = slots
        self._timeout = TIMEOUT_SECONDS
        self._gate = gate
        self._clock = clock
        self._inbox = client.new_inbox()
        self._subscription: Subscription | None = None
        self._arrived: asyncio.Queue[Msg] = asyncio.Queue()
        self._waiting = 0
        self._requests: deque[_Request] = deque()
        # How long messages took to handle lately.
        self._takes = QUICK_SECONDS
        # Asks once the gate is open, or the pause after a refusal is over.
        self._later: asyncio.Task[None] | None = None
        # Asks again where a request was lost: one timer for all slots, of which there are hundreds.
        self._heard: asyncio.Task[None] | None = None
        self._closed = False

    async def open(self) -> None:
        """Subscribes to what the server will send."""
        self._subscription = await self._client.subscribe(self._inbox, cb=self._arrived.put)
        self._heard = asyncio.create_task(self._ask_after_silence(), name="pull after silence")

    async def serve(self, handle: Callable[[Msg], Awaitable[None]]) -> None:
        """Is one of the slots: takes messages and handles each, until it is cancelled.

        Args:
            handle: sees to its own failures; what it raises ends the slot.
        """
        while True:
            message = await self._taken()
            if message is None:
                continue
            begun = monotonic_seconds()
            await handle(message)
            self._takes += NEWEST * (monotonic_seconds() - begun - self._takes)

    async def _taken(self) -> Msg | None:
        self._waiting += 1
        try:
            await self._ask()
            message = await self._next()
        finally:
            self._waiting -= 1
        if message is not None:
            # The others may wait for more than is still to come.
            await self._ask()
        return message

    async def unsubscribe(self) -> None:
        """Drops what still arrives."""
        if self._subscription is not None:
            await self._subscription.unsubscribe()

    async def close(self) -> None:
        """Pulls nothing more; what the server had sent by then is handled.

        A subscription that simply ends would drop what is on its way to us, and the server would
        deliver it again only after the acknowledgement timer.
        """
        self._closed = True
        for task in (self._later, self._heard):
            if task is not None:
                task.cancel()
        if self._subscription is None or self._client.is_closed:
            return
        try:
            if self._requests:
                # An interest that ends while the server answers lets it count as sent what
                # nobody hears.
                await settle(self._client, timeout_seconds=LAST_WORDS_SECONDS)
                await self._clock.sleep(ANSWER_SECONDS)
            await end_interest(self._client, self._subscription)
        except (Error, OSError, TimeoutError) as error:
            log.warning("pull_not_ended", error=repr(error))

    async def idle(self) -> None:
        """Waits until every slot has finished what it was given, and nothing waits for one."""
        while self._waiting < self._slots or not self._arrived.empty():
            await self._clock.sleep(IDLE_POLL_SECONDS)

    async def give_back(self) -> None:
        """Naks what has arrived and has no slot yet."""
        while not self._arrived.empty():
            message = self._arrived.get_nowait()
            if STATUS in (message.headers or {}):
                continue
            with suppress(Error, OSError):
                await message.nak()

    async def _ask(self) -> None:
        """Asks for as many messages as are wanted, unless half of them are on their way."""
        now = monotonic_seconds()
        while self._requests and self._requests[0].until <= now:
            self._requests.popleft()
        coming = sum(request.left for request in self._requests)
        wanted = self._waiting + (self._slots if self._takes < QUICK_SECONDS else 0)
        if self._closed or self._later is not None or 2 * coming >= wanted:
            return
        if not self._gate.is_open:
            self._ask_later(0.0)
            return
        missing = wanted - coming
        self._requests.append(_Request(now + self._timeout + SILENCE_SECONDS, missing))
        request = {"batch": missing, "expires": int(self._timeout * NANOSECONDS)}
        try:
            await self._client.publish(
                self._subject, json.dumps(request).encode(), reply=self._inbox
            )
        except (Error, OSError) as error:
            log.debug("pull_failed", error=repr(error))
            self._requests.clear()
            self._ask_later(PULL_PAUSE_SECONDS)

    def _ask_later(self, seconds: float) -> None:
        if self._later is None and not self._closed:
            self._later = asyncio.create_task(self._asking(seconds), name="pull later")

    async def _asking(self, seconds: float) -> None:
        if seconds:
            await self._clock.sleep(seconds)
        await self._gate.passed()
        self._later = None
        await self._ask()

    async def _ask_after_silence(self) -> None:
        while True:
            await self._clock.sleep(self._timeout + SILENCE_SECONDS)
            await self._ask()

    async def _next(self) -> Msg | None:
        """Returns the next message; None where a request has ended."""
        message = await self._arrived.get()
        status = (message.headers or {}).get(STATUS)
        if status is None and not self._is_ours(message):
            # A user of the bus had the server send it here; it is for its consumer to handle.
            log.error("message_astray", subject=message.subject, reply=message.reply)
            return None
        if status is None:
            self._came(1)
            return message
        if status in ENDED:
            self._came(int((message.headers or {}).get(LEFT, 0)))
        else:
            log.debug("pull_refused", status=status)
            self._requests.clear()
            self._ask_later(PULL_PAUSE_SECONDS)
        return None

    def _is_ours(self, message: Msg) -> bool:
        """Whether a message is to be acknowledged to the durable that is pulled for."""
        reply = message.reply or ""
        return reply.startswith(ACKNOWLEDGEMENTS) and self._place in reply

    def _came(self, count: int) -> None:
        """Counts messages that need not be waited for any more; older requests end first."""
        while count and self._requests:
            oldest = self._requests[0]
            taken = min(count, oldest.left)
            oldest.left -= taken
            count -= taken
            if not oldest.left:
                self._requests.popleft()
