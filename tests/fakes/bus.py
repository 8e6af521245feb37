"""A publisher that records and a delivery that remembers what was asked of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scops.common.bus.ports import Outgoing, Sealed
from scops.common.bus.publish import headers as names
from scops.common.bus.publish.headers import headers_of
from scops.common.contract import service_table, wire
from scops.common.contract.ids import EventId
from scops.common.contract.messages.frame import Frame, FrameItem
from scops.common.contract.service_table import Lane
from scops.common.runtime.clock import Clock
from tests.fakes.clock import ManualClock


def messages_in(sealed: Sealed) -> list[Outgoing]:
    """Returns the messages of what was sent: one, or those of a frame, in their order."""
    alone = FrameItem(headers=dict(sealed.headers), data=sealed.data)
    is_frame = sealed.subject == service_table.frames_subject(sealed.contract)
    items = wire.decode(Frame, sealed.data).items if is_frame else (alone,)
    return [
        Outgoing(
            message=wire.decode(sealed.contract.message, item.data),
            event_id=EventId(item.headers[names.EVENT_ID]),
            organisation_id=item.headers[names.ORGANISATION],
            lane=sealed.lane,
        )
        for item in items
    ]


@dataclass
class RecordingPublisher:
    """Keeps what was published, in order; raises the queued failures first, one a call."""

    published: list[Outgoing] = field(default_factory=list)
    sent: list[Sealed] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)

    async def publish(self, outgoing: Outgoing) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.published.append(outgoing)

    async def send(self, sealed: Sealed) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.sent.append(sealed)
        self.published += messages_in(sealed)

    @property
    def frames(self) -> list[Frame]:
        """The frames among what was sent."""
        return [wire.decode(Frame, one.data) for one in self.sent if one.count > 1]

    @property
    def messages(self) -> list[object]:
        """The published messages without their ids."""
        return [outgoing.message for outgoing in self.published]


@dataclass
class FakeDelivery:
    """One delivery of a message, and its fate: acked, or the delay of its nak."""

    subject: str
    data: bytes
    headers: Mapping[str, str]
    delivery_count: int = 1
    stream: str = "SCOPS_TEST"
    stream_sequence: int = 1
    acked: bool = False
    naks: list[float] = field(default_factory=list)
    beats: int = 0
    failures: list[Exception] = field(default_factory=list)

    async def ack_sync(self) -> None:
        self._fail()
        self.acked = True

    async def nak(self, delay_seconds: float) -> None:
        self._fail()
        self.naks.append(delay_seconds)

    async def in_progress(self) -> None:
        self.beats += 1

    def _fail(self) -> None:
        if self.failures:
            raise self.failures.pop(0)


def delivery_of(
    message: object,
    *,
    event_id: str = "event-1",
    lane: Lane = Lane.BULK,
    organisation_id: str = "main",
    delivery_count: int = 1,
    clock: Clock | None = None,
) -> FakeDelivery:
    """Builds the delivery of a message as the publisher would have sent it."""
    outgoing = Outgoing(
        message=message, event_id=EventId(event_id), organisation_id=organisation_id, lane=lane
    )
    return FakeDelivery(
        subject=service_table.subject_of(message, lane=lane, organisation_id=organisation_id),
        data=wire.encode(message),
        headers=headers_of(outgoing, now=(clock or ManualClock()).now()),
        delivery_count=delivery_count,
        stream=service_table.BY_TYPE[type(message)].stream.name,
    )
