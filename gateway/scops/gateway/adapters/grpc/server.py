"""The gRPC server: services, health, reflection and every bound."""

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from scops.common.contract.errors import StoreUnavailable
from scops.gateway.access.exposure import check_exposure
from scops.gateway.adapters.certificate import CertificateFiles
from scops.gateway.adapters.grpc.binding import api_handlers
from scops.gateway.api.methods import METHODS
from scops.gateway.calls import LASTING_SECONDS, PublicCalls
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.limits import MESSAGE_BYTES_MAX
from scops.gateway.settings import GatewaySettings
from scops.gateway.streams import PublicStreams

# AIP names of health: the whole, and the two probes.
READINESS = "readiness"
LIVENESS = "liveness"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
# Idle connections are probed; clients that probe more often than every 30 s are disconnected.
KEEPALIVE_MILLISECONDS = 120_000
PING_INTERVAL_MIN_MILLISECONDS = 30_000
# For the calls on a connection that has reached its age: streams end before by themselves.
CONNECTION_GRACE_MILLISECONDS = int(1000 * LASTING_SECONDS)
OTHER_SERVICES = (health.SERVICE_NAME, reflection.SERVICE_NAME)


class GrpcServer:
    """A server that is started once and stopped once, in one event loop."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._health = health.aio.HealthServicer()
        self._server: grpc.aio.Server | None = None
        self.port = 0

    async def start(self, ports: GatewayPorts, calls: PublicCalls, streams: PublicStreams) -> None:
        """Binds the port and serves; ready only after `set_ready(True)`.

        Raises:
            InvalidInput: it would be open to others, or its certificate cannot be used.
            StoreUnavailable: the address cannot be bound.
        """
        # How many calls are served at once is for `PublicCalls` to say: a bound here would refuse
        # probes and cancellations too, without a word of when to come again.
        server = grpc.aio.server(options=_options(self._settings))
        server.add_generic_rpc_handlers(api_handlers(ports, calls, streams))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        if self._settings.reflection:
            names = (*(service.full_name for service in METHODS), *OTHER_SERVICES)
            reflection.enable_server_reflection(names, server)
        self.port = _bound_port(server, self._settings)
        await self._health.set(LIVENESS, SERVING)
        await self.set_ready(False)
        await server.start()
        self._server = server

    async def set_ready(self, ready: bool) -> None:
        """Says whether callers may be sent here."""
        status = SERVING if ready else NOT_SERVING
        await self._health.set("", status)
        await self._health.set(READINESS, status)

    async def stop(self) -> None:
        """Refuses new calls, lets those in progress finish for the grace time, then ends."""
        await self._health.enter_graceful_shutdown()
        if self._server is not None:
            await self._server.stop(self._settings.stop_grace_seconds)
            self._server = None

    @property
    def is_serving(self) -> bool:
        """Whether the port is bound and calls are taken."""
        return self._server is not None


def _bound_port(server: grpc.aio.Server, settings: GatewaySettings) -> int:
    check_exposure(settings)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"{host}:{settings.port}"
    try:
        if settings.tls_certificate is None or settings.tls_key is None:
            return server.add_insecure_port(address)
        certificate = CertificateFiles(settings.tls_certificate, settings.tls_key)
        return server.add_secure_port(address, certificate.credentials())
    except RuntimeError as error:
        raise StoreUnavailable(
            f"The gateway cannot listen on {address}: the port is taken or the address is not "
            "this machine's. Stop the other process, or set SCOPS_GATEWAY_PORT (0 takes a free "
            "one) or SCOPS_GATEWAY_HOST.",
            reason="ADDRESS_UNAVAILABLE",
            address=address,
        ) from error


def _options(settings: GatewaySettings) -> list[tuple[str, int]]:
    return [
        # A second gateway on the same port must fail at once instead of sharing its calls.
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
        ("grpc.max_send_message_length", MESSAGE_BYTES_MAX),
        ("grpc.keepalive_time_ms", KEEPALIVE_MILLISECONDS),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", PING_INTERVAL_MIN_MILLISECONDS),
        ("grpc.max_connection_age_ms", int(settings.connection_age_max_seconds * 1000)),
        ("grpc.max_connection_age_grace_ms", CONNECTION_GRACE_MILLISECONDS),
    ]
