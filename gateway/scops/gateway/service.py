"""Composes the gateway."""

import asyncio
import random
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from scops.common.access.assertion import IdentitySigner
from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import monotonic_seconds
from scops.common.contract.service_table import Role
from scops.common.db.schema import schema_check
from scops.common.db.types import EPOCH
from scops.common.observe.log import get_logger
from scops.common.runtime.platform import Platform
from scops.common.runtime.relay import OutboxRelay
from scops.common.runtime.service import Loop, ReadinessCheck, Service
from scops.gateway import metrics
from scops.gateway.adapters.alerts.apprise_sender import AppriseSender
from scops.gateway.adapters.alerts.key_file import kept_key
from scops.gateway.adapters.alerts.mail import EmailSender
from scops.gateway.adapters.alerts.webhook import WebhookSender
from scops.gateway.adapters.grpc.server import GrpcServer
from scops.gateway.adapters.http.server import HttpServer
from scops.gateway.adapters.sql.audit import SqlAudit
from scops.gateway.adapters.sql.chats import SqlChats
from scops.gateway.adapters.sql.identity import SqlIdentity
from scops.gateway.adapters.sql.jobs import SqlJobs
from scops.gateway.adapters.sql.purges import SqlPurgeLog
from scops.gateway.adapters.sql.research import SqlResearch
from scops.gateway.adapters.sql.scopes import SqlScopes
from scops.gateway.adapters.sql.secrets import IDENTITY_KEY, PAGE_TOKEN_KEY, secret_key
from scops.gateway.adapters.sql.tables import outbox
from scops.gateway.adapters.sql.usage import SqlUsage
from scops.gateway.adapters.sql.watches import SqlWatches
from scops.gateway.admission.admission import Admission
from scops.gateway.api.methods import METHODS, bound_methods
from scops.gateway.calls import PublicCalls
from scops.gateway.handlers.alerts.sending import WatchTurns, forget_old
from scops.gateway.handlers.chats.purging import forget_chats
from scops.gateway.handlers.purges import repair_purges
from scops.gateway.handlers.research.dropping import drop_due
from scops.gateway.handlers.research.running import ResearchRuns
from scops.gateway.identity.authenticator import Authenticator, ByCredential, EverybodyIsLocal
from scops.gateway.identity.first_administrator import offer_claim
from scops.gateway.identity.issuer import read_issuers
from scops.gateway.identity.key_sets import fetch_key_set
from scops.gateway.identity.proxy import TrustedProxy
from scops.gateway.identity.recent import RecentIdentity
from scops.gateway.identity.registry import IdentityRegistry
from scops.gateway.identity.signing_keys import SigningKeys
from scops.gateway.identity.tokens import TokenVerifier
from scops.gateway.jobs.ledger import reconcile
from scops.gateway.jobs.projection import project_dirty, retract_unknown
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.page_tokens import PageTokens
from scops.gateway.router import build_router
from scops.gateway.settings import GatewaySettings
from scops.gateway.streams import PublicStreams
from scops.gateway.watches.ports import AlertPorts
from scops.gateway.watches.sender import AlertSender
from scops.gateway.watches.watch import TargetKind

DATABASE = "gateway"
# In the data folder of one machine, where it was given no key.
WATCH_KEY = "watch.key"
MIGRATIONS = Path(__file__).parent / "migrations"
# Between looks at outbox, projection and readiness that nobody asked for.
# Readers believe it ten times as long.
VOUCH_SECONDS = 60.0
POLL_SECONDS = 1.0
# Between looks for what of alerts is old enough to be forgotten.
FORGET_SECONDS = 600.0
# Between comparisons of the open jobs with the fetcher's ledger.
RECONCILE_SECONDS = 15.0
# Between looks for scopes of researches whose days are over.
DROP_SECONDS = 30.0
# Between looks for chats that have had their time.
FORGET_SECONDS = 600.0
_log = get_logger("gateway")


