"""Serves the readable routes: a request becomes a message, and its response JSON."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from google.protobuf.message import Message
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from scops.common.contract.errors import InvalidInput, NotFound, ScopsError
from scops.gateway.adapters.http.arrivals import arrival_of, bytes_of, json_of, left
from scops.gateway.adapters.http.event_stream import (
    CURSOR,
    EventStream,
    MessageEvents,
    ReadBody,
)
from scops.gateway.adapters.http.replies import problem, reply
from scops.gateway.adapters.http.routes import Route, Routes, request_of
from scops.gateway.admission.cost import CallCost
from scops.gateway.calls import Call, CallOutcome, PublicCalls, failure_of
from scops.gateway.identity.signature import KEY_PARAMETER, signed_body
from scops.gateway.ports import GatewayPorts
from scops.gateway.streams import OpenStream, PublicStreams

LAST_EVENT = "last-event-id"
METHOD_NOT_ALLOWED = 405


class Resources:
    """What answers below `/v1`."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls, streams: PublicStreams) -> None:
        self._ports = ports
        self._calls = calls
        self._streams = streams
        self._routes = Routes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self.serve(Request(scope, receive))
        await response(scope, receive, send)

    async def serve(self, request: Request) -> ASGIApp:
        """Returns the response of a request."""
        routes, segments = self._routes.of_path(request.url.path)
        # Of a stream there is no beginning without the rest.
        lasts = any(route.bound.streams for route in routes.values())
        verb = "GET" if request.method == "HEAD" and not lasts else request.method
        route = routes.get(verb)
        if route is not None and route.bound.streams:
            return self._stream(route, segments, request)
        if route is not None:
            try:
                return reply(request, await self._outcome(route, segments, request))
            except ScopsError as error:
                return problem(request, failure_of(error))
        if not routes:
            return problem(request, failure_of(_no_route(request)))
        allowed = ", ".join(sorted(routes))
        refused = problem(
            request, failure_of(_no_verb(request, allowed)), status=METHOD_NOT_ALLOWED
        )
        refused.headers["allow"] = allowed
        return refused

    def _stream(self, route: Route, segments: Sequence[str], request: Request) -> EventStream:
        def opening(body: ReadBody) -> AbstractAsyncContextManager[OpenStream]:
            async def read() -> Message:
                query = request.query_params.multi_items()
                message = request_of(route, segments, query, await body())
                resumed = request.headers.get(LAST_EVENT)
                if resumed and CURSOR in message.DESCRIPTOR.fields_by_name:
                    # Browsers open a stream again by the same address.
                    setattr(message, CURSOR, resumed)
                return message

            return self._streams.serve(route.bound, self._ports, read, arrival_of(request))

        return EventStream(request, opening, MessageEvents(request))

    async def _outcome(
        self, route: Route, segments: Sequence[str], request: Request
    ) -> CallOutcome:
        async def answer(body: Any, call: Call) -> Message:
            query = request.query_params.multi_items()
            if signed:
                query = [pair for pair in query if pair[0] != KEY_PARAMETER]
            message = request_of(route, segments, query, body)
            return await route.bound.answer(self._ports, message, call)

        method, signed = route.bound.method, route.bound.method.signed
        return await outcome_of(
            self._calls, request, route.bound.path, method.cost, answer, may_be_signed=signed
        )


async def outcome_of(
    calls: PublicCalls,
    request: Request,
    path: str,
    cost: CallCost,
    work: Callable[[Any, Call], Awaitable[Any]],
    *,
    may_be_signed: bool = False,
) -> CallOutcome:
    """Serves a request as a call of a method, until its caller leaves.

    Args:
        path: of the method that the call counts as.
        cost: what its answer takes.
        work: from what the body says as JSON, None where there is none, to the response.
        may_be_signed: whether a signature of the body says who calls, where there is one.

    Raises:
        InvalidInput: the caller's deadline cannot be read.
        NotAuthenticated: the signature cannot be read.
        ClientDisconnect: the caller has left.
    """
    arrival = arrival_of(request)
    arrived = asyncio.Event()
    came: list[bytes] = []

    async def read() -> bytes:
        # Inside of the call, so that its time bounds a body that never ends, and whoever may
        # not come in is not read.
        if not came:
            came.append(await bytes_of(request))
        return came[0]

    async def answer(call: Call) -> Any:
        body = json_of(request, await read())
        arrived.set()
        return await work(body, call)

    signed = None
    if may_be_signed:
        signed = signed_body(arrival.headers, request.query_params.multi_items(), read)

    served = asyncio.ensure_future(
        calls.serve(
            path,
            answer,
            headers=arrival.headers,
            peer=arrival.peer,
            cost=cost,
            remaining_seconds=arrival.remaining_seconds,
            system=arrival.system,
            signed=signed,
        )
    )
    leaving = asyncio.ensure_future(left(request, arrived))
    try:
        await asyncio.wait({served, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not served.done():
            raise ClientDisconnect
        return served.result()
    finally:
        leaving.cancel()
        served.cancel()


def _no_route(request: Request) -> NotFound:
    return NotFound(
        f"Nothing is at {request.url.path[:200]}. GET /openapi.json lists what there is.",
        reason="ROUTE_NOT_FOUND",
    )


def _no_verb(request: Request, allowed: str) -> InvalidInput:
    return InvalidInput(
        f"{request.url.path[:200]} takes {allowed}, not {request.method}.",
        reason="METHOD_NOT_ALLOWED",
    )
