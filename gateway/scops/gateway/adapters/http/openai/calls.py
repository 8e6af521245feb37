"""What every call in OpenAI's form has in common: it is served, and its errors have that shape."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.http.headers import failure_headers
from scops.gateway.adapters.http.replies import JSON_TYPE, NEVER_KEPT, STATUSES, encoded
from scops.gateway.adapters.http.resources import outcome_of
from scops.gateway.admission.cost import CallCost
from scops.gateway.calls import REQUEST_ID, Call, CallFailure, CallOutcome, PublicCalls, failure_of

KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
SERVER_ERROR = 500
EVENTS_TYPE = "text/event-stream"
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


def json_of(request: Request, value: Mapping[str, Any], outcome: CallOutcome) -> Response:
    """Returns a value as the response of a call."""
    headers = {REQUEST_ID: outcome.request_id, "cache-control": NEVER_KEPT}
    body = json.dumps(value, ensure_ascii=False).encode()
    return encoded(request, body, JSON_TYPE, headers=headers)


def streamed(outcome: CallOutcome, events: Iterable[bytes]) -> Response:
    """Returns events as the response of a call."""
    headers = {REQUEST_ID: outcome.request_id, "cache-control": NEVER_KEPT}
    return StreamingResponse(iter(events), headers=headers, media_type=EVENTS_TYPE)


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


def _error(request: Request, failure: CallFailure, request_id: str = "") -> Response:
    """Returns a failure as OpenAI's clients read it: `code` is our reason."""
    status = STATUSES[failure.code]
    kind = "server_error" if status >= SERVER_ERROR else "invalid_request_error"
    error = {
        "message": failure.message,
        "type": KINDS.get(status, kind),
        "param": failure.field or None,
        "code": failure.reason,
    }
    headers = {**failure_headers(failure), "cache-control": NEVER_KEPT}
    if request_id:
        headers[REQUEST_ID] = request_id
    body = json.dumps({"error": error}, ensure_ascii=False).encode()
    return encoded(request, body, JSON_TYPE, status=status, headers=headers)
