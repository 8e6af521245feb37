"""FastStream's broker of a process: the routers of its services, started and stopped with it.

A message goes FastStream's way: parser, middlewares, decoder, handler. One thing is not left to it,
the loop that pulls (`SharedPull` is what its subscribers are subscribed to): FastStream's own spins
where a durable is gone, as it suppresses what nats-py raises then and asks again at once
(https://github.com/ag2ai/faststream/issues/2632), handles what came together to its end before it
asks for more, and at a stop leaves what was pulled in the last moment to its redelivery.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace

from faststream.nats import NatsBroker
from faststream.nats.security import NatsSecurity, NatsUserPassword
from nats.aio.client import Client

from scops.common.bus.admin.topology import Durable
from scops.common.bus.connection import (
    Resubscription,
    begins_with_tls,
    bus_context,
    connection_options,
    inbox_prefix,
)
from scops.common.bus.consume.heartbeat import Heartbeat
from scops.common.bus.consume.middlewares import AROUND_HANDLERS
from scops.common.bus.consume.pulls import SharedPull
from scops.common.bus.consume.retry import Retrying, RetryPolicy
from scops.common.bus.consume.router import Intake, ServiceRouter
from scops.common.bus.consume.store_pause import StorePause
from scops.common.bus.ports import Publisher
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import TransientError
from scops.common.contract.service_table import Lane
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock
from scops.common.runtime.gate import Gate
from scops.common.runtime.prompt_loop import patiently

log = get_logger(__name__)


class BusConsumers:
    """The broker with the routers of some services; each durable is pulled once it is admitted.

    Args:
        on_retried: called when a message could not be handled for now, or a store refused it.
    """

    def __init__(
        self,
        url: str,
        routers: Sequence[ServiceRouter],
        *,
        common: CommonSettings,
        publisher: Publisher,
        clock: Clock,
        on_retried: Callable[[], None],
    ) -> None:
        self._clock = clock
        self._retrying = Retrying(
            publisher=publisher,
            clock=clock,
            policy=RetryPolicy(deliveries_max=common.bus_deliveries_max),
            heartbeat=Heartbeat,
            on_retried=on_retried,
        )
        self._resubscription = Resubscription()
        self._broker = NatsBroker(
            url,
            routers=routers,
            middlewares=AROUND_HANDLERS,
            # Handlers take what `decode` gives them.
            apply_types=False,
            serializer=None,
            # Handlers in progress are waited for in `drain`.
            graceful_timeout=None,
            inbox_prefix=inbox_prefix(url, common),
            security=_security(url, common),
            logger=logging.getLogger("scops.faststream"),
            log_level=logging.DEBUG,
            **connection_options(self._resubscription),
        )
        self._client: Client | None = None
        self._gate = Gate()
        self._admitted: dict[str, Gate] = {}
        self._pulls: list[SharedPull] = []
        self._pauses: list[StorePause] = []
        self._intakes = [intake for router in routers for intake in router.intakes]
        for intake in self._intakes:
            intake.consumer = replace(intake.consumer, organisation_id=common.organisation_id)
        self.durables = tuple(intake.consumer.place for intake in self._intakes)

    async def start(self) -> None:
        """Connects and starts every subscriber; none pulls before its durable is admitted."""
        self._client = self._resubscription.client = await self._broker.connect()
        # FastStream's callback raises a refusal of the user into the client's task that connects
        # again, which ends: the process would hear nothing more once the user is back.
        self._client._error_cb = self._resubscription.on_error
        for intake in self._intakes:
            await self._prepare(intake, self._client)
        await self._broker.start()
        for intake, pull in zip(self._intakes, self._pulls, strict=True):
            is_bulk = intake.consumer.lane is Lane.BULK
            with patiently() if is_bulk else nullcontext():
                for _ in range(intake.slots):
                    intake.subscriber.add_task(pull.serve, func_args=(intake.subscriber.consume,))

    @property
    def is_closed(self) -> bool:
        """Whether the connection is closed for good: only a new process helps then."""
        return self._client is not None and bool(self._client.is_closed)

    async def admit(self, durable: Durable) -> None:
        """Lets a durable that exists be pulled; a second call does nothing."""
        self._admitted[durable.name].open()

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
        in_hand = self._retrying.in_hand
        for pause in self._pauses:
            pause.stop()
        try:
            async with asyncio.timeout(timeout_seconds):
                await asyncio.gather(*(pull.close() for pull in self._pulls))
                await asyncio.gather(*(pull.idle() for pull in self._pulls))
        except TimeoutError:
            log.warning("handlers_not_ended", count=len(in_hand))
        await asyncio.gather(*(pull.give_back() for pull in self._pulls))
        for received in tuple(in_hand):
            with suppress(TransientError):
                await received.delivery.nak(0.0)

    async def stop(self) -> None:
        """Ends what `drain` left, and disconnects."""
        await self._broker.stop()

    async def _prepare(self, intake: Intake, client: Client) -> None:
        """Gives a subscriber its pull: where it is subscribed already FastStream makes none."""
        durable = intake.consumer.place
        admitted = self._admitted[durable.name] = Gate(behind=intake.gate or self._gate)
        admitted.shut()
        intake.client, intake.context = client, self._broker.context
        intake.retrying = self._retrying
        intake.pause = StorePause(
            intake.consumer.labels, checked=admitted, on_refused=self._retrying.on_retried
        )
        pull = SharedPull(
            client, durable, slots=intake.slots, gate=intake.pause.gate, clock=self._clock
        )
        await pull.open()
        intake.subscriber.subscription = pull
        self._pulls.append(pull)
        self._pauses.append(intake.pause)


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
