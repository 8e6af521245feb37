"""Instants as people write them."""

from datetime import UTC, date, datetime, time

from google.protobuf.timestamp_pb2 import Timestamp

from scops.standalone.terminal.exits import CommandError, Exit


def parse_instant(text: str) -> Timestamp:
    """Reads an RFC 3339 instant; a bare date means its end in UTC.

    Raises:
        CommandError: neither of both.
    """
    stamp = Timestamp()
    try:
        if len(text) == len("2026-01-01"):
            instant = datetime.combine(date.fromisoformat(text), time.max, UTC)
        else:
            instant = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(
            f"{text!r} is no instant; write 2026-03-01 or 2026-03-01T12:00:00Z.",
            code=Exit.INVALID_INPUT,
            reason="INVALID_INSTANT",
        ) from None
    if instant.tzinfo is None:
        raise CommandError(
            f"{text!r} names no time zone; add Z or an offset such as +02:00.",
            code=Exit.INVALID_INPUT,
            reason="INVALID_INSTANT",
        )
    stamp.FromDatetime(instant.astimezone(UTC).replace(tzinfo=None))
    return stamp
