"""Subscribes to durables with FastStream; the only module that imports it.

FastStream connects, knows the subscribers, and keeps their tasks running; nothing more of it is
used. Messages go from the shared and patient pull (`SharedPull`) straight to the wrapper in
`retry`, which decodes and acknowledges: FastStream's own loop spins when a durable is gone, and its
layers cost as much for a message as the wrapper. Streams are never declared from here. FastStream
is not left to end pulls either: it would let what was pulled in the last moment wait for its
redelivery.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from faststream.middlewares import AckPolicy
from faststream.nats import JStream, NatsBroker, PullSub
from faststream.nats.security import NatsSecurity, NatsUserPassword
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error, NoRespondersError

from scops.common.bus.admin.topology import Durable
from scops.common.bus.connection import (
    Resubscription,
    begins_with_tls,
    bus_context,
    connection_options,
    inbox_prefix,
)
from scops.common.bus.consume.heartbeat import Heartbeat
from scops.common.bus.consume.pulls import SharedPull
from scops.common.bus.consume.retry import Consumer, DeliveryOutcome, RetryPolicy, consume
from scops.common.bus.consume.store_pause import StorePause
from scops.common.bus.ports import Publisher
from scops.common.config.settings import CommonSettings
from scops.common.contract import service_table
from scops.common.contract.errors import StoreUnavailable, TransientError
from scops.common.contract.service_table import BY_TYPE, Lane
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock
from scops.common.runtime.gate import Gate
from scops.common.runtime.service import Service, Subscription

log = get_logger(__name__)
ACK_TIMEOUT_SECONDS = 5.0


class NatsDelivery:
    """The `Delivery` port over a message of the client library."""

    __slots__ = ("_client", "_message", "_metadata")

    def __init__(self, message: Msg, client: Client) -> None:
        self._message = message
        self._client = client
        self._metadata = message.metadata

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
        except NoRespondersError as error:
            raise TransientError(
                "The durable of a message is gone, or its server has just started; what is "
                "not acknowledged is delivered again.",
                reason="BUS_UNAVAILABLE",
            ) from error
        except (Error, OSError, TimeoutError) as error:
            if await self._is_forgotten():
                raise TransientError(
                    "The bus does not know any more that it delivered a message, so that it never "
                    "confirms its acknowledgement; it delivers the message again.",
                    reason="DELIVERY_FORGOTTEN",
                ) from error
            raise _no_answer("acknowledgement", error) from error

    async def _is_forgotten(self) -> bool:
        """Whether the server has come back as it was before it delivered this.

        A server that was killed may have lost how far a durable was, or has an older disk; it
        leaves acknowledgements of later deliveries without an answer until it gets as far again.
        """
        stream, durable = str(self._metadata.stream), str(self._metadata.consumer)
        try:
            jetstream = self._client.jetstream(timeout=ACK_TIMEOUT_SECONDS)
            known = (await jetstream.consumer_info(stream, durable)).delivered
        except (Error, OSError, TimeoutError):
            return False
        return known is not None and known.consumer_seq < self._metadata.sequence.consumer

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
    """The subscribers of some services, each started once its durable is known to exist.

    Args:
        on_retried: called when a message could not be handled for now, or a store refused it.
    """

    def __init__(
        self,
        url: str,
        services: Sequence[Service],
        *,
        common: CommonSettings,
        publisher: Publisher,
        clock: Clock,
        on_retried: Callable[[], None],
    ) -> None:
        self._common = common
        self._publisher = publisher
        self._clock = clock
        self._on_retried = on_retried
        self._resubscription = Resubscription()
        self._broker = NatsBroker(
            url,
            apply_types=False,
            # Handlers in progress are waited for in `drain`.
            graceful_timeout=None,
            inbox_prefix=inbox_prefix(url, common),
            security=_security(url, common),
            logger=logging.getLogger("scops.faststream"),
            **connection_options(self._resubscription),
        )
        self._subscribers: dict[str, tuple[Any, Consumer, int]] = {}
        self._pulls: dict[str, SharedPull] = {}
        self._in_hand: set[NatsDelivery] = set()
        self._gate = Gate()
        self._pauses: dict[str, StorePause] = {}
        self._client: Client | None = None
        self.durables = tuple(
            self._subscribe(service, subscription, lane)
            for service in services
            for subscription in service.subscriptions
            for lane in Lane
        )

    async def connect(self) -> None:
        """Connects without starting a subscriber."""
        self._client = self._resubscription.client = await self._broker.connect()
        # FastStream's callback raises a refusal of the user into the client's task that connects
        # again, which ends: the process would hear nothing more once the user is back.
        self._client._error_cb = self._resubscription.on_error

    @property
    def is_closed(self) -> bool:
        """Whether the connection is closed for good: only a new process helps then."""
        return self._client is not None and bool(self._client.is_closed)

    async def start(self, durable: Durable) -> None:
        """Starts pulling for a durable that exists; a second call does nothing.

        For a durable that does not exist the client library would create one of its own making.
        """
        if durable.name in self._pulls:
            return
        assert self._client is not None, "`connect` comes first"
        subscriber, consumer, slots = self._subscribers[durable.name]
        # Without a handler of its own it pulls nothing by itself.
        await subscriber.start()
        pause = StorePause(consumer.labels, checked=self._gate, on_refused=self._on_retried)
        pull = SharedPull(self._client, durable, slots=slots, gate=pause.gate, clock=self._clock)
        await pull.open()
        subscriber.subscription = pull
        handle = self._handler(consumer, pause)
        for _ in range(slots):
            subscriber.add_task(pull.serve, func_args=(handle,))
        self._pulls[durable.name] = pull
        self._pauses[durable.name] = pause

    def pause(self) -> None:
        """Pulls nothing more for now; what is in hand goes on."""
        self._gate.shut()

    def resume(self) -> None:
        """Pulls again."""
        self._gate.open()

    async def drain(self, *, timeout_seconds: float) -> None:
        """Pulls nothing more, and waits until what is in hand is handled.

        What is still in hand at the timeout is given back, for another process to take at once;
        its handler is cancelled with `stop`.
        """
        pulls = self._pulls.values()
        for pause in self._pauses.values():
            pause.stop()
        try:
            async with asyncio.timeout(timeout_seconds):
                await asyncio.gather(*(pull.close() for pull in pulls))
                await asyncio.gather(*(pull.idle() for pull in pulls))
        except TimeoutError:
            log.warning("handlers_not_ended", count=len(self._in_hand))
        await asyncio.gather(*(pull.give_back() for pull in pulls))
        for delivery in tuple(self._in_hand):
            with suppress(TransientError):
                await delivery.nak(0.0)

    async def stop(self) -> None:
        """Ends what `drain` left, and disconnects."""
        await self._broker.stop()

    def _subscribe(self, service: Service, subscription: Subscription, lane: Lane) -> Durable:
        entry = BY_TYPE[subscription.message]
        assert service.role in entry.consumers, f"{service.role} does not consume {entry}"
        name = service_table.durable_name(service.role, entry, lane)
        consumer = Consumer(
            role=service.role,
            contract=entry,
            lane=lane,
            handler=subscription.lane_handler(),
            organisation_id=self._common.organisation_id,
        )
        subscriber = self._broker.subscriber(
            service_table.subject_filter(entry, lane),
            durable=name,
            stream=JStream(entry.stream.name, declare=False),
            pull_sub=PullSub(batch_size=1),
            ack_policy=AckPolicy.MANUAL,
            no_reply=True,
        )
        self._subscribers[name] = (subscriber, consumer, subscription.slots)
        return Durable(name=name, role=service.role, contract=entry, lane=lane)

    def _handler(self, consumer: Consumer, pause: StorePause) -> Callable[[Msg], Awaitable[None]]:
        policy = RetryPolicy(deliveries_max=self._common.bus_deliveries_max)
        client = self._client
        assert client is not None, "`connect` comes first"

        async def handle(message: Msg) -> None:
            delivery = NatsDelivery(message, client)
            self._in_hand.add(delivery)
            try:
                outcome = await consume(
                    delivery,
                    consumer,
                    publisher=self._publisher,
                    clock=self._clock,
                    policy=policy,
                    heartbeat=Heartbeat,
                    pause=pause,
                )
            finally:
                self._in_hand.discard(delivery)
            if outcome is DeliveryOutcome.RETRIED:
                self._on_retried()

        return handle


def _security(url: str, common: CommonSettings) -> NatsSecurity | None:
    context, comes_first = bus_context(url, common), begins_with_tls(url)
    if common.nats_user:
        return NatsUserPassword(
            common.nats_user,
            common.nats_password.get_secret_value(),
            ssl_context=context,
            tls_handshake_first=comes_first,
        )
    if context is None:
        return None
    return NatsSecurity(ssl_context=context, tls_handshake_first=comes_first)


def _no_answer(what: str, error: Exception) -> StoreUnavailable:
    return StoreUnavailable(
        f"The bus did not confirm an {what}: {error!r}. The message is delivered again.",
        reason="BUS_UNAVAILABLE",
    )
