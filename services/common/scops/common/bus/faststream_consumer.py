"""Subscribes to durables with FastStream; the only module that imports it.

FastStream pulls and dispatches; nothing more of it is used. Acknowledgement is manual, bodies
stay bytes (the wrapper in `retry` decodes), streams are never declared from here, and pulls are
shared and patient (`_SharedPull`): FastStream's own loop spins when a durable is gone.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from faststream.middlewares import AckPolicy
from faststream.nats import JStream, NatsBroker, NatsMessage, PullSub
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error

from scops.common import contract
from scops.common.bus.connection import connection_options
from scops.common.bus.heartbeat import every
from scops.common.bus.ports import Publisher
from scops.common.bus.retry import Consumer, RetryPolicy, consume
from scops.common.bus.topology import Durable
from scops.common.clock import Clock
from scops.common.contract import BY_TYPE, Lane
from scops.common.errors import StoreUnavailable
from scops.common.ids import monotonic_seconds
from scops.common.log import get_logger
from scops.common.service import Service, Subscription
from scops.common.settings import CommonSettings

log = get_logger(__name__)
ACK_TIMEOUT_SECONDS = 5.0
# Between pulls that failed or came back empty at once.
PULL_PAUSE_SECONDS = 1.0


class NatsDelivery:
    """The `Delivery` port over a FastStream message."""

    __slots__ = ("_message", "_metadata")

    def __init__(self, message: NatsMessage) -> None:
        self._message: Msg = message.raw_message
        self._metadata = self._message.metadata

    @property
    def subject(self) -> str:
        return self._message.subject

    @property
    def data(self) -> bytes:
        return self._message.data

    @property
    def headers(self) -> Mapping[str, str]:
        return self._message.header or {}

    @property
    def delivery_count(self) -> int:
        return int(self._metadata.num_delivered or 1)

    @property
    def stream(self) -> str:
        return str(self._metadata.stream)

    @property
    def stream_sequence(self) -> int:
        return int(self._metadata.sequence.stream)

    async def ack_sync(self) -> None:
        try:
            await self._message.ack_sync(timeout=ACK_TIMEOUT_SECONDS)
        except (Error, OSError, TimeoutError) as error:
            raise _no_answer("acknowledgement", error) from error

    async def nak(self, delay_seconds: float) -> None:
        try:
            await self._message.nak(delay=delay_seconds)
        except (Error, OSError, TimeoutError) as error:
            raise _no_answer("nak", error) from error

    async def in_progress(self) -> None:
        try:
            await self._message.in_progress()
        except (Error, OSError, TimeoutError) as error:
            raise _no_answer("heartbeat", error) from error


class FastStreamConsumers:
    """The subscribers of some services, each started once its durable is known to exist."""

    def __init__(
        self,
        url: str,
        services: Sequence[Service],
        *,
        common: CommonSettings,
        publisher: Publisher,
        clock: Clock,
    ) -> None:
        self._common = common
        self._publisher = publisher
        self._clock = clock
        self._broker = NatsBroker(
            url,
            # Handlers take the message as it is; the injection of arguments costs as much again
            # as everything else FastStream does for a message.
            apply_types=False,
            graceful_timeout=common.graceful_timeout_seconds,
            logger=logging.getLogger("scops.faststream"),
            **connection_options(),
        )
        self._subscribers: dict[str, tuple[Any, int]] = {}
        self._started: set[str] = set()
        self._client: Client | None = None
        self.durables = tuple(
            self._subscribe(service, subscription, lane)
            for service in services
            for subscription in service.subscriptions
            for lane in Lane
        )

    async def connect(self) -> None:
        """Connects without starting a subscriber."""
        self._client = await self._broker.connect()

    @property
    def is_closed(self) -> bool:
        """Whether the connection is closed for good: only a new process helps then."""
        return self._client is not None and bool(self._client.is_closed)

    async def start(self, durable: Durable) -> None:
        """Starts pulling for a durable that exists; a second call does nothing.

        For a durable that does not exist the client library would create one of its own making.
        """
        if durable.name in self._started:
            return
        subscriber, concurrency = self._subscribers[durable.name]
        await subscriber.start()
        # The loop that FastStream has just made takes its first step only after this.
        subscriber.subscription = _SharedPull(subscriber.subscription, self._clock)
        for _ in range(concurrency - 1):
            subscriber.add_task(subscriber._consume_pull, func_kwargs={"cb": subscriber.consume})
        self._started.add(durable.name)

    async def stop(self) -> None:
        """Stops pulling, waits for handlers within the graceful timeout, then disconnects."""
        await self._broker.stop()

    def _subscribe(self, service: Service, subscription: Subscription, lane: Lane) -> Durable:
        entry = BY_TYPE[subscription.message]
        assert service.role in entry.consumers, f"{service.role} does not consume {entry}"
        name = contract.durable_name(service.role, entry, lane)
        consumer = Consumer(
            role=service.role, contract=entry, lane=lane, handler=subscription.handler
        )
        subscriber = self._broker.subscriber(
            contract.subject_filter(entry, lane),
            durable=name,
            stream=JStream(entry.stream.name, declare=False),
            pull_sub=PullSub(batch_size=1, timeout=self._common.bus_fetch_timeout_seconds),
            ack_policy=AckPolicy.MANUAL,
            no_reply=True,
            decoder=_undecoded,
        )
        subscriber(self._handler(consumer))
        self._subscribers[name] = (subscriber, subscription.concurrency)
        return Durable(name=name, role=service.role, contract=entry, lane=lane)

    def _handler(self, consumer: Consumer) -> Any:
        policy = RetryPolicy(
            deliveries_max=self._common.bus_deliveries_max,
            delay_first_seconds=self._common.bus_retry_delay_first_seconds,
            delay_max_seconds=self._common.bus_retry_delay_max_seconds,
        )
        heartbeat = every(self._common.bus_heartbeat_seconds)

        async def handle(message: NatsMessage) -> None:
            await consume(
                NatsDelivery(message),
                consumer,
                publisher=self._publisher,
                clock=self._clock,
                policy=policy,
                heartbeat=heartbeat,
            )

        return handle


class _SharedPull:
    """One pull subscription for all places of a subscriber; never empty-handed twice at once.

    FastStream's loop waits for the slowest message of a batch before it pulls again. So each
    place runs a loop of its own that asks for one message, and one pull serves all that wait.
    """

    def __init__(self, pull: Any, clock: Clock) -> None:
        self._pull = pull
        self._clock = clock
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._fetched: deque[Msg] = deque()

    async def fetch(self, batch: int, timeout: float) -> list[Msg]:
        self._waiting += 1
        try:
            async with self._turn:
                if not self._fetched:
                    self._fetched.extend(await self._fetch(timeout))
                return [self._fetched.popleft()] if self._fetched else []
        finally:
            self._waiting -= 1

    async def unsubscribe(self) -> None:
        await self._pull.unsubscribe()

    async def _fetch(self, timeout: float) -> list[Msg]:
        started = monotonic_seconds()
        messages: list[Msg] = []
        try:
            messages = await self._pull.fetch(batch=self._waiting, timeout=timeout)
        except TimeoutError:
            log.debug("pull_was_empty")
        except (Error, OSError) as error:
            log.debug("pull_failed", error=repr(error))
        if not messages and monotonic_seconds() - started < PULL_PAUSE_SECONDS:
            await self._clock.sleep(PULL_PAUSE_SECONDS)
        return messages


async def _undecoded(message: NatsMessage) -> NatsMessage:
    return message


def _no_answer(what: str, error: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        f"The bus did not confirm an {what}: {error!r}. The message is delivered again.",
        reason="BUS_UNAVAILABLE",
    )
