"""Composes the gateway."""

import random
from functools import partial
from pathlib import Path

from scops.common.contract.service_table import Role
from scops.common.db.outbox import RELAY_BATCH, note_waiting, relay, relay_rest
from scops.common.db.schema import schema_check
from scops.common.observe.log import get_logger
from scops.common.runtime.platform import Platform
from scops.common.runtime.service import Check, Loop, Service
from scops.gateway.access.principal import local_principal
from scops.gateway.adapters.grpc.server import GrpcServer
from scops.gateway.adapters.sql.jobs import SqlJobs
from scops.gateway.adapters.sql.scopes import SqlScopes
from scops.gateway.adapters.sql.secrets import page_token_key
from scops.gateway.adapters.sql.tables import outbox
from scops.gateway.jobs.loops import project_dirty, reconcile_step, repeat
from scops.gateway.jobs.wake import Wake
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.page_tokens import PageTokens
from scops.gateway.router import queries, subscriptions
from scops.gateway.settings import GatewaySettings

DATABASE = "gateway"
MIGRATIONS = Path(__file__).parent / "migrations"
_log = get_logger("gateway")


class Gateway:
    """The gateway on the shared ports of a process.

    Attributes:
        service: what a runner brings to life.
        ports: what use cases work with.
        server: the gRPC server; serves while the service is open.
    """

    def __init__(self, settings: GatewaySettings, platform: Platform) -> None:
        self._settings = settings
        self._platform = platform
        self._database = platform.database(DATABASE)
        self.server = GrpcServer(settings)
        # A page token's key must not be guessed, so it never comes from a seeded generator.
        self._secure = random.SystemRandom()
        self.ports = self._ports()
        self.checks = (
            schema_check(self._database, MIGRATIONS, name=DATABASE),
            Check(name="gateway-grpc", probe=self._grpc_missing),
        )
        self.service = Service(
            role=Role.GATEWAY,
            subscriptions=subscriptions(self.ports),
            queries=queries(self.ports),
            loops=self._loops(),
            checks=self.checks,
            open=self._open,
            finish=self.server.stop,
            close=self._close,
        )

    @property
    def address(self) -> str:
        """`host:port` that is served; the port is 0 before the service is open."""
        return f"{self._settings.host}:{self.server.port}"

    def _ports(self) -> GatewayPorts:
        projection = self._platform.scope_publisher
        assert projection is not None, "a process that runs the gateway has a scope publisher"
        return GatewayPorts(
            settings=self._settings,
            clock=self._platform.clock,
            random=self._platform.random,
            scopes=SqlScopes(self._database),
            jobs=SqlJobs(self._database, request_id_days=self._settings.request_id_days),
            projection=projection,
            query_client=self._platform.query_client,
            tokens=PageTokens(partial(page_token_key, self._database, self._secure)),
        )

    def _loops(self) -> tuple[Loop, ...]:
        return (
            Loop(name="outbox", run=self._relay),
            Loop(name="projection", run=self._project),
            Loop(name="ledger", run=self._reconcile),
            Loop(name="readiness", run=self._watch_readiness),
        )

    async def _open(self) -> None:
        principal = local_principal(self._platform.common.organisation_id)
        await self.server.start(self.ports, principal=principal, chance=self._platform.random)
        _log.info("gateway_opened", address=self.address)

    async def _close(self) -> None:
        await self.server.stop()
        await relay_rest(self._database, outbox, self._platform.publisher)

    async def _relay(self) -> None:
        async def step() -> bool:
            now = self._platform.clock.now()
            await note_waiting(self._database, outbox, name=DATABASE, now=now)
            sent = await relay(self._database, outbox, self._platform.publisher)
            return sent == RELAY_BATCH

        seconds = self._settings.poll_seconds
        await repeat("outbox", step, wake=self.ports.outbox_wake, seconds=seconds)

    async def _project(self) -> None:
        seen: list[str] = []

        async def step() -> bool:
            # The bucket may have been lost while nobody looked, or made anew under our eyes.
            generation = await self.ports.projection.generation()
            if generation not in seen:
                await self.ports.scopes.mark_all_unprojected()
                seen[:] = [generation]
            return await project_dirty(self.ports)

        seconds = self._settings.poll_seconds
        await repeat("projection", step, wake=self.ports.projection_wake, seconds=seconds)

    async def _reconcile(self) -> None:
        step = partial(reconcile_step, self.ports)
        await repeat("ledger", step, wake=Wake(), seconds=self._settings.reconcile_seconds)

    async def _watch_readiness(self) -> None:
        async def step() -> bool:
            missing = [await check.probe() for check in self.checks]
            await self.server.set_ready(not any(missing))
            return False

        await repeat("readiness", step, wake=Wake(), seconds=self._settings.poll_seconds)

    async def _grpc_missing(self) -> str | None:
        if self.server.is_serving:
            return None
        return f"The gRPC server does not listen on {self.address} yet."


def build(settings: GatewaySettings, platform: Platform) -> Service:
    """Returns the gateway on the shared ports of a process."""
    return Gateway(settings, platform).service