class Gateway:
    """The gateway on the shared ports of a process.

    Attributes:
        service: what a runner brings to life.
        ports: what use cases work with.
        server, http: the gRPC and the HTTP server; they serve while the service is open.
        turns: of watches.
        researches: that this gateway works on.
    """

    def __init__(self, settings: GatewaySettings, platform: Platform) -> None:
        self._settings = settings
        self._platform = platform
        self._database = platform.database(DATABASE)
        self.server = GrpcServer(settings)
        self.http = HttpServer(settings)
        self._streams: PublicStreams | None = None
        # A page token's key must not be guessed, so it never comes from a seeded generator.
        self._secure = random.SystemRandom()
        self._schema = schema_check(self._database, MIGRATIONS, name=DATABASE)
        self.ports = self._ports()
        self.turns = WatchTurns(self.ports, platform.common.organisation_id)
        self.researches = ResearchRuns(self.ports)
        self._outbox = OutboxRelay(
            database=self._database,
            outbox=outbox,
            publisher=platform.publisher,
            clock=platform.clock,
            wakeup=self.ports.outbox_wakeup,
            seconds=POLL_SECONDS,
        )
        self._projected_generation = ""
        self._vouched_generation, self._vouched_time = "", EPOCH
        self.checks = (
            self._schema,
            ReadinessCheck(name="gateway-doors", probe=self._door_missing),
        )
        self.service = Service(
            role=Role.GATEWAY,
            router=build_router(self.ports),
            loops=self._loops(),
            checks=self.checks,
            doors=self._doors,
            open=self._open,
            finish=self._stop_serving,
            close=self._close,
        )

    @property
    def address(self) -> str:
        """`host:port` that is served; the port is 0 before the service is open."""
        return f"{self._settings.host}:{self.server.port}"

    @property
    def http_address(self) -> str:
        """`host:port` of the HTTP API; the port is 0 before the service is open."""
        return f"{self._settings.host}:{self.http.port}"

    def _doors(self) -> dict[str, str]:
        scheme = "https" if self._settings.tls == "on" else "http"
        return {"http": f"{scheme}://{self.http_address}", "grpc": self.address}

    def _ports(self) -> GatewayPorts:
        projection = self._platform.scope_publisher
        assert projection is not None, "a process that runs the gateway has a scope publisher"
        return GatewayPorts(
            clock=self._platform.clock,
            random=self._platform.random,
            scopes=SqlScopes(self._database),
            jobs=SqlJobs(self._database),
            purges=SqlPurgeLog(self._database),
            chats=SqlChats(self._database),
            research=SqlResearch(self._database),
            audit=SqlAudit(self._database),
            identity=IdentityRegistry(
                store=SqlIdentity(self._database),
                is_required=self._settings.identity == "required",
                issuers=read_issuers(self._settings.issuers),
                chance=self._secure,
            ),
            projection=projection,
            query_client=self._platform.query_client,
            archive=self._platform.archive,
            tokens=PageTokens(partial(self._key, PAGE_TOKEN_KEY)),
            usage=SqlUsage(self._database),
            alerts=self._alerts(),
            held_quotas=self._settings.held_quotas,
            daily_quotas=self._settings.daily_quotas,
            hosts=self._platform.common.host_lists,
            audits_queries=self._settings.audit_queries,
            operations=self._platform.operations,
            checks=(*self._platform.checks, replace(self._schema, name=DATABASE)),
            grafana_url=self._settings.grafana_url,
        )

    def _alerts(self) -> AlertPorts:
        kept = partial(kept_key, self._platform.common.data_dir / WATCH_KEY, self._secure)
        return AlertPorts(
            store=SqlWatches(self._database),
            seal=self._settings.watch_seal(None if self._database.address.is_server else kept),
            web_url=self._settings.web_url,
            senders=self._senders(),
            mail_domains=frozenset(domain.lower() for domain in self._settings.mail_domains),
            attempts=self._settings.watch_attempts,
            watches_max=self._settings.watches_per_principal,
        )

    def _senders(self) -> dict[TargetKind, AlertSender]:
        settings = self._settings
        addresses = settings.watch_addresses
        webhooks = WebhookSender(addresses, self._platform.clock, plain=bool(addresses.allowed))
        senders: dict[TargetKind, AlertSender] = {TargetKind.WEBHOOK: webhooks}
        if (server := settings.mail) is not None:
            senders[TargetKind.EMAIL] = EmailSender(server, sender=settings.mail_from)
        if settings.watch_apprise:
            senders[TargetKind.APPRISE] = AppriseSender(
                settings.watch_apprise,
                allowed=settings.watch_allowed_private,
                denied=settings.watch_denied_networks,
            )
        return senders

    def _alert_loops(self) -> tuple[Loop, ...]:
        begin, woken = self.turns.begin_due, self.ports.alerts.wakeup.wait
        forgetting, sleep = partial(forget_old, self.ports), self._platform.clock.sleep
        return (
            Loop.every(POLL_SECONDS, begin, name="watches", pause=woken),
            Loop.every(FORGET_SECONDS, forgetting, name="old-deliveries", pause=sleep),
        )

    def _loops(self) -> tuple[Loop, ...]:
        pause = self._platform.clock.sleep
        projected = self.ports.projection_wakeup.wait
        return (
            *self._alert_loops(),
            Loop.every(
                POLL_SECONDS,
                self.researches.begin_due,
                name="researches",
                pause=self.ports.research_wakeup.wait,
            ),
            Loop.every(DROP_SECONDS, self._drop_scopes, name="research-scopes", pause=pause),
            self._outbox.loop(),
            Loop.every(POLL_SECONDS, self._project, name="projection", pause=projected),
            Loop.every(RECONCILE_SECONDS, self._reconcile, name="ledger", pause=pause),
            Loop.every(RECONCILE_SECONDS, self._repair_purges, name="purges", pause=pause),
            Loop.every(FORGET_SECONDS, self._forget_chats, name="chats", pause=pause),
            Loop.every(
                POLL_SECONDS, self._note_ready, name="readiness", pause=pause, runs_unready=True
            ),
        )

    async def _open(self) -> None:
        await self._offer_claim()
        if not self._database.address.is_server:
            # A file belongs to one process, and whoever claimed deliveries in it is gone.
            await self.ports.alerts.store.release()
            await self.ports.research.release()
        signer = IdentitySigner(await self._key(IDENTITY_KEY))
        self.researches.open(signer)
        calls = PublicCalls(
            settings=self._settings,
            clock=self._platform.clock,
            chance=self._platform.random,
            authenticator=self._authenticator(),
            admission=Admission(
                units_per_second=self._settings.principal_units_per_second,
                slots_max=self._settings.concurrent_calls_max,
                now=monotonic_seconds,
            ),
            signer=signer,
        )
        self._streams = PublicStreams(calls, per_principal=self._settings.streams_per_principal)
        _show_no_streams()
        await self.server.start(self.ports, calls, self._streams)
        try:
            await self.http.start(self.ports, calls, self._streams)
        except ScopsError:
            await self.server.stop()
            raise
        _log.info("gateway_opened", address=self.address, http_address=self.http_address)

    async def _offer_claim(self) -> None:
        registry = self.ports.identity
        if registry.is_required:
            await offer_claim(
                registry.store,
                self._platform.clock,
                registry.chance,
                organisation_id=self._platform.common.organisation_id,
            )

    def _authenticator(self) -> Authenticator:
        registry, clock = self.ports.identity, self._platform.clock
        organisation_id = self._platform.common.organisation_id
        if not registry.is_required:
            return EverybodyIsLocal(organisation_id)
        return ByCredential(
            RecentIdentity(registry.store, clock),
            tokens=TokenVerifier(
                registry.issuers,
                keys_of=lambda issuer: SigningKeys(partial(fetch_key_set, issuer), clock),
                clock=clock,
                organisation_id=organisation_id,
            ),
            proxy=TrustedProxy(
                addresses=self._settings.proxy_addresses,
                header=self._settings.proxy_header,
                groups_header=self._settings.proxy_groups_header,
                organisation_id=organisation_id,
            ),
            clock=clock,
            organisation_id=organisation_id,
        )

    async def _stop_serving(self) -> None:
        if self._streams is not None:
            self._streams.stop()
        await asyncio.gather(self.server.stop(), self.http.stop())

    async def _close(self) -> None:
        await self._stop_serving()
        await asyncio.gather(self.turns.stop(), self.researches.stop())
        await self._outbox.publish_rest()

    async def _key(self, name: str) -> bytes:
        return await secret_key(self._database, self._secure, name=name)

    async def _project(self) -> bool:
        # The bucket may have been lost while nobody looked, or made anew under our eyes.
        generation = await self.ports.projection.generation()
        if generation != self._projected_generation:
            await self.ports.scopes.mark_all_unprojected()
            await retract_unknown(self.ports)
            self._projected_generation = generation
        if await project_dirty(self.ports):
            return True
        await self._vouch(generation)
        return False

    async def _vouch(self, generation: str) -> None:
        """Says now and then that the projection lacks no scope, where it lacks none."""
        now = self.ports.clock.now()
        is_said = abs(now - self._vouched_time) < timedelta(seconds=VOUCH_SECONDS)
        if is_said and generation == self._vouched_generation:
            return
        if not await self.ports.scopes.unprojected(1):
            signer = IdentitySigner(await self._key(IDENTITY_KEY))
            await self.ports.projection.vouch(
                self._platform.common.organisation_id,
                generation,
                identity_keys=signer.public_keys,
            )
            self._vouched_time, self._vouched_generation = now, generation

    async def _reconcile(self) -> None:
        await reconcile(self.ports)

    async def _repair_purges(self) -> None:
        await repair_purges(self.ports)

    async def _forget_chats(self) -> bool:
        days = self._settings.chat_days
        return bool(days) and await forget_chats(self.ports, days=days)

    async def _drop_scopes(self) -> bool:
        return await drop_due(self.ports)

    async def _note_ready(self) -> None:
        is_ready = await self._is_ready()
        await self.server.set_ready(is_ready)
        self.http.set_ready(is_ready)

    async def _is_ready(self) -> bool:
        try:
            return not any([await check.probe() for check in self.checks])
        except ScopsError:
            return False

    async def _door_missing(self) -> str | None:
        if self.server.is_serving and self.http.is_serving:
            return None
        return f"The gateway does not listen on {self.address} and {self.http_address} yet."


def build(settings: GatewaySettings, platform: Platform) -> Service:
    """Returns the gateway on the shared ports of a process."""
    return Gateway(settings, platform).service


def _show_no_streams() -> None:
    """Has the count of open streams there before the first one."""
    for service in METHODS:
        for bound in bound_methods(service):
            if bound.streams:
                metrics.OPEN_STREAMS.labels(method=bound.path).set(0)
