"""The HTTP server: the web page, Connect, readable routes, their description, and health."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route

from scops.common.contract.errors import StoreUnavailable
from scops.gateway.access.exposure import check_exposure
from scops.gateway.adapters.certificate import CertificateFiles
from scops.gateway.adapters.http.bodies import BodyDoor
from scops.gateway.adapters.http.connect import ConnectDoor
from scops.gateway.adapters.http.feeds import FeedDoor
from scops.gateway.adapters.http.guard import OriginGuard
from scops.gateway.adapters.http.mcp import McpDoor
from scops.gateway.adapters.http.openai.chat import ChatDoor
from scops.gateway.adapters.http.openai.embeddings import EmbeddingDoor
from scops.gateway.adapters.http.page import API_PAGE_HEADERS, api_page
from scops.gateway.adapters.http.replies import JSON_TYPE, READ_AGAIN, encoded
from scops.gateway.adapters.http.reports import ReportDoor
from scops.gateway.adapters.http.resources import Resources
from scops.gateway.adapters.http.websub import WebSubDoor
from scops.gateway.adapters.web import web_routes
from scops.gateway.api.methods import METHODS
from scops.gateway.calls import REQUEST_ID, PublicCalls
from scops.gateway.ports import GatewayPorts
from scops.gateway.settings import GatewaySettings
from scops.gateway.streams import PublicStreams

OPENAPI = files("scops.gateway.api").joinpath("openapi.json")
# As nginx counts it; no standard has one.
CLIENT_CLOSED_REQUEST = 499
VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
# What scripts of other pages may send and read, where an operator lets them in.
SENT_HEADERS = [
    "authorization",
    "connect-protocol-version",
    "connect-timeout-ms",
    "content-type",
    "if-none-match",
    "last-event-id",
    "traceparent",
    "x-api-key",
    "x-grpc-web",
    "x-user-agent",
    REQUEST_ID,
]
READ_HEADERS = ["etag", "retry-after", "grpc-status", "grpc-message", REQUEST_ID]
# Connections; more are refused before anything is read of them.
CONNECTIONS_MAX = 1000
BACKLOG = 512


class _Server(uvicorn.Server):
    """Leaves signals to the process, and says when it serves."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class HttpServer:
    """A server that is started once and stopped once, in one event loop."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._server: _Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self._is_ready = False
        self._mcp: McpDoor | None = None
        self.port = 0

    async def start(self, ports: GatewayPorts, calls: PublicCalls, streams: PublicStreams) -> None:
        """Binds the port and serves; ready only after `set_ready(True)`.

        Raises:
            InvalidInput: it would be open to others, or its certificate cannot be used.
            StoreUnavailable: the address cannot be bound.
        """
        check_exposure(self._settings)
        config = uvicorn.Config(
            self._application(ports, calls, streams),
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,
            # Who calls is the peer; a proxy before us is told by its own settings.
            proxy_headers=False,
            server_header=False,
            date_header=True,
            limit_concurrency=CONNECTIONS_MAX,
            timeout_graceful_shutdown=int(self._settings.stop_grace_seconds) or 1,
        )
        config.load()
        if self._settings.tls_certificate is not None and self._settings.tls_key is not None:
            certificate = CertificateFiles(self._settings.tls_certificate, self._settings.tls_key)
            config.ssl = certificate.ssl_context()
        listening = listening_socket(self._settings)
        self.port = listening.getsockname()[1]
        assert self._mcp is not None
        await self._mcp.open()
        self._server = _Server(config)
        self._serving = asyncio.create_task(self._server.serve([listening]), name="http")
        await self._server.is_up.wait()

    def set_ready(self, ready: bool) -> None:
        """Says whether callers may be sent here."""
        self._is_ready = ready

    async def stop(self) -> None:
        """Refuses new calls, lets those in progress finish for the grace time, then ends."""
        self._is_ready = False
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await self._serving
        if self._mcp is not None:
            await self._mcp.close()
        self._server = self._serving = None

    @property
    def is_serving(self) -> bool:
        """Whether the port is bound and calls are taken."""
        return self._serving is not None and not self._serving.done()

    def _application(
        self, ports: GatewayPorts, calls: PublicCalls, streams: PublicStreams
    ) -> OriginGuard:
        resources = Resources(ports, calls, streams)
        connect = ConnectDoor(ports, calls, streams)
        self._mcp = McpDoor(ports, calls, self._settings)
        described = OPENAPI.read_bytes()
        page = api_page(described)

        async def describe(request: Request) -> Response:
            return encoded(request, described, JSON_TYPE, headers={"cache-control": READ_AGAIN})

        async def show(request: Request) -> Response:
            return encoded(request, page, "text/html; charset=utf-8", headers=API_PAGE_HEADERS)

        async def live(_: Request) -> Response:
            return PlainTextResponse("ok\n")

        async def ready(_: Request) -> Response:
            is_ready = self._is_ready
            return PlainTextResponse(
                "ok\n" if is_ready else "not ready\n", 200 if is_ready else 503
            )

        routes = [
            Route("/livez", live),
            Route("/readyz", ready),
            Route("/openapi.json", describe),
            Route("/api", show),
            *self._mcp.routes(),
            *ChatDoor(ports, calls, streams).routes(),
            *EmbeddingDoor(ports, calls).routes(),
            *FeedDoor(ports, calls).routes(),
            *BodyDoor(ports, calls).routes(),
            *ReportDoor(ports, calls).routes(),
            *WebSubDoor(ports, calls).routes(),
            *web_routes(),
            *(Mount(f"/{service.full_name}", app=connect) for service in METHODS),
        ]
        middleware = []
        if self._settings.http_origins:
            allowed = Middleware(
                CORSMiddleware,
                allow_origins=list(self._settings.http_origins),
                allow_methods=VERBS,
                allow_headers=SENT_HEADERS,
                expose_headers=READ_HEADERS,
            )
            middleware.append(allowed)
        application = Starlette(
            routes=routes,
            middleware=middleware,
            exception_handlers={ClientDisconnect: _nobody_waits},
        )
        application.router.default = resources
        # A path is as it is written: no other one stands for it.
        application.router.redirect_slashes = False
        return OriginGuard(application, self._settings)


async def _nobody_waits(request: Request, error: Exception) -> Response:
    """Ends a request whose caller has left, which is no fault of ours; nobody reads this."""
    return Response(status_code=CLIENT_CLOSED_REQUEST)


def listening_socket(settings: GatewaySettings) -> socket.socket:
    """Returns the bound socket, whose connections send what they are given at once.

    asyncio sees to that for sockets that it made. With this one, the body of a response would wait
    for the peer to acknowledge its headers, which Linux puts off by 40 ms.

    Raises:
        StoreUnavailable: the address cannot be bound.
    """
    host, port = settings.host, settings.http_port_wanted
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise StoreUnavailable(
            f"The gateway cannot listen on {host}:{port} for HTTP: {error.strerror}. Stop the "
            "other process, or set SCOPS_GATEWAY_HTTP_PORT (0 takes a free one).",
            reason="ADDRESS_UNAVAILABLE",
            address=f"{host}:{port}",
        ) from error
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
