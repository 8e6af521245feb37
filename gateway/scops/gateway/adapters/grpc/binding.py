"""Binds the methods of the API to gRPC, each as a call or a stream of responses.

`scops.gateway.calls` serves the one, `scops.gateway.streams` the other.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any
from urllib.parse import unquote

import grpc
from google.protobuf.message import Message

from scops.gateway.adapters.statuses import status_of
from scops.gateway.api.method import BoundMethod
from scops.gateway.api.methods import METHODS, bound_methods
from scops.gateway.calls import REQUEST_ID, CallFailure, PublicCalls
from scops.gateway.ports import GatewayPorts
from scops.gateway.streams import Arrival, PublicStreams

SYSTEM = "grpc"
DETAILS_KEY = "grpc-status-details-bin"


def api_handlers(
    ports: GatewayPorts, calls: PublicCalls, streams: PublicStreams
) -> tuple[grpc.GenericRpcHandler, ...]:
    """Returns what serves each service of the API."""

    def handler(bound: BoundMethod) -> Any:
        return _stream(bound, ports, streams) if bound.streams else _unary(bound, ports, calls)

    return tuple(
        grpc.method_handlers_generic_handler(
            service.full_name,
            {bound.method.name: handler(bound) for bound in bound_methods(service)},
        )
        for service in METHODS
    )


def _unary(bound: BoundMethod, ports: GatewayPorts, calls: PublicCalls) -> Any:
    async def serve(request: Message, context: Any) -> Message:
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
        if outcome.failure is not None:
            await _abort(context, outcome.failure, outcome.request_id)
        context.set_trailing_metadata(((REQUEST_ID, outcome.request_id),))
        response: Message = outcome.response
        return response

    return grpc.unary_unary_rpc_method_handler(
        serve,
        request_deserializer=bound.request.FromString,
        response_serializer=bound.response.SerializeToString,
    )


def _stream(bound: BoundMethod, ports: GatewayPorts, streams: PublicStreams) -> Any:
    async def serve(request: Message, context: Any) -> AsyncIterator[Message]:
        async def read() -> Message:
            return request

        request_id = ""
        async with streams.serve(bound, ports, read, _arrival(context)) as stream:
            async for outcome in stream:
                request_id = outcome.request_id
                if outcome.failure is not None:
                    await _abort(context, outcome.failure, request_id)
                yield outcome.response
        context.set_trailing_metadata(((REQUEST_ID, request_id),))

    return grpc.unary_stream_rpc_method_handler(
        serve,
        request_deserializer=bound.request.FromString,
        response_serializer=bound.response.SerializeToString,
    )


def _arrival(context: Any) -> Arrival:
    metadata = context.invocation_metadata() or ()
    return Arrival(
        headers={key: value for key, value in metadata if isinstance(value, str)},
        peer=_address(context.peer()),
        remaining_seconds=context.time_remaining(),
        system=SYSTEM,
    )


def _address(peer: str) -> str:
    """Returns the address of a peer, such as `ipv4:127.0.0.1:4711` or `ipv6:%5B::1%5D:4711`."""
    _, _, rest = unquote(peer).partition(":")
    return rest.rpartition(":")[0].strip("[]")


async def _abort(context: Any, failure: CallFailure, request_id: str) -> None:
    status = status_of(failure, request_id)
    trailing = ((DETAILS_KEY, status.SerializeToString()), (REQUEST_ID, request_id))
    await context.abort(grpc.StatusCode[failure.code], failure.message, trailing)
