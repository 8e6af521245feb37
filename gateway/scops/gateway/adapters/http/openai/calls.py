"""What every call in OpenAI's form has in common: it is served, and its errors have that shape."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import Response

from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.http.headers import failure_headers
from scops.gateway.adapters.http.replies import JSON_TYPE, NEVER_KEPT, STATUSES, encoded
from scops.gateway.adapters.http.resources import outcome_of
from scops.gateway.admission.cost import CallCost
from scops.gateway.calls import REQUEST_ID, Call, CallFailure, CallOutcome, PublicCalls, failure_of

KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
SERVER_ERROR = 500
# Chunks of completions end with it; events of a response end with one of their own.
CHUNKS_END = b"data: [DONE]\n\n"


async def served(
    calls: PublicCalls,
    request: Request,
    path: str,
    cost: CallCost,
    work: Callable[[Any, Call], Awaitable[Any]],
    respond: Callable[[CallOutcome], Response],
) -> Response:
    """Serves a request as a call, and returns its response or its error.

    Args:
        path: of the method that the call counts as.
        work: from the body to what the response is made of.
        respond: makes it.
    """
    try:
        outcome = await outcome_of(calls, request, path, cost, work)
    except InvalidInput as error:
        return _error(request, failure_of(error))
    if outcome.failure is not None:
        return _error(request, outcome.failure, outcome.request_id)
    return respond(outcome)


def json_of(request: Request, value: Mapping[str, Any], request_id: str) -> Response:
    """Returns a value as the response of a call."""
    headers = {REQUEST_ID: request_id, "cache-control": NEVER_KEPT}
    body = json.dumps(value, ensure_ascii=False).encode()
    return encoded(request, body, JSON_TYPE, headers=headers)


class Telling(Protocol):
    """How the parts of an answer are told."""

    end: bytes

    def of(self, part: Any) -> Iterator[bytes]:
        """Yields the events of a part."""
        ...

    def progress(self, line: str) -> bytes:
        """Returns the event of what is looked at meanwhile, which is no text of the answer."""
        ...

    def broken(self, error: Mapping[str, Any]) -> bytes:
        """Returns the event of what the stream breaks off by."""
        ...


class TellingForm:
    """Streams in OpenAI's form; the parts are events already.

    Attributes:
        telling: how what the stream may break off by is told, once it is known.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self.telling: Telling | None = None

    def part(self, response: bytes) -> bytes:
        """Returns the events of a part."""
        return response

    def end(self) -> bytes:
        """Returns what stands at the end of a stream that is whole."""
        assert self.telling is not None, "nothing ends before it has begun"
        return self.telling.end

    def broken(self, failure: CallFailure, request_id: str) -> bytes:
        """Returns the event of a failure; official clients raise it."""
        assert self.telling is not None, "nothing breaks off before it has begun"
        return self.telling.broken(error_value(failure))

    def refused(self, failure: CallFailure, request_id: str) -> Response:
        """Returns a failure as a response."""
        return _error(self._request, failure, request_id)


def event_of(value: Mapping[str, Any], name: str = "") -> bytes:
    """Returns a value as an event of a stream, by its name where it has one."""
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def invalid(message: str, field: str) -> InvalidInput:
    """Returns the error of a body that cannot be read."""
    return InvalidInput(message, reason="REQUEST_UNREADABLE", field=field)


def has_surrogates(text: str) -> bool:
    """Returns whether a string holds a half of a surrogate pair: that is JSON, and no text."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def error_value(failure: CallFailure) -> dict[str, Any]:
    """Returns a failure as OpenAI's clients read it: `code` is our reason."""
    status = STATUSES[failure.code]
    kind = "server_error" if status >= SERVER_ERROR else "invalid_request_error"
    return {
        "message": failure.message,
        "type": KINDS.get(status, kind),
        "param": failure.field or None,
        "code": failure.reason,
    }


def _error(request: Request, failure: CallFailure, request_id: str = "") -> Response:
    """Returns a failure as a response that OpenAI's clients read."""
    status, error = STATUSES[failure.code], error_value(failure)
    headers = {**failure_headers(failure), "cache-control": NEVER_KEPT}
    if request_id:
        headers[REQUEST_ID] = request_id
    body = json.dumps({"error": error}, ensure_ascii=False).encode()
    return encoded(request, body, JSON_TYPE, status=status, headers=headers)
