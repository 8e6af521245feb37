"""What travels beside a body: CloudEvents names in headers instead of an envelope."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from scops.common.bus.ports import Cause, Delivery, Outgoing
from scops.common.contract import service_table, wire
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import EventId
from scops.common.contract.service_table import Lane
from scops.common.observe import trail

EVENT_ID = "ce-id"
EVENT_TYPE = "ce-type"
EVENT_TIME = "ce-time"
EVENT_SUBJECT = "ce-subject"
ORGANISATION = "scops-organisation"
FETCH_ID = "scops-fetch-id"
MESSAGE_ID = "Nats-Msg-Id"
# What the server adds to a stored message that it sends as a reply.
SERVER_HEADERS = frozenset({"Nats-Stream", "Nats-Subject", "Nats-Sequence", "Nats-Time-Stamp"})
# The one durable that a dead letter is delivered to again.
REPLAYED_FOR = "scops-replayed-for"
# Of an item of a frame that is published again alone: its deliveries so far, and the instant
# before which it is not handled. Its first delivery alone comes before that, and is not counted.
DELIVERIES = "scops-deliveries"
NOT_BEFORE = "scops-not-before"

# What of a dead letter's headers is published again.
REPLAYABLE = frozenset(
    {
        EVENT_TYPE,
        EVENT_TIME,
        EVENT_SUBJECT,
        ORGANISATION,
        FETCH_ID,
        trail.TRACE_PARENT,
        trail.REQUEST_ID,
        trail.JOB_ID,
    }
)


def headers_of(outgoing: Outgoing, *, now: datetime) -> dict[str, str]:
    """Returns the headers that a message is published with, the current trail's among them.

    Absent ids have no header.
    """
    headers = {
        EVENT_ID: str(outgoing.event_id),
        MESSAGE_ID: str(outgoing.event_id),
        EVENT_TYPE: wire.full_name(type(outgoing.message)),
        EVENT_TIME: now.astimezone(UTC).isoformat(),
        EVENT_SUBJECT: service_table.entity_of(outgoing.message),
        ORGANISATION: outgoing.organisation_id,
        FETCH_ID: service_table.fetch_of(outgoing.message),
    }
    present = {name: value for name, value in headers.items() if value}
    return {**present, **trail.headers_of(trail.current())}


def deliveries_of(headers: Mapping[str, str], deliveries: int) -> int:
    """Returns how often a message was handled with this delivery, as an item of a frame included.

    Args:
        deliveries: those that the server counts.
    """
    before = headers.get(DELIVERIES, "")
    if not before.isdecimal() or len(before) > 3:
        return deliveries
    return max(int(before) + deliveries - 1, 1)


def seconds_early(headers: Mapping[str, str], *, now: datetime) -> float:
    """Returns for how long a message is not to be handled yet; 0 where it says nothing of it."""
    text = headers.get(NOT_BEFORE)
    return max((_instant(text) - now).total_seconds(), 0.0) if text else 0.0


def cause_of(delivery: Delivery, lane: Lane) -> Cause:
    """Returns what a handler learns from the headers.

    Raises:
        InvalidInput: a required header is missing or malformed.
    """
    headers = delivery.headers
    return Cause(
        event_id=EventId(_required(headers, EVENT_ID)),
        organisation_id=_required(headers, ORGANISATION),
        lane=lane,
        published_time=_instant(_required(headers, EVENT_TIME)),
        delivery_count=delivery.delivery_count,
    )


def check_type(delivery: Delivery, message_type: type[Any]) -> None:
    """Refuses a message that says to be of another type or version than its subject.

    Raises:
        InvalidInput: it does.
    """
    said, known = _required(delivery.headers, EVENT_TYPE), wire.full_name(message_type)
    if said != known:
        raise InvalidInput(
            f"The message says to be {said[:80]!r}; this version reads {known}. "
            "Replay it from the dead letters when a version runs that knows it.",
            reason="UNKNOWN_TYPE",
        )


def check_place(delivery: Delivery, durable_filter: str) -> None:
    """Refuses a message that did not come by way of its own subject.

    The server publishes with its own right wherever a request of a role wants the reply: what it
    sends so has another subject, or headers of its own.

    Raises:
        InvalidInput: the subject is another message's, or a server wrote the headers.
    """
    if not service_table.fits(delivery.subject, durable_filter) or (
        SERVER_HEADERS & delivery.headers.keys()
    ):
        raise InvalidInput(
            f"The message came as {delivery.subject[:200]!r}; this consumer is bound to "
            f"{durable_filter}. Some user of the bus sent it astray.",
            reason="SUBJECT_FOREIGN",
        )


def check_author(delivery: Delivery, message: object) -> None:
    """Refuses a message of any role that speaks for the consumer of another role.

    Raises:
        InvalidInput: it does.
    """
    author = service_table.author_of(delivery.subject)
    spoken_for = service_table.CONSUMER_ROLES.get(getattr(message, "consumer", ""))
    if author is not None and author is not spoken_for:
        raise InvalidInput(
            f"The {author} speaks for {getattr(message, 'consumer', '')[:80]!r}, which is not a "
            "consumer of its own.",
            reason="AUTHOR_FOREIGN",
        )


def names_page(message_type: type[Any]) -> bool:
    """Returns whether `ce-subject` of a message is its page; else it is its job."""
    return any(field.name in ("page_id", "verdict") for field in fields(message_type))


def _required(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name, "")
    if not value:
        raise InvalidInput(f"The message lacks its header {name}.", reason="HEADER_MISSING")
    return value


def _instant(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(
            f"The header {EVENT_TIME} is no RFC 3339 instant: {text[:40]!r}.",
            reason="HEADER_MALFORMED",
        ) from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)
