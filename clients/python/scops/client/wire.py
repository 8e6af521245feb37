"""The gateway over gRPC: channels, requests by the protos, and errors from rich statuses."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from scops.client.errors import ScopsError, Unavailable, error_class
from scops.client.target import GatewayTarget

if TYPE_CHECKING:
    import grpc

PACKAGE = "scops.api.v1alpha1"
DETAILS_KEY = "grpc-status-details-bin"
# By which a method may be called twice, whatever it does.
REQUEST_ID = "request_id"
# What is plain never leaves by a proxy that the environment names.
PLAIN_OPTIONS = (("grpc.enable_http_proxy", 0),)


@dataclass(frozen=True, slots=True)
class WireMethod:
    """A method as the protos describe it.

    Attributes:
        path: as gRPC names it, such as `/scops.api.v1alpha1.JobService/GetJob`.
        changes_nothing: as its options say.
    """

    path: str
    request: Any
    response: Any
    changes_nothing: bool


@cache
def wire_method(service: str, method: str) -> WireMethod:
    """Returns a method of a service, such as GetJob of JobService."""
    from google.protobuf.descriptor_pb2 import MethodOptions
    from google.protobuf.message_factory import GetMessageClass

    module = re.sub(r"(?<!^)(?=[A-Z])", "_", service).lower()
    protos = import_module(f"{PACKAGE}.{module}_pb2")
    described = protos.DESCRIPTOR.services_by_name[service].methods_by_name[method]
    level = described.GetOptions().idempotency_level
    return WireMethod(
        path=f"/{described.containing_service.full_name}/{method}",
        request=GetMessageClass(described.input_type),
        response=GetMessageClass(described.output_type),
        changes_nothing=level == MethodOptions.NO_SIDE_EFFECTS,
    )


def unary(channel: Any, method: WireMethod) -> Callable[..., Any]:
    """Returns what makes calls of a method on a channel, of either kind."""
    made: Callable[..., Any] = channel.unary_unary(
        method.path,
        request_serializer=method.request.SerializeToString,
        response_deserializer=method.response.FromString,
    )
    return made


def streamed(channel: Any, method: WireMethod) -> Callable[..., Any]:
    """Returns what opens streams of a method on a channel, of either kind."""
    made: Callable[..., Any] = channel.unary_stream(
        method.path,
        request_serializer=method.request.SerializeToString,
        response_deserializer=method.response.FromString,
    )
    return made


def open_channel(target: GatewayTarget) -> "grpc.Channel":
    """Returns a channel to a gateway.

    Raises:
        ScopsError: the certificates to trust cannot be read.
    """
    import grpc

    if target.is_tls:
        trusted = grpc.ssl_channel_credentials(root_certificates=target.roots())
        return grpc.secure_channel(target.address, trusted)
    return grpc.insecure_channel(target.address, options=PLAIN_OPTIONS)


def open_async_channel(target: GatewayTarget) -> "grpc.aio.Channel":
    """Returns a channel for the event loop that runs.

    Raises:
        ScopsError: the certificates to trust cannot be read.
    """
    import grpc.aio

    if target.is_tls:
        trusted = grpc.ssl_channel_credentials(root_certificates=target.roots())
        return grpc.aio.secure_channel(target.address, trusted)
    return grpc.aio.insecure_channel(target.address, options=PLAIN_OPTIONS)


def error_of(error: Any, target: GatewayTarget) -> ScopsError:
    """Returns what gRPC raised as an error of ours, with what its details say."""
    from google.rpc import error_details_pb2

    code, message = error.code().name, error.details() or ""
    found = _details(error)
    info = found.get("google.rpc.ErrorInfo", error_details_pb2.ErrorInfo())
    if code == "UNAVAILABLE" and not info.reason:
        return _unreachable(target, message)
    violations = found.get("google.rpc.BadRequest", error_details_pb2.BadRequest()).field_violations
    delay = found.get("google.rpc.RetryInfo")
    request = found.get("google.rpc.RequestInfo", error_details_pb2.RequestInfo())
    return error_class(code)(
        message,
        code=code,
        reason=info.reason,
        metadata=dict(info.metadata),
        field=violations[0].field if violations else "",
        retry_after=delay.retry_delay.ToTimedelta().total_seconds() if delay else None,
        request_id=request.request_id,
    )


def _details(error: Any) -> dict[str, Any]:
    """Returns the details of a rich status by the name of their kind."""
    from google.rpc import error_details_pb2, status_pb2

    packed = next((value for key, value in _trailing(error) if key == DETAILS_KEY), b"")
    kinds = ("ErrorInfo", "BadRequest", "RetryInfo", "RequestInfo")
    found = {}
    for detail in status_pb2.Status.FromString(packed).details:
        for kind in kinds:
            message = getattr(error_details_pb2, kind)()
            if detail.Unpack(message):
                found[f"google.rpc.{kind}"] = message
    return found


def _trailing(error: Any) -> Any:
    return error.trailing_metadata() or ()


def _unreachable(target: GatewayTarget, details: str) -> ScopsError:
    if target.is_tls:
        message = (
            f"The gateway at {target.address} cannot be reached by TLS: {details}. Where an "
            "authority of your own signed its certificate, name it by --ca, or ca=."
        )
    else:
        message = (
            f"The gateway at {target.address} does not answer. Start it with `scops up`, or set "
            "SCOPS_COMMAND_ADDRESS; one that wants TLS is named by https://."
        )
    return Unavailable(message, reason="GATEWAY_UNAVAILABLE")
