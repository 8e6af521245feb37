"""Messages as they go to the bus: alone, with all their headers, or several in one frame."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial

from scops.common.bus.ports import Outgoing, Sealed
from scops.common.bus.publish import headers as names
from scops.common.contract import service_table, wire
from scops.common.contract.ids import derived_id
from scops.common.contract.messages.frame import Frame, FrameItem
from scops.common.contract.service_table import MessageContract
from scops.common.observe.tracing import Span, span


def producing(outgoing: Outgoing) -> AbstractContextManager[Span]:
    """Returns the span of a publication; what is sealed inside belongs to it."""
    entry = service_table.BY_TYPE[type(outgoing.message)]
    return span(f"publish {entry.snake_name}", "producer", partial(_attributes, outgoing, entry))


def seal(outgoing: Outgoing, *, now: datetime) -> Sealed:
    """Returns a message as it goes to the bus alone, with the current trail."""
    return Sealed(
        contract=service_table.BY_TYPE[type(outgoing.message)],
        lane=outgoing.lane,
        subject=service_table.subject_of(
            outgoing.message, lane=outgoing.lane, organisation_id=outgoing.organisation_id
        ),
        headers=names.headers_of(outgoing, now=now),
        data=outgoing.data or wire.encode(outgoing.message),
    )


def sealed_bytes(sealed: Sealed) -> int:
    """Returns the size of a message on the wire (NATS/1.0, then `name: value` lines)."""
    return len(sealed.data) + len("NATS/1.0\r\n\r\n") + _line_bytes(sealed.headers)


def frame_of(messages: Sequence[Sealed], *, now: datetime) -> Sealed:
    """Returns one frame of messages of one contract and organisation, in their order.

    The same messages make a frame of the same id, however often.
    """
    first = messages[0]
    ids = (message.headers[names.EVENT_ID] for message in messages)
    frame_id = derived_id("frame", *ids)
    items = tuple(
        FrameItem(headers=_without_server(one.headers), data=one.data) for one in messages
    )
    return Sealed(
        contract=first.contract,
        lane=first.lane,
        subject=service_table.frames_subject(first.contract),
        headers={
            names.EVENT_ID: frame_id,
            names.MESSAGE_ID: frame_id,
            names.EVENT_TYPE: wire.full_name(Frame),
            names.EVENT_TIME: now.astimezone(UTC).isoformat(),
            names.ORGANISATION: first.headers[names.ORGANISATION],
        },
        data=wire.encode(Frame(items=items)),
        count=len(items),
    )


def _without_server(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name != names.MESSAGE_ID}


def _line_bytes(headers: Mapping[str, str]) -> int:
    return sum(len(name.encode()) + len(value.encode()) + 4 for name, value in headers.items())


def _attributes(outgoing: Outgoing, entry: MessageContract) -> dict[str, str]:
    return {
        "messaging.system": "nats",
        "messaging.operation.type": "send",
        "messaging.destination.name": service_table.subject_stem(entry, outgoing.lane),
        "messaging.message.id": outgoing.event_id,
        "scops.subject_id": service_table.entity_of(outgoing.message),
    }
