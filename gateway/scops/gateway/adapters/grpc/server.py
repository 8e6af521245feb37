"""The gRPC server: services, health, reflection and every bound."""

import random

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from scops.api.v1alpha1 import (
    job_service_pb2,
    job_service_pb2_grpc,
    page_service_pb2,
    page_service_pb2_grpc,
    scope_service_pb2,
    scope_service_pb2_grpc,
    search_service_pb2,
    search_service_pb2_grpc,
)
from scops.common.contract.errors import StoreUnavailable
from scops.gateway.access.principal import Principal
from scops.gateway.adapters.grpc.calls import CallInterceptor
from scops.gateway.adapters.grpc.jobs import JobServicer
from scops.gateway.adapters.grpc.pages import PageServicer
from scops.gateway.adapters.grpc.scopes import ScopeServicer
from scops.gateway.adapters.grpc.search import SearchServicer
from scops.gateway.ports import GatewayPorts
from scops.gateway.settings import GatewaySettings

# AIP names of health: the whole, and the two probes.
READINESS = "readiness"
LIVENESS = "liveness"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class GrpcServer:
    """A server that is started once and stopped once, in one event loop."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._settings = settings
        self._health = health.aio.HealthServicer()
        self._server: grpc.aio.Server | None = None
        self.port = 0

    async def start(
        self, ports: GatewayPorts, *, principal: Principal, chance: random.Random
    ) -> None:
        """Binds the port and serves; ready only after `set_ready(True)`.

        Raises:
            StoreUnavailable: the address cannot be bound.
        """
        interceptor = CallInterceptor(
            settings=self._settings, clock=ports.clock, chance=chance, principal=principal
        )
        server = grpc.aio.server(
            interceptors=[interceptor],
            options=_options(self._settings),
            maximum_concurrent_rpcs=self._settings.concurrent_calls_max,
        )
        _add_services(server, ports)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        if self._settings.reflection:
            reflection.enable_server_reflection(_service_names(), server)
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


def _add_services(server: grpc.aio.Server, ports: GatewayPorts) -> None:
    scope_service_pb2_grpc.add_ScopeServiceServicer_to_server(ScopeServicer(ports), server)
    page_service_pb2_grpc.add_PageServiceServicer_to_server(PageServicer(ports), server)
    job_service_pb2_grpc.add_JobServiceServicer_to_server(JobServicer(ports), server)
    search_service_pb2_grpc.add_SearchServiceServicer_to_server(SearchServicer(ports), server)


def _service_names() -> tuple[str, ...]:
    files = (scope_service_pb2, page_service_pb2, job_service_pb2, search_service_pb2)
    services = [service for file in files for service in file.DESCRIPTOR.services_by_name.values()]
    return (
        *(service.full_name for service in services),
        health.SERVICE_NAME,
        reflection.SERVICE_NAME,
    )


def _bound_port(server: grpc.aio.Server, settings: GatewaySettings) -> int:
    address = f"{settings.host}:{settings.port}"
    try:
        return server.add_insecure_port(address)
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
        ("grpc.max_receive_message_length", settings.message_bytes_max),
        ("grpc.max_send_message_length", settings.message_bytes_max),
        ("grpc.keepalive_time_ms", _milliseconds(settings.keepalive_seconds)),
        (
            "grpc.http2.min_recv_ping_interval_without_data_ms",
            _milliseconds(settings.ping_interval_min_seconds),
        ),
        ("grpc.max_connection_age_ms", _milliseconds(settings.connection_age_max_seconds)),
        ("grpc.max_connection_age_grace_ms", _milliseconds(settings.connection_grace_seconds)),
    ]


def _milliseconds(seconds: float) -> int:
    return int(seconds * 1000)
