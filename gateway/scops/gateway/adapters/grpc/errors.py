"""Errors as rich gRPC statuses: a code, `ErrorInfo`, and what a program can act on (AIP-193)."""

from typing import Any

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2, error_details_pb2, status_pb2

from scops.common.contract.errors import (
    AlreadyExists,
    Conflict,
    InvalidInput,
    NotFound,
    NotPermitted,
    PermanentError,
    ScopsError,
    TransientError,
)
from scops.gateway.requests.fields import FIELD

DOMAIN = "scops"
RETRY_SECONDS_DEFAULT = 1.0
# The first class that an error belongs to decides: subclasses stand before their base.
CODES: tuple[tuple[type[ScopsError], int], ...] = (
    (TransientError, code_pb2.UNAVAILABLE),
    (PermanentError, code_pb2.INTERNAL),
    (NotFound, code_pb2.NOT_FOUND),
    (AlreadyExists, code_pb2.ALREADY_EXISTS),
    (NotPermitted, code_pb2.PERMISSION_DENIED),
    (Conflict, code_pb2.ABORTED),
    (InvalidInput, code_pb2.INVALID_ARGUMENT),
    (ScopsError, code_pb2.INTERNAL),
)


def status_of(error: ScopsError, *, request_id: str) -> status_pb2.Status:
    """Returns the status of an error that we raised on purpose."""
    code = next(code for kind, code in CODES if isinstance(error, kind))
    details: list[Any] = [_info(error.reason, error.metadata)]
    field = error.metadata.get(FIELD)
    if field and isinstance(error, InvalidInput):
        details.append(_bad_request(field, error))
    if isinstance(error, TransientError):
        details.append(_retry_info(error.retry_after_seconds or RETRY_SECONDS_DEFAULT))
    return _status(code, error.message, details, request_id)


def deadline_status(seconds: float, *, request_id: str) -> status_pb2.Status:
    """Returns the status of a call that was not answered within its deadline."""
    message = (
        f"The call was not answered within its deadline of {seconds:.3g} s. "
        "Repeat it with a longer one, or ask for less."
    )
    info = _info("DEADLINE_EXCEEDED", {"deadline_seconds": f"{seconds:.3f}"})
    return _status(code_pb2.DEADLINE_EXCEEDED, message, [info], request_id)


def unexpected_status(*, request_id: str) -> status_pb2.Status:
    """Returns the status of a bug: where to look, and nothing of what is inside."""
    message = (
        "The gateway met an error that it does not know; this is a bug. "
        f"Its log holds the details under request_id {request_id}."
    )
    return _status(code_pb2.INTERNAL, message, [_info("INTERNAL", {})], request_id)


def _status(code: int, message: str, details: list[Any], request_id: str) -> status_pb2.Status:
    details = [*details, error_details_pb2.RequestInfo(request_id=request_id)]
    return status_pb2.Status(code=code, message=message, details=[_packed(d) for d in details])


def _packed(detail: Any) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed


def _info(reason: str, metadata: dict[str, str]) -> error_details_pb2.ErrorInfo:
    return error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata)


def _bad_request(field: str, error: ScopsError) -> error_details_pb2.BadRequest:
    violation = error_details_pb2.BadRequest.FieldViolation(
        field=field, description=error.message, reason=error.reason
    )
    return error_details_pb2.BadRequest(field_violations=[violation])


def _retry_info(seconds: float) -> error_details_pb2.RetryInfo:
    delay = Duration()
    delay.FromNanoseconds(int(seconds * 1e9))
    return error_details_pb2.RetryInfo(retry_delay=delay)
