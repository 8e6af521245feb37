"""Builders for tests of the gateway: ports on a database in memory, and a served gateway."""

import asyncio
import base64
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc

from scops.api.v1alpha1 import (
    identity_service_pb2_grpc,
    job_service_pb2_grpc,
    page_service_pb2_grpc,
    scope_service_pb2_grpc,
    search_service_pb2_grpc,
)
from scops.common.access.principal import LOCAL, Principal, local_principal
from scops.common.archive.opening import open_archive
from scops.common.archive.ports import Archive
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.common.contract.service_table import Role
from scops.common.db import Database
from scops.common.db.database import sqlite_url
from scops.common.processes.pool import ChildPool
from scops.common.query.ports import QueryMethod
from scops.common.runtime.clock import Clock, SystemClock
from scops.common.runtime.platform import Platform, SharedResources
from scops.common.runtime.service import QueryBinding
from scops.common.scope.book import ScopeBook
from scops.gateway.adapters.sql.audit import SqlAudit
from scops.gateway.adapters.sql.chats import SqlChats
from scops.gateway.adapters.sql.identity import SqlIdentity
from scops.gateway.adapters.sql.jobs import SqlJobs
from scops.gateway.adapters.sql.purges import SqlPurgeLog
from scops.gateway.adapters.sql.research import SqlResearch
from scops.gateway.adapters.sql.scopes import SqlScopes
from scops.gateway.adapters.sql.tables import metadata
from scops.gateway.adapters.sql.usage import SqlUsage
from scops.gateway.adapters.sql.watches import SqlWatches
from scops.gateway.calls import Call
from scops.gateway.handlers import scopes
from scops.gateway.identity.registry import IdentityRegistry
from scops.gateway.ports import GatewayPorts
from scops.gateway.requests.page_tokens import KEY_BYTES, PageTokens
from scops.gateway.scopes.stored_scope import StoredScope
from scops.gateway.service import Gateway
from scops.gateway.settings import GatewaySettings
from scops.gateway.watches.message import AlertMessage
from scops.gateway.watches.ports import AlertPorts
from scops.gateway.watches.sealing import AlertTarget, WatchSeal
from scops.gateway.watches.sender import SendResult
from scops.gateway.watches.watch import TargetKind
from tests.fakes.bus import RecordingPublisher
from tests.fakes.bus_operations import FakeBusOperations
from tests.fakes.clock import ManualClock
from tests.fakes.query_client import LocalQueryClient

DOCS = "https://docs.example.org/"
DEADLINE_SECONDS = 10.0
WATCH_KEY = base64.urlsafe_b64encode(b"w" * 32).decode()


@dataclass
class RecordingProjection:
    """Keeps the scopes that were published, in order; raises the queued failures first."""

    published: list[Scope] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    held: dict[tuple[str, ScopeId], Scope] = field(default_factory=dict)
    vouched: list[list[Scope]] = field(default_factory=list)

    async def generation(self) -> str:
        return "only"

    async def vouch(
        self, organisation_id: str, generation: str, *, identity_keys: Mapping[str, str]
    ) -> None:
        self.vouched.append(list(self.held.values()))

    async def scope_ids(self) -> Collection[tuple[str, ScopeId]]:
        return list(self.held)

    async def retract_scope(self, organisation_id: str, scope_id: ScopeId) -> None:
        gone = self.held[organisation_id, scope_id]
        self.held[organisation_id, scope_id] = replace(
            gone, deleted=True, revision=gone.revision + 1
        )

    async def publish_scope(self, scope: Scope) -> int | None:
        if self.failures:
            raise self.failures.pop(0)
        self.published.append(scope)
        held = self.held.setdefault((scope.organisation_id, scope.scope_id), scope)
        if held.revision > scope.revision or (held.revision == scope.revision and held != scope):
            return held.revision
        self.held[scope.organisation_id, scope.scope_id] = scope
        return None


