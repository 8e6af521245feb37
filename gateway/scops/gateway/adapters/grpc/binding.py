"""Binds the methods of the API to gRPC: each is a unary call, served by `scops.gateway.calls`."""

from functools import partial
from typing import Any

import grpc
from google.protobuf.message import Message

from scops.gateway.adapters.grpc.statuses import status_of
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


async def _abort(context: Any, failure: CallFailure, request_id: str) -> None:
    status = status_of(failure, request_id)
    trailing = ((DETAILS_KEY, status.SerializeToString()), (REQUEST_ID, request_id))
    await context.abort(grpc.StatusCode[failure.code], failure.message, trailing)
