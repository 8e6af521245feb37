"""Responses of the readable routes: JSON and problem details (RFC 9457), compressed and tagged."""

import gzip
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import brotli
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import Response

from scops.gateway.adapters.http.headers import failure_headers
from scops.gateway.calls import REQUEST_ID, CallFailure, CallOutcome

JSON_TYPE = "application/json"
PROBLEM_TYPE = "application/problem+json"
PROBLEM_NAMES = "urn:scops:error:"
# As google.rpc.Code says.
STATUSES = {
    "INVALID_ARGUMENT": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "ABORTED": 409,
    "RESOURCE_EXHAUSTED": 429,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}
# Smaller ones do not get shorter.
COMPRESSED_BYTES_MIN = 1024
GZIP_LEVEL, BROTLI_QUALITY = 5, 4
TAG_CHARACTERS = 32
# A response is for its caller alone, and asked for again before it is used again.
READ_AGAIN, NEVER_KEPT = "private, no-cache", "no-store"
DEPENDS_ON = "Accept-Encoding, Authorization, X-Api-Key"


def reply(request: Request, outcome: CallOutcome) -> Response:
    """Returns the response of a call."""
    if outcome.failure is not None:
        return problem(request, outcome.failure, outcome.request_id)
    message: Message = outcome.response
    headers = {REQUEST_ID: outcome.request_id}
    body = MessageToJson(message, indent=None, ensure_ascii=False).encode()
    if request.method in ("GET", "HEAD"):
        return tagged(request, body, JSON_TYPE, headers=headers)
    return encoded(request, body, JSON_TYPE, headers={**headers, "cache-control": NEVER_KEPT})


def tagged(request: Request, body: bytes, kind: str, *, headers: Mapping[str, str]) -> Response:
    """Returns a body with its ETag, or that its reader has it already."""
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:TAG_CHARACTERS]}"'
    headers = {**headers, "etag": tag, "cache-control": READ_AGAIN}
    if _holds(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers={**headers, "vary": DEPENDS_ON})
    return encoded(request, body, kind, headers=headers)


def problem(
    request: Request, failure: CallFailure, request_id: str = "", *, status: int | None = None
) -> Response:
    """Returns why there is no response, for people and for programs."""
    details = problem_details(failure, request_id, status=status)
    headers = {**failure_headers(failure), "cache-control": NEVER_KEPT}
    if request_id:
        headers[REQUEST_ID] = request_id
    body = json.dumps(details, ensure_ascii=False).encode()
    return encoded(request, body, PROBLEM_TYPE, status=details["status"], headers=headers)


def problem_details(
    failure: CallFailure, request_id: str, *, status: int | None = None
) -> dict[str, Any]:
    """Returns what a problem document holds."""
    details: dict[str, Any] = {
        "type": f"{PROBLEM_NAMES}{failure.reason}",
        "title": failure.code.replace("_", " ").capitalize(),
        "status": status or STATUSES[failure.code],
        "detail": failure.message,
        "reason": failure.reason,
        "metadata": dict(failure.metadata),
    }
    if failure.field:
        details["field"] = failure.field
    if failure.retry_after_seconds is not None:
        details["retryAfterSeconds"] = failure.retry_after_seconds
    if request_id:
        details["requestId"] = request_id
    return details


def encoded(
    request: Request, body: bytes, kind: str, *, status: int = 200, headers: Mapping[str, str]
) -> Response:
    """Returns a body, compressed as its reader takes it."""
    headers = {**headers, "vary": DEPENDS_ON}
    if len(body) >= COMPRESSED_BYTES_MIN:
        taken = _taken(request.headers.get("accept-encoding", ""))
        if "br" in taken:
            body, headers["content-encoding"] = brotli.compress(body, quality=BROTLI_QUALITY), "br"
        elif "gzip" in taken:
            body, headers["content-encoding"] = gzip.compress(body, GZIP_LEVEL), "gzip"
    return Response(body, status, headers, media_type=kind)


def _taken(header: str) -> set[str]:
    """Returns the encodings that a reader takes."""
    found = set()
    for entry in header.split(","):
        name, _, weight = entry.partition(";")
        if weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            found.add(name.strip().lower())
    return found


def _holds(header: str, tag: str) -> bool:
    given = {one.strip().removeprefix("W/") for one in header.split(",")}
    return "*" in given or tag.removeprefix("W/") in given