@dataclass
class RecordingSender:
    """Keeps the messages that were sent, in order; gives the queued results first."""

    sent: list[tuple[AlertMessage, AlertTarget]] = field(default_factory=list)
    results: list[SendResult] = field(default_factory=list)
    hangs: bool = False

    def check(self, address: str) -> str:
        if "@" in address:
            return address
        if not address.startswith("https://"):
            raise InvalidInput("It is no address.", reason="TARGET_UNUSABLE")
        return "/".join([*address.split("/")[:3], "…"])

    async def send(self, message: AlertMessage, target: AlertTarget) -> SendResult:
        self.sent.append((message, target))
        if self.hangs:
            await asyncio.Event().wait()
        return self.results.pop(0) if self.results else SendResult()

    async def close(self) -> None:
        self.results.clear()


async def page_token_key() -> bytes:
    return b"k" * KEY_BYTES


def prefix(pattern: str, *, exclude: bool = False) -> ScopeRule:
    """Builds a rule."""
    return ScopeRule(kind=RuleKind.PREFIX, pattern=pattern, exclude=exclude)


def principal_of(principal_id: str) -> Principal:
    """Builds a caller; `local` may everything, others what is shared with them."""
    if principal_id == LOCAL:
        return local_principal("main")
    return Principal(principal_id=principal_id, organisation_id="main")


def docs_fields(**changes: Any) -> Scope:
    """Builds what a caller sets of a scope over docs.example.org."""
    values: dict[str, Any] = {"rules": (prefix("docs.example.org"),), "seeds": (DOCS,), **changes}
    return Scope(**values)


@dataclass
class GatewayWorld:
    """The gateway's use cases on SQL in memory; other services answer as a test says."""

    ports: GatewayPorts
    database: Database
    queries: LocalQueryClient
    projection: RecordingProjection
    clock: ManualClock
    sender: RecordingSender

    def call(self, principal_id: str = "local") -> Call:
        """Builds a call of a principal."""
        return Call(
            principal=principal_of(principal_id),
            deadline=self.clock.now() + timedelta(seconds=DEADLINE_SECONDS),
            request_id="request-1",
        )

    async def create_scope(
        self, scope_id: str = "docs", *, owner: str = "local", **fields: Any
    ) -> StoredScope:
        """Creates a scope over docs.example.org; fields are overridden by name."""
        return await scopes.create_scope(
            self.ports,
            self.call(owner),
            scope_id=scope_id,
            wanted=docs_fields(**fields),
            request_id="",
        )

    async def update_scope(
        self,
        wanted: Scope,
        *,
        mask: tuple[str, ...] = (),
        etag: str = "",
        caller: str = "local",
    ) -> StoredScope:
        """Changes the scope `docs`."""
        return await scopes.update_scope(
            self.ports,
            self.call(caller),
            scope_id=ScopeId("docs"),
            wanted=wanted,
            mask=mask,
            etag=etag,
        )

    def answer(
        self, method: QueryMethod[Any, Any], function: Callable[[Any], Awaitable[Any]]
    ) -> None:
        """Has a question answered by a function."""
        self.queries.add([QueryBinding(method=method, answer=function)])

    def says(self, method: QueryMethod[Any, Any], response: object) -> list[Any]:
        """Has a question always answered the same; returns the requests that will come."""
        asked: list[Any] = []

        async def reply(request: Any) -> object:
            asked.append(request)
            return response

        self.answer(method, reply)
        return asked


async def memory_database() -> Database:
    """Opens the gateway's state in memory; it has one connection, for one caller at a time."""
    return await _with_tables(Database("sqlite://", name="gateway"))


async def _with_tables(database: Database) -> Database:
    async with database.transaction() as connection:
        await connection.run_sync(metadata.create_all)
    return database


