"""What FastStream passes from the parser to the handler: a delivery, its consumer, its message."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from faststream.nats import NatsMessage
from nats.aio.msg import Msg
from prometheus_client import Histogram

from scops.common.bus.admin.topology import Durable
from scops.common.bus.consume.store_pause import StorePause
from scops.common.bus.ports import Cause, Delivery, Handler, ManyHandler, Outgoing
from scops.common.bus.publish import headers as names
from scops.common.contract import wire
from scops.common.contract.ids import event_id
from scops.common.contract.messages.frame import Frame
from scops.common.contract.organisations import MAIN, check_mine
from scops.common.contract.service_table import Lane, MessageContract, Role
from scops.common.observe.metrics import HANDLING_SECONDS

if TYPE_CHECKING:
    from scops.common.bus.consume.retry import Retrying


@dataclass(frozen=True, kw_only=True)
class Consumer:
    """One durable with its handler; what every delivery asks of it is worked out once.

    Attributes:
        organisation_id: whose messages it takes; those of others are given up unread.
        framed: it takes frames of the message, and no single one.
        many: handles the items of a frame at once; without it each is handled by itself.
    """

    role: Role
    contract: MessageContract
    lane: Lane
    handler: Handler
    organisation_id: str = MAIN
    framed: bool = False
    many: ManyHandler | None = None

    @cached_property
    def place(self) -> Durable:
        """The durable that it takes its messages from."""
        return Durable(role=self.role, contract=self.contract, lane=self.lane, framed=self.framed)

    @cached_property
    def durable(self) -> str:
        """The durable's name."""
        return self.place.name

    @cached_property
    def message(self) -> type[Any]:
        """What it takes: the contract's message, or frames of it."""
        return Frame if self.framed else self.contract.message

    @cached_property
    def labels(self) -> tuple[str, str, str]:
        """What its metrics are told apart by: consumer, event, lane."""
        return (self.role.value, self.contract.snake_name, self.place.queue)

    @cached_property
    def handling_seconds(self) -> Histogram:
        """Its own part of the metric."""
        return HANDLING_SECONDS.labels(*self.labels)

    @cached_property
    def span_name(self) -> str:
        """What a trace calls the handling of its messages."""
        return f"process {self.contract.snake_name}{' frame' if self.framed else ''}"

    @cached_property
    def is_about_pages(self) -> bool:
        """Whether the subject of its messages is a page; else it is a job."""
        return names.names_page(self.contract.message)


class Received(NatsMessage):
    """One delivery on its way through the middlewares to its handler.

    Attributes:
        retrying: what every delivery of its process is retried with.
        pause: where to wait while a store refuses; without one the message is asked for again,
            and given up for that reason at no delivery.
        outputs: what its handler returned, where it was handled with others; nothing else.
        cause: what the headers say, once the message is decoded.
    """

    cause: Cause

    def __init__(
        self,
        delivery: Delivery,
        consumer: Consumer,
        retrying: "Retrying",
        pause: StorePause | None,
        raw: Msg | None = None,
        *,
        outputs: Sequence[Any] | None = None,
    ) -> None:
        headers = delivery.headers
        # Without an id of ours FastStream would draw one for each message.
        event = headers.get(names.EVENT_ID) or "unknown"
        super().__init__(
            raw,  # type: ignore[arg-type]  # It is for FastStream's acknowledgements, not for ours.
            delivery.data,
            headers=headers,  # type: ignore[arg-type]  # It is read alone.
            message_id=event,
            correlation_id=event,
        )
        self.delivery = delivery
        self.consumer = consumer
        self.retrying = retrying
        self.pause = pause
        self.outputs = outputs


async def decode(received: Received) -> Any:
    """Returns the message of a delivery, and notes its cause; FastStream's decoder.

    Raises:
        InvalidInput, PermanentError: it is astray, another organisation's, or no such message.
    """
    delivery, consumer = received.delivery, received.consumer
    names.check_place(delivery, consumer.place.filter)
    names.check_type(delivery, consumer.message)
    cause = received.cause = names.cause_of(delivery, consumer.lane)
    check_mine(cause.organisation_id, organisation_id=consumer.organisation_id, what="The message")
    message = wire.decode(consumer.message, delivery.data)
    if not consumer.contract.producers:
        names.check_author(delivery, message)
    return message


async def answer(received: Received, message: Any) -> None:
    """Hands a message to its handler, and publishes what that returns; the end of the way.

    One that was handled with others is not handled again.

    The ids of what is published follow from the message's, so that a repetition has the same.
    """
    cause, consumer = received.cause, received.consumer
    outputs = received.outputs
    if outputs is None:
        outputs = await consumer.handler(message, cause)
    for ordinal, output in enumerate(outputs):
        await received.retrying.publisher.publish(
            Outgoing(
                message=output,
                event_id=event_id(consumer.role.value, cause.event_id, ordinal),
                organisation_id=cause.organisation_id,
                lane=cause.lane,
            )
        )
