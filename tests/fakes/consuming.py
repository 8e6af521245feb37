"""Consuming without a server: a delivery goes through the middlewares as FastStream sends it."""

from functools import partial
from typing import Any

from faststream import ContextRepo

from scops.common.bus.consume.heartbeat import HeartbeatFactory
from scops.common.bus.consume.middlewares import AROUND_HANDLERS
from scops.common.bus.consume.received import Consumer, Received, answer, decode
from scops.common.bus.consume.retry import DeliveryOutcome, Retrying, RetryPolicy
from scops.common.bus.consume.store_pause import StorePause
from scops.common.bus.ports import Delivery, Publisher
from scops.common.runtime.clock import Clock

CONTEXT = ContextRepo()


async def consume(
    delivery: Delivery,
    consumer: Consumer,
    *,
    publisher: Publisher,
    clock: Clock,
    policy: RetryPolicy,
    heartbeat: HeartbeatFactory | None = None,
    pause: StorePause | None = None,
) -> DeliveryOutcome:
    """Handles one delivery to its end."""
    retrying = Retrying(publisher=publisher, clock=clock, policy=policy, heartbeat=heartbeat)
    call: Any = _handle
    for middleware in reversed(AROUND_HANDLERS):
        call = partial(middleware(None, context=CONTEXT).consume_scope, call)
    outcome: DeliveryOutcome = await call(Received(delivery, consumer, retrying, pause))
    return outcome


async def _handle(received: Received) -> None:
    await answer(received, await decode(received))
