"""What the bus offers to handlers, and what a delivery offers to the consuming wrapper."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from scops.common.contract.ids import EventId
from scops.common.contract.service_table import Lane, MessageContract


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
class Sealed:
    """What goes to the bus as it is: a message, or a frame of several of one contract.

    Attributes:
        subject: says which of both it is.
        count: of the messages in it.
    """

    contract: MessageContract
    lane: Lane
    subject: str
    headers: Mapping[str, str]
    data: bytes = field(repr=False)
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DurableProgress:
    """How far a durable has come in its stream, by sequence numbers and no clock.

    Attributes:
        newest: of the newest message of the stream.
        done: every message for this durable up to here is acknowledged.
    """

    newest: int
    done: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BusQueue:
    """What a consumer is owed of one message, on one lane.

    Attributes:
        consumer: the role.
        redelivered_count: of those in hand, delivered more than once.
        waiting_count: requests for more that wait; 0 where nobody consumes, or hands are full.
    """

    consumer: str
    message: str
    lane: str
    pending_count: int
    in_hand_count: int
    redelivered_count: int
    waiting_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUp:
    """A dead letter without its message.

    Attributes:
        sequence: its place in the stream.
        about: the id of a page, job or purge.
        fault: why it cannot be replayed; empty where it can.
    """

    sequence: int
    letter_id: str
    reason: str
    detail: str
    consumer: str
    about: str
    dead_time: datetime
    replayed_time: datetime | None
    fault: str


class BusOperations(Protocol):
    """The bus as operators see it."""

    async def queues(self) -> tuple[BusQueue, ...]:
        """Returns what each consumer is owed.

        Raises:
            StoreUnavailable: the bus does not answer, or its user may not ask.
        """
        ...

    async def dead_letters(self, *, after: int, limit: int) -> tuple[GivenUp, ...]:
        """Returns messages that were given up after a place in the stream, oldest first.

        Raises:
            StoreUnavailable: the bus does not answer, or its user may not read them.
        """
        ...

    async def replay(self, letter_id: str) -> EventId:
        """Delivers a message again to the consumer that gave it up; returns its new id.

        Raises:
            NotFound: there is no such letter, or nobody would take the message.
            InvalidInput: the letter cannot be replayed.
            NotPermitted: the process comes to the bus as who may not.
            StoreUnavailable: the bus does not answer; the message may be delivered.
        """
        ...

    async def drop(self, letter_id: str) -> None:
        """Removes a letter for good.

        Raises:
            NotFound: there is no such letter.
            NotPermitted: the process comes to the bus as who may not.
            StoreUnavailable: the bus does not answer.
        """
        ...


# A handler returns its outputs in a fixed order: the ordinal makes each output's id.
Handler = Callable[[Any, Cause], Awaitable[Sequence[Any]]]
# A message with its cause.
Caused = tuple[Any, Cause]
# Handles messages of different pages or jobs at once, and returns of each what its handler would;
# nothing of one that is to be handled alone. All are where it raises: it repeats without harm.
ManyHandler = Callable[[Sequence[Caused]], Awaitable[Sequence[Sequence[Any] | None]]]


class Publisher(Protocol):
    """Publishes to JetStream."""

    async def publish(self, outgoing: Outgoing) -> None:
        """Returns after the PubAck; publishing one event_id twice stores it once or twice.

        Raises:
            TransientError: no PubAck in time; the message may still be stored.
            MessageTooLarge: body and headers exceed the hard limit; nothing was sent.
        """
        ...

    async def send(self, sealed: Sealed) -> None:
        """Returns after the PubAck of what has its headers already; raises as `publish`."""
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
