"""The methods of the API over Connect, gRPC-Web and gRPC's JSON, by connectrpc."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from connectrpc.code import Code
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.compression.brotli import BrotliCompression
from connectrpc.compression.gzip import GzipCompression
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.request import RequestContext
from connectrpc.server import ConnectASGIApplication, Endpoint
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.message import Message
from protobuf.wkt import Any as Packed

from scops.gateway.adapters.http.headers import call_headers, failure_headers, peer_address
from scops.gateway.adapters.statuses import status_of
from scops.gateway.api.method import BoundMethod
from scops.gateway.api.methods import METHODS, bound_methods
from scops.gateway.calls import REQUEST_ID, CallOutcome, PublicCalls
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import MESSAGE_BYTES_MAX
from scops.gateway.streams import Arrival, PublicStreams

SYSTEM = "connect"
MILLISECONDS = 1000.0


class ConnectDoor(ConnectASGIApplication[None]):
    """All methods, each at the path that gRPC gives it."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls, streams: PublicStreams) -> None:
        endpoints: dict[str, Any] = {
            bound.path: _endpoint(service, bound, ports, calls, streams)
            for service in METHODS
            for bound in bound_methods(service)
        }
        super().__init__(
            service=None,
            endpoints=lambda _: endpoints,
            read_max_bytes=MESSAGE_BYTES_MAX,
            compressions=(BrotliCompression(), GzipCompression()),
            codecs=(
                google_protobuf_binary_codec(),
                # A field that nobody knows is a mistake of its writer, who should hear of it.
                google_protobuf_json_codec(ignore_unknown_fields=False),
            ),
        )

    @property
    def path(self) -> str:
        """Below which everything lies."""
        return ""


def _endpoint(
    service: ServiceDescriptor,
    bound: BoundMethod,
    ports: GatewayPorts,
    calls: PublicCalls,
    streams: PublicStreams,
) -> Endpoint[Any, Any]:
    level = service.methods_by_name[bound.method.name].GetOptions().idempotency_level
    is_safe = level == MethodOptions.NO_SIDE_EFFECTS
    method = MethodInfo(
        name=bound.method.name,
        service_name=service.full_name,
        input=bound.request,
        output=bound.response,
        idempotency_level=IdempotencyLevel.NO_SIDE_EFFECTS if is_safe else IdempotencyLevel.UNKNOWN,
        stream_type=StreamType.SERVER_STREAM if bound.streams else StreamType.UNARY,
    )
    if bound.streams:
        return Endpoint.server_stream(method, partial(_stream, bound, ports, streams))
    return Endpoint.unary(method, partial(_serve, bound, ports, calls))


async def _serve(
    bound: BoundMethod,
    ports: GatewayPorts,
    calls: PublicCalls,
    request: Message,
    context: RequestContext[Message, Message],
) -> Message:
    arrival = _arrival(context)
    outcome = await calls.serve(
        bound.path,
        partial(bound.answer, ports, request),
        headers=arrival.headers,
        peer=arrival.peer,
        cost=bound.method.cost,
        remaining_seconds=arrival.remaining_seconds,
        system=arrival.system,
    )
    context.response_headers[REQUEST_ID] = outcome.request_id
    return _told(outcome, context)


async def _stream(
    bound: BoundMethod,
    ports: GatewayPorts,
    streams: PublicStreams,
    request: Message,
    context: RequestContext[Message, Message],
) -> AsyncIterator[Message]:
    async def read() -> Message:
        return request

    async with streams.serve(bound, ports, read, _arrival(context)) as stream:
        async for outcome in stream:
            # Before the first part leaves; the headers are on their way then.
            context.response_headers[REQUEST_ID] = outcome.request_id
            yield _told(outcome, context)


def _arrival(context: RequestContext[Message, Message]) -> Arrival:
    left = context.timeout_ms
    return Arrival(
        headers=call_headers(context.request_headers.allitems()),
        peer=peer_address(context.client_address or ""),
        remaining_seconds=None if left is None else max(0.0, left / MILLISECONDS),
        system=SYSTEM,
    )


def _told(outcome: CallOutcome, context: RequestContext[Message, Message]) -> Message:
    """Returns the response of an outcome.

    Raises:
        ConnectError: it has none.
    """
    if outcome.failure is not None:
        for name, value in failure_headers(outcome.failure).items():
            context.response_headers[name] = value
        raise _error_of(outcome)
    response: Message = outcome.response
    return response


def _error_of(outcome: CallOutcome) -> ConnectError:
    assert outcome.failure is not None
    failure = outcome.failure
    details = status_of(failure, outcome.request_id).details
    return ConnectError(
        Code[failure.code],
        failure.message,
        details=[Packed(type_url=detail.type_url, value=detail.value) for detail in details],
    )
