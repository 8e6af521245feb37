"""When the server stored a message, as it says it."""

from datetime import UTC, datetime


def stored_instant(time: datetime | str | None) -> datetime:
    """Returns when a message was stored; the client library leaves the server's text as it is."""
    assert time is not None, "the server tells the time of every message"
    at = datetime.fromisoformat(time) if isinstance(time, str) else time
    return at if at.tzinfo else at.replace(tzinfo=UTC)
