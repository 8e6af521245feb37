"""Failures as rich gRPC statuses: a code, `ErrorInfo`, and what a program acts on (AIP-193)."""

from datetime import timedelta

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2

from scops.gateway.calls import CallFailure

DOMAIN = "scops"


def status_of(failure: CallFailure, request_id: str) -> status_pb2.Status:
    """Returns the status of a call that failed."""
    details: list[Message] = [
        error_details_pb2.ErrorInfo(reason=failure.reason, domain=DOMAIN, metadata=failure.metadata)
    ]
    if failure.field:
        details.append(_bad_request(failure))
    if failure.retry_after_seconds is not None:
        delay = timedelta(seconds=failure.retry_after_seconds)
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    details.append(error_details_pb2.RequestInfo(request_id=request_id))
    return status_pb2.Status(
        code=code_pb2.Code.Value(failure.code),
        message=failure.message,
        details=[_packed(detail) for detail in details],
    )


def _bad_request(failure: CallFailure) -> error_details_pb2.BadRequest:
    violation = error_details_pb2.BadRequest.FieldViolation(
        field=failure.field, description=failure.message, reason=failure.reason
    )
    return error_details_pb2.BadRequest(field_violations=[violation])


def _packed(detail: Message) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(detail)
    return packed
