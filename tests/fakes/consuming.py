"""Consuming without a server: a delivery goes through the middlewares as FastStream sends it."""

from dataclasses import replace
from functools import partial
from typing import Any

from faststream import ContextRepo

from scops.common.bus.consume.frames import ItemDelivery, split
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
    return await _run(Received(delivery, consumer, retrying, pause))


async def _run(received: Received) -> DeliveryOutcome:
    call: Any = _handle
    for middleware in reversed(AROUND_HANDLERS):
        call = partial(middleware(None, context=CONTEXT).consume_scope, call)
    outcome: DeliveryOutcome = await call(received)
    return outcome


async def _handle(received: Received) -> None:
    message = await decode(received)
    if not received.consumer.framed:
        await answer(received, message)
        return
    single = replace(received.consumer, framed=False)

    async def item(delivery: ItemDelivery) -> None:
        done = delivery.outputs
        await _run(Received(delivery, single, delivery.retrying, received.pause, outputs=done))

    # One by one, in one task: whoever stops it between two effects stops all of it.
    await split(received, message, item, single=single, at_once=1)
