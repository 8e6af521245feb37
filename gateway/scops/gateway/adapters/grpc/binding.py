"""Binds the methods of the API to gRPC: each is a unary call, served by `scops.gateway.calls`."""

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

DETAILS_KEY = "grpc-status-details-bin"


def api_handlers(ports: GatewayPorts, calls: PublicCalls) -> tuple[grpc.GenericRpcHandler, ...]:
    """Returns what serves each service of the API."""
    return tuple(
        grpc.method_handlers_generic_handler(
            service.full_name,
            {bound.method.name: _unary(bound, ports, calls) for bound in bound_methods(service)},
        )
        for service in METHODS
    )


def _unary(bound: BoundMethod, ports: GatewayPorts, calls: PublicCalls) -> Any:
    async def serve(request: Message, context: Any) -> Message:
        metadata = context.invocation_metadata() or ()
        outcome = await calls.serve(
            bound.path,
            partial(bound.answer, ports, request),
            headers={key: value for key, value in metadata if isinstance(value, str)},
            peer=_address(context.peer()),
            cost=bound.method.cost,
            remaining_seconds=context.time_remaining(),
            system="grpc",
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


def _address(peer: str) -> str:
    """Returns the address of a peer, such as `ipv4:127.0.0.1:4711` or `ipv6:%5B::1%5D:4711`."""
    _, _, rest = unquote(peer).partition(":")
    return rest.rpartition(":")[0].strip("[]")


async def _abort(context: Any, failure: CallFailure, request_id: str) -> None:
    status = status_of(failure, request_id)
    trailing = ((DETAILS_KEY, status.SerializeToString()), (REQUEST_ID, request_id))
    await context.abort(grpc.StatusCode[failure.code], failure.message, trailing)