@asynccontextmanager
async def gateway_world() -> AsyncIterator[GatewayWorld]:
    """Opens a world."""
    database = await memory_database()
    clock = ManualClock()
    queries = LocalQueryClient([], clock=clock)
    projection = RecordingProjection()
    sender = RecordingSender()
    ports = GatewayPorts(
        clock=clock,
        random=random.Random(1),
        scopes=SqlScopes(database),
        jobs=SqlJobs(database),
        purges=SqlPurgeLog(database),
        chats=SqlChats(database),
        research=SqlResearch(database),
        audit=SqlAudit(database),
        usage=SqlUsage(database),
        identity=IdentityRegistry(
            store=SqlIdentity(database), is_required=True, chance=random.Random(2)
        ),
        projection=projection,
        query_client=queries,
        archive=open_archive("memory://", "main"),
        tokens=PageTokens(page_token_key),
        operations=FakeBusOperations(),
        alerts=AlertPorts(
            store=SqlWatches(database),
            seal=WatchSeal([WATCH_KEY]),
            senders={TargetKind.WEBHOOK: sender, TargetKind.EMAIL: sender},
        ),
    )
    try:
        yield GatewayWorld(ports, database, queries, projection, clock, sender)
    finally:
        await database.close()


@dataclass
class ServedGateway:
    """A gateway on a free port, and stubs that call it."""

    gateway: Gateway
    channel: grpc.aio.Channel
    database: Database
    queries: LocalQueryClient
    publisher: RecordingPublisher
    projection: RecordingProjection
    archive: Archive

    def __post_init__(self) -> None:
        self.identity = identity_service_pb2_grpc.IdentityServiceStub(self.channel)
        self.scopes = scope_service_pb2_grpc.ScopeServiceStub(self.channel)
        self.pages = page_service_pb2_grpc.PageServiceStub(self.channel)
        self.jobs = job_service_pb2_grpc.JobServiceStub(self.channel)
        self.search = search_service_pb2_grpc.SearchServiceStub(self.channel)

    def answer(
        self, method: QueryMethod[Any, Any], function: Callable[[Any], Awaitable[Any]]
    ) -> None:
        """Has a question answered by a function."""
        self.queries.add([QueryBinding(method=method, answer=function)])


@asynccontextmanager
async def served_gateway(folder: Path, **settings: Any) -> AsyncIterator[ServedGateway]:
    """Serves a gateway without its loops; settings are overridden by name."""
    database = await _with_tables(Database(sqlite_url(folder / "gateway.db"), name="gateway"))
    clock = SystemClock()
    queries = LocalQueryClient([], clock=clock)
    publisher, projection = RecordingPublisher(), RecordingProjection()
    platform = platform_of(
        folder,
        clock=clock,
        database=database,
        queries=queries,
        publisher=publisher,
        projection=projection,
    )
    gateway = Gateway(GatewaySettings(**{"port": 0, "stop_grace_seconds": 1, **settings}), platform)
    await gateway.service.open()
    try:
        async with grpc.aio.insecure_channel(gateway.address) as channel:
            yield ServedGateway(
                gateway, channel, database, queries, publisher, projection, platform.archive
            )
    finally:
        await gateway.service.close()
        await database.close()


def platform_of(
    folder: Path,
    *,
    clock: Clock,
    database: Database,
    queries: LocalQueryClient,
    publisher: RecordingPublisher,
    projection: RecordingProjection,
) -> Platform:
    """Builds the shared ports of a process that runs the gateway alone."""
    common = CommonSettings.model_validate({"data_dir": folder})
    return Platform(
        common=common,
        clock=clock,
        archive=open_archive("memory://", "main"),
        publisher=publisher,
        query_client=queries,
        scope_book=ScopeBook(),
        random=random.Random(1),
        shared=SharedResources(common),
        children=ChildPool.of_settings(common),
        database=lambda name: database,
        backlog=_no_backlog,
        scope_publisher=projection,
    )


async def _no_backlog(role: Role) -> int:
    return 0
