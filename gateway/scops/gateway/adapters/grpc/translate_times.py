"""Instants to protobuf timestamps and back."""

from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp

from scops.common.contract.errors import InvalidInput


def timestamp(at: datetime | None) -> Timestamp | None:
    """Returns the timestamp of an instant; None leaves a field unset."""
    if at is None:
        return None
    value = Timestamp()
    value.FromDatetime(at.astimezone(UTC).replace(tzinfo=None))
    return value


def instant(value: Timestamp, field: str) -> datetime:
    """Returns the instant of a timestamp that a caller sent.

    Raises:
        InvalidInput: it lies outside the years 1 to 9999.
    """
    try:
        return value.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{field} is no instant: it must lie between the years 1 and 9999.",
            reason="INSTANT_INVALID",
            field=field,
        ) from error
