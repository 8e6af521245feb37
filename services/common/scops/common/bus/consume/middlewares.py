"""FastStream's middlewares around every handler, the outermost first.

    Traced     the trail, ids of log lines, a span, metrics
    Retried    the end of the delivery: acknowledged, asked for again, or a dead letter (`retry`)
    Held       waits in hand while a store refuses (`store_pause`)

FastStream makes one of each for every message. They run without a server, too: the simulation
calls them in this order.
"""

from functools import partial
from typing import Any

from faststream import BaseMiddleware

from scops.common.bus.consume.received import Received
from scops.common.bus.consume.retry import DeliveryOutcome, Next, Retried
from scops.common.bus.consume.store_pause import Refusals
from scops.common.bus.publish import headers as names
from scops.common.contract import service_table as contract
from scops.common.contract.errors import PermanentError, StoreRefusal
from scops.common.observe.log import bound_ids, get_logger
from scops.common.observe.metrics import CONSUMED, REDELIVERED
from scops.common.observe.tracing import span
from scops.common.observe.trail import following, trail_of

log = get_logger(__name__)


class Traced(BaseMiddleware[Any, Any]):
    """Shows a delivery in logs, traces and metrics."""

    async def consume_scope(self, call_next: Next, msg: Any) -> DeliveryOutcome:
        received: Received = msg
        consumer = received.consumer
        if received.delivery.delivery_count > 1:
            REDELIVERED.labels(*consumer.labels).inc()
        with (
            consumer.handling_seconds.time(),
            following(trail_of(received.headers)),
            bound_ids(**_log_ids(received)),
            span(consumer.span_name, "consumer", partial(_attributes, received)) as traced,
        ):
            outcome: DeliveryOutcome = await call_next(received)
            traced.set("scops.outcome", outcome.value)
            if outcome is not DeliveryOutcome.ACKED:
                traced.fail(outcome.value)
        CONSUMED.labels(*consumer.labels, outcome.value).inc()
        return outcome


class Held(BaseMiddleware[Any, Any]):
    """Keeps a delivery in hand while a store refuses, and its durable from pulling."""

    async def consume_scope(self, call_next: Next, msg: Any) -> Any:
        """Handles it, and again while a store refuses.

        Raises:
            StoreRefusal: there is no place to wait, or the process stops.
            PermanentError: a store has refused it too often, for the reason of the last time.
        """
        received: Received = msg
        pause, deliveries = received.pause, received.delivery.delivery_count
        if pause is None:
            return await call_next(received)
        refusals: Refusals | None = None
        while True:
            try:
                result = await call_next(received)
            except StoreRefusal as error:
                log.warning(
                    "store_refused",
                    reason=error.reason,
                    error=str(error),
                    delivery_count=deliveries,
                )
                refusals = refusals or Refusals(pause, deliveries)
                if refusals.exceed(received.retrying.policy.deliveries_max):
                    raise PermanentError(str(error), reason=error.reason) from error
                await refusals.wait(error)
            else:
                pause.note_handled()
                return result


def _log_ids(received: Received) -> dict[str, str]:
    headers, consumer = received.headers, received.consumer
    about = "page_id" if consumer.is_about_pages else "job_id"
    ids = {
        "consumer": consumer.durable,
        "organisation": headers.get(names.ORGANISATION, ""),
        "event_id": headers.get(names.EVENT_ID, ""),
        "fetch_id": headers.get(names.FETCH_ID, ""),
    }
    return {**ids, about: headers.get(names.EVENT_SUBJECT, "")}


def _attributes(received: Received) -> dict[str, str | int]:
    """Returns what a trace shows of a delivery, by OpenTelemetry's names for messaging."""
    delivery, consumer = received.delivery, received.consumer
    return {
        "messaging.system": "nats",
        "messaging.operation.type": "process",
        "messaging.destination.name": contract.subject_stem(consumer.contract, consumer.lane),
        "messaging.consumer.group.name": consumer.durable,
        "messaging.message.id": delivery.headers.get(names.EVENT_ID, ""),
        "scops.role": consumer.role.value,
        "scops.subject_id": delivery.headers.get(names.EVENT_SUBJECT, ""),
        "scops.fetch_id": delivery.headers.get(names.FETCH_ID, ""),
        "scops.delivery_count": delivery.delivery_count,
    }


AROUND_HANDLERS = (Traced, Retried, Held)
