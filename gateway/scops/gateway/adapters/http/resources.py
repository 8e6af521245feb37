"""Serves the readable routes: a request becomes a message, and its response JSON."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from google.protobuf.message import Message
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from scops.common.contract.errors import InvalidInput, NotFound, ScopsError
from scops.gateway.adapters.http.headers import call_headers, remaining_seconds
from scops.gateway.adapters.http.replies import JSON_TYPE, problem, reply
from scops.gateway.adapters.http.routes import Route, Routes, request_of
from scops.gateway.admission.cost import CallCost
from scops.gateway.calls import Call, CallOutcome, PublicCalls, failure_of
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import MESSAGE_BYTES_MAX

SYSTEM = "http"
METHOD_NOT_ALLOWED = 405


class Resources:
    """What answers below `/v1`."""

    def __init__(self, ports: GatewayPorts, calls: PublicCalls) -> None:
        self._ports = ports
        self._calls = calls
        self._routes = Routes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self.serve(Request(scope, receive))
        await response(scope, receive, send)

    async def serve(self, request: Request) -> Response:
        """Returns the response of a request."""
        routes, segments = self._routes.of_path(request.url.path)
        verb = "GET" if request.method == "HEAD" else request.method
        route = routes.get(verb)
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

    async def _outcome(
        self, route: Route, segments: Sequence[str], request: Request
    ) -> CallOutcome:
        async def answer(body: Any, call: Call) -> Message:
            query = request.query_params.multi_items()
            message = request_of(route, segments, query, body)
            return await route.bound.answer(self._ports, message, call)

        return await outcome_of(
            self._calls, request, route.bound.path, route.bound.method.cost, answer
        )


async def outcome_of(
    calls: PublicCalls,
    request: Request,
    path: str,
    cost: CallCost,
    work: Callable[[Any, Call], Awaitable[Any]],
) -> CallOutcome:
    """Serves a request as a call of a method, until its caller leaves.

    Args:
        path: of the method that the call counts as.
        cost: what its answer takes.
        work: from what the body says as JSON, None where there is none, to the response.

    Raises:
        InvalidInput: the caller's deadline cannot be read.
        ClientDisconnect: the caller has left.
    """
    headers = call_headers(request.headers.items())
    arrived = asyncio.Event()

    async def answer(call: Call) -> Any:
        # Inside of the call, so that its time bounds a body that never ends, and whoever may
        # not come in is not read.
        body = await _body(request)
        arrived.set()
        return await work(body, call)

    served = asyncio.ensure_future(
        calls.serve(
            path,
            answer,
            headers=headers,
            peer=request.client.host if request.client else "",
            cost=cost,
            remaining_seconds=remaining_seconds(headers),
            system=SYSTEM,
        )
    )
    left = asyncio.ensure_future(_left(request, arrived))
    try:
        await asyncio.wait({served, left}, return_when=asyncio.FIRST_COMPLETED)
        if not served.done():
            raise ClientDisconnect
        return served.result()
    finally:
        left.cancel()
        served.cancel()


async def _left(request: Request, arrived: asyncio.Event) -> None:
    """Returns once the caller has left."""
    await arrived.wait()
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _body(request: Request) -> Any:
    """Returns what the body says as JSON; None where there is none.

    Raises:
        InvalidInput: it is too long or no JSON.
    """
    read = bytearray()
    async for part in request.stream():
        read += part
        if len(read) > MESSAGE_BYTES_MAX:
            raise InvalidInput(
                f"The body is longer than {MESSAGE_BYTES_MAX} bytes.", reason="REQUEST_TOO_LARGE"
            )
    if not read:
        return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON_TYPE:
        raise InvalidInput(
            f"The body is {kind or 'of no type'}; send it as {JSON_TYPE}.",
            reason="REQUEST_UNREADABLE",
        )
    try:
        return json.loads(read)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"The body is no JSON: {error}.", reason="REQUEST_UNREADABLE") from error


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
