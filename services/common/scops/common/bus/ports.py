"""What the bus offers to handlers, and what a delivery offers to the consuming wrapper."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from scops.common.contract.ids import EventId
from scops.common.contract.service_table import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What a handler knows of the message in its hands beside its body.

    Attributes:
        event_id: the message's `ce-id`; the same when redelivered.
        published_time: the message's `ce-time`.
        delivery_count: from 1; above 1 the message was seen before.
    """

    event_id: EventId
    organisation_id: str
    lane: Lane
    published_time: datetime
    delivery_count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message that is to be published, with all that its headers need.

    Attributes:
        data: its bytes where they are known already; else empty.
    """

    message: Any
    event_id: EventId
    organisation_id: str
    lane: Lane
    data: bytes = field(default=b"", compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DurableProgress:
    """How far a durable has come in its stream, by sequence numbers and no clock.

    Attributes:
        newest: of the newest message of the stream.
        done: every message for this durable up to here is acknowledged.
    """

    newest: int
    done: int


# A handler returns its outputs in a fixed order: the ordinal makes each output's id.
Handler = Callable[[Any, Cause], Awaitable[Sequence[Any]]]


class Publisher(Protocol):
    """Publishes to JetStream."""

    async def publish(self, outgoing: Outgoing) -> None:
        """Returns after the PubAck; publishing one event_id twice stores it once or twice.

        Raises:
            TransientError: no PubAck in time; the message may still be stored.
            MessageTooLarge: body and headers exceed the hard limit; nothing was sent.
        """
        ...


class Delivery(Protocol):
    """One delivery of a message by JetStream."""

    @property
    def subject(self) -> str: ...
    @property
    def data(self) -> bytes: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def delivery_count(self) -> int: ...
    @property
    def stream(self) -> str: ...
    @property
    def stream_sequence(self) -> int: ...

    async def ack_sync(self) -> None:
        """Acknowledges and waits until the server has it.

        Raises:
            StoreUnavailable: the server does not say so.
            TransientError: there is nobody to acknowledge to.
        """
        ...

    async def nak(self, delay_seconds: float) -> None:
        """Asks for redelivery, not before the delay."""
        ...

    async def in_progress(self) -> None:
        """Restarts the acknowledgement timer."""
        ...
