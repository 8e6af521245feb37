"""MCP over HTTP: the tools at `/mcp`, those that only read at `/mcp/read-only`.

Requests stand alone, so that any replica answers any of them. Where callers have to say who they
are, one who does not is told where to get a credential (RFC 9728).
"""

import asyncio
import json
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scops.common.contract.errors import NotAuthenticated
from scops.gateway.adapters.http.replies import JSON_TYPE, READ_AGAIN, problem
from scops.gateway.calls import PublicCalls, failure_of
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import MESSAGE_BYTES_MAX
from scops.gateway.settings import GatewaySettings

PATH, READ_ONLY_PATH = "/mcp", "/mcp/read-only"
METADATA = "/.well-known/oauth-protected-resource"
VERBS = ["GET", "POST", "DELETE"]
# In a request whose sender wants to be told of its progress, and in few others.
PROGRESS_TOKEN = b'"progressToken"'
CREDENTIALS = ("authorization", "x-api-key")


class McpDoor:
    """Serves MCP while it is open; opened and closed in one task, as its library wants it.

    That is loaded for the first request: it takes 23 MB, which most gateways never need.
    """

    def __init__(self, ports: GatewayPorts, calls: PublicCalls, settings: GatewaySettings) -> None:
        self._build = partial(_built, ports, calls)
        self._issuers = [issuer.issuer for issuer in ports.identity.issuers]
        self._wants_credential = settings.identity == "required" and not settings.proxy_header
        self._managers: dict[tuple[str, bool], Any] = {}
        self._wanted = asyncio.Event()
        self._open = asyncio.Event()
        self._closing = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def routes(self) -> list[Route]:
        """Returns what is served."""
        return [
            *(
                Route(path, endpoint=_Guarded(self, partial(self._serve, path)), methods=VERBS)
                for path in (PATH, READ_ONLY_PATH)
            ),
            *(Route(f"{METADATA}{path}", self._describe) for path in ("", PATH, READ_ONLY_PATH)),
        ]

    async def open(self) -> None:
        """Begins to serve."""
        self._running = asyncio.create_task(self._run(), name="mcp")

    async def close(self) -> None:
        """Ends what is served."""
        self._closing.set()
        self._wanted.set()
        if self._running is not None:
            await self._running

    async def _run(self) -> None:
        await self._wanted.wait()
        if self._closing.is_set():
            return
        # Imports take a second, which nobody else waits for.
        self._managers = await asyncio.to_thread(self._build)
        async with AsyncExitStack() as stack:
            for manager in self._managers.values():
                await stack.enter_async_context(manager.run())
            self._open.set()
            await self._closing.wait()

    async def _serve(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        self._wanted.set()
        await self._open.wait()
        first = await receive()
        manager = self._managers[path, _wants_stream(scope, first)]
        await manager.handle_request(scope, _after(first, receive), send)

    def refusal(self, request: Request) -> Response | None:
        """Returns what a caller is told who has to say who they are; None where they may go on."""
        if not self._wants_credential or any(name in request.headers for name in CREDENTIALS):
            return None
        error = NotAuthenticated(
            "This needs an identity: `authorization: Bearer` with an API key (`scops key create`) "
            "or a token of your organisation's issuer.",
            reason="CREDENTIAL_MISSING",
        )
        response = problem(request, failure_of(error))
        where = f"{request.base_url}{METADATA[1:]}{request.url.path}"
        response.headers["www-authenticate"] = f'Bearer resource_metadata="{where}"'
        return response

    async def _describe(self, request: Request) -> Response:
        """Says which issuers' tokens count (RFC 9728)."""
        path = request.url.path.removeprefix(METADATA) or PATH
        described = {
            "resource": f"{request.base_url}{path[1:]}",
            "authorization_servers": self._issuers,
            "bearer_methods_supported": ["header"],
            "resource_name": "Scops",
        }
        headers = {"cache-control": READ_AGAIN}
        return Response(json.dumps(described), media_type=JSON_TYPE, headers=headers)


class _Guarded:
    """An ASGI application behind a door's refusal."""

    def __init__(self, door: McpDoor, app: ASGIApp) -> None:
        self._door = door
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._door.refusal(Request(scope))
        await (refusal or self._app)(scope, receive, send)


def _wants_stream(scope: Scope, first: Message) -> bool:
    """Says whether a request has to be answered by a stream: it may be told of progress.

    Every other answer is one message, which costs less as plain JSON.
    """
    whole = scope["method"] == "POST" and not first.get("more_body", False)
    return not whole or PROGRESS_TOKEN in first.get("body", b"")


def _after(first: Message, receive: Receive) -> Receive:
    """Returns what receives a message that was received already, and then the others."""
    waiting = [first]

    async def receive_next() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_next


def _built(ports: GatewayPorts, calls: PublicCalls) -> dict[tuple[str, bool], Any]:
    """Returns what serves each path, by a stream and without one."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings

    from scops.gateway.adapters.mcp.in_process import InProcessApi
    from scops.gateway.adapters.mcp.server import build_server

    api_of = partial(InProcessApi, ports, calls)
    servers = {
        path: build_server(api_of, read_only=path == READ_ONLY_PATH)._lowlevel_server
        for path in (PATH, READ_ONLY_PATH)
    }
    return {
        (path, is_stream): StreamableHTTPSessionManager(
            server,
            stateless=True,
            json_response=not is_stream,
            # Who may come from where is the guard's, for every path.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=MESSAGE_BYTES_MAX,
        )
        for path, server in servers.items()
        for is_stream in (True, False)
    }
