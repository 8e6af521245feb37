"""Questions and answers on the wire: protobuf bodies, and errors as headers.

An error keeps its class, reason, message and metadata, so that the asker handles it as if it had
been raised in its own process.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime

from scops.common.access.bearing import ASSERTED
from scops.common.contract import errors
from scops.common.contract.errors import InvalidInput, MessageTooLarge, PermanentError, ScopsError
from scops.common.observe.trail import Trail, headers_of

DEADLINE = "scops-deadline"
ORGANISATION = "scops-organisation"
ERROR_CLASS = "scops-error-class"
ERROR_REASON = "scops-error-reason"
ERROR_MESSAGE = "scops-error-message"
ERROR_METADATA = "scops-error-metadata"
RETRY_AFTER = "scops-retry-after"

REPLY_BYTES_MAX = 512 * 1024
ERROR_TEXT_CHARACTERS_MAX = 4000


def request_headers(
    deadline: datetime, *, organisation_id: str, trail: Trail, assertion: str
) -> dict[str, str]:
    """Returns the headers of a question; the assertion says for whom it is asked."""
    asserted = {ASSERTED: assertion} if assertion else {}
    return {
        DEADLINE: deadline.isoformat(),
        ORGANISATION: organisation_id,
        **asserted,
        **headers_of(trail),
    }


def read_deadline(headers: Mapping[str, str]) -> datetime:
    """Returns the deadline of a question.

    Raises:
        InvalidInput: it is missing, malformed, or without a time zone.
    """
    text = headers.get(DEADLINE, "")
    try:
        deadline = datetime.fromisoformat(text)
    except ValueError:
        deadline = None
    if deadline is None or deadline.tzinfo is None:
        raise InvalidInput(
            f"A question needs its header {DEADLINE} as an RFC 3339 instant, not {text[:40]!r}.",
            reason="HEADER_MALFORMED",
        )
    return deadline


def error_headers(error: ScopsError) -> dict[str, str]:
    """Returns the headers that carry an error; JSON keeps header values in one ASCII line."""
    headers = {
        ERROR_CLASS: type(error).__name__,
        ERROR_REASON: error.reason,
        ERROR_MESSAGE: json.dumps(error.message[:ERROR_TEXT_CHARACTERS_MAX]),
        ERROR_METADATA: json.dumps(error.metadata),
    }
    delay = getattr(error, "retry_after_seconds", None)
    if delay is not None:
        headers[RETRY_AFTER] = str(delay)
    return headers


def error_of(headers: Mapping[str, str]) -> ScopsError | None:
    """Returns the error that a reply carries, or nothing.

    A class that this version does not know becomes a PermanentError of the same reason.
    """
    name = headers.get(ERROR_CLASS)
    if not name:
        return None
    kind = _classes().get(name, PermanentError)
    message = json.loads(headers.get(ERROR_MESSAGE, '""'))
    metadata = json.loads(headers.get(ERROR_METADATA, "{}"))
    error = kind(message, reason=headers.get(ERROR_REASON), **metadata)
    if isinstance(error, errors.TransientError) and RETRY_AFTER in headers:
        error.retry_after_seconds = float(headers[RETRY_AFTER])
    return error


def check_reply_size(data: bytes, *, asked: str) -> None:
    """Refuses an answer that the bus would not carry.

    Raises:
        MessageTooLarge: over the limit of half a mebibyte.
    """
    if len(data) > REPLY_BYTES_MAX:
        raise MessageTooLarge(
            f"The answer to {asked} has {len(data)} bytes; a reply holds {REPLY_BYTES_MAX}. "
            "Ask for fewer items at once.",
            reason="REPLY_TOO_LARGE",
            size=str(len(data)),
            limit=str(REPLY_BYTES_MAX),
        )


def unexpected(error: Exception, *, asked: str) -> PermanentError:
    """Returns what the asker learns of a bug on the other side: no more than its kind."""
    return PermanentError(
        f"Answering {asked} failed with an unexpected {type(error).__name__}. "
        "The log of the answering service has the details.",
        reason="UNEXPECTED_ERROR",
    )


def _classes() -> dict[str, type[ScopsError]]:
    return {kind.__name__: kind for kind in _tree(ScopsError)}


def _tree(kind: type[ScopsError]) -> Iterator[type[ScopsError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _tree(child)
