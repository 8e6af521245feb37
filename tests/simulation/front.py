"""The gateway of a world: its scopes and jobs, and questions by the rules of public calls."""

import random
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from scops.common.access.principal import local_principal
from scops.common.archive.ports import Archive
from scops.common.contract.errors import TransientError
from scops.common.contract.ids import JobId, ScopeId
from scops.common.contract.messages.explanation import AnswerRequest, AnswerResponse
from scops.common.contract.messages.retrieval import RetrieveRequest
from scops.common.contract.messages.types import Scope
from scops.common.db.database import Database
from scops.common.query.deadline import deadline_exceeded
from scops.common.query.ports import QueryClient, QueryMethod, Request, Response
from scops.gateway.adapters.sql.audit import SqlAudit
from scops.gateway.adapters.sql.chats import SqlChats
from scops.gateway.adapters.sql.identity import SqlIdentity
from scops.gateway.adapters.sql.jobs import SqlJobs
from scops.gateway.adapters.sql.purges import SqlPurgeLog
from scops.gateway.adapters.sql.research import SqlResearch
from scops.gateway.adapters.sql.scopes import SqlScopes
from scops.gateway.adapters.sql.usage import SqlUsage
from scops.gateway.adapters.sql.watches import SqlWatches
from scops.gateway.admission.cost import CallCost
from scops.gateway.calls import Call, CallOutcome, PublicCalls
from scops.gateway.handlers.jobs import cancel_job, create_job
from scops.gateway.handlers.search import answer, search
from scops.gateway.identity.registry import IdentityRegistry
from scops.gateway.jobs.job import Job
from scops.gateway.jobs.ledger import reconcile
from scops.gateway.ports import GatewayPorts
from scops.gateway.purges.purge import Purge, start_command
from scops.gateway.requests.names import scope_name
from scops.gateway.requests.page_tokens import PageTokens
from scops.gateway.scopes.revisions import ScopeChange
from scops.gateway.scopes.stored_scope import StoredScope
from scops.gateway.settings import GatewaySettings
from scops.gateway.watches.ports import AlertPorts
from scops.gateway.watches.sealing import WatchSeal
from tests.fakes.clock import ManualClock
from tests.fakes.identity import SIGNER, OneCaller, unbounded
from tests.fakes.worlds.gateway import RecordingProjection, page_token_key
from tests.simulation.stage import Stage

SERVICE = "/scops.api.v1alpha1.SearchService/"
# The longest that is served; in true time no question comes near it.
CALL_SECONDS = 60.0
ASKER = local_principal("main")
BY_ASKER = ScopeChange(principal=ASKER.principal_id, reason="simulated")


@dataclass
class EffectQueries:
    """Questions of one service to another; anything may happen before and after each."""

    inner: QueryClient
    stage: Stage
    clock: ManualClock

    async def call(
        self, method: QueryMethod[Request, Response], request: Request, *, deadline: datetime
    ) -> Response:
        await self.stage.effect(f"ask {method.subject}")
        self._check(method, deadline)
        response = await self.inner.call(method, request, deadline=deadline)
        await self.stage.effect(f"told {method.subject}")
        self._check(method, deadline)
        return response

    def _check(self, method: QueryMethod[Any, Any], deadline: datetime) -> None:
        """Ends a question whose time is over, as the client of the bus does."""
        if self.clock.now() >= deadline:
            raise deadline_exceeded(method.subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A public call and what it ended with; None where its process died."""

    due: datetime
    ended: datetime
    outcome: CallOutcome | None


class Front:
    """Serves questions as every door does."""

    def __init__(
        self,
        *,
        database: Database,
        queries: QueryClient,
        archive: Archive,
        clock: ManualClock,
        rng: random.Random,
    ) -> None:
        self._clock = clock
        self._rng = rng
        self._scopes = SqlScopes(database)
        self.ports = GatewayPorts(
            clock=clock,
            random=rng,
            scopes=self._scopes,
            jobs=SqlJobs(database),
            purges=SqlPurgeLog(database),
            chats=SqlChats(database),
            research=SqlResearch(database),
            audit=SqlAudit(database),
            usage=SqlUsage(database),
            identity=IdentityRegistry(store=SqlIdentity(database)),
            projection=RecordingProjection(),
            query_client=queries,
            archive=archive,
            tokens=PageTokens(page_token_key),
            alerts=AlertPorts(store=SqlWatches(database), seal=WatchSeal()),
        )
        self._calls = PublicCalls(
            settings=GatewaySettings.load(),
            clock=clock,
            chance=rng,
            authenticator=OneCaller(ASKER),
            admission=unbounded(),
            signer=SIGNER,
        )
        self._revision = 0
        self.begun = 0
        self.asked: list[Asked] = []

    async def follow(self, scope: Scope) -> None:
        """Stores the scope as its owner has changed it."""
        if scope.revision == self._revision:
            return
        now = self._clock.now()
        stored = StoredScope(
            scope=replace(scope, owner=ASKER.principal_id), created_time=now, updated_time=now
        )
        if self._revision:
            await self._scopes.replace(stored, expected_revision=self._revision, change=BY_ASKER)
        else:
            await self._scopes.create(stored, key=None, now=now, change=BY_ASKER)
        self._revision = scope.revision

    async def purge(self, purge: Purge) -> None:
        """Knows of a purge, as the gateway does that accepted it."""
        await self.ports.purges.accept(purge, start_command(purge), key=None)

    async def create_job(self, scope_id: ScopeId, *, urls: Sequence[str]) -> JobId:
        """Accepts a job of somebody who may ask for it twice: without an answer nobody knows.

        Raises:
            InvalidInput: a page is outside of the scope.
        """
        request_id = str(uuid.UUID(int=self._rng.getrandbits(128), version=4))
        asked = [
            await create_job(
                self.ports,
                self._call(),
                scope_id=scope_id,
                urls=urls,
                page_limit=0,
                request_id=request_id,
            )
            for _ in range(self._rng.choice((1, 1, 2)))
        ]
        (job_id,) = {job.job_id for job in asked}
        return job_id

    async def cancel_job(self, job_id: JobId) -> None:
        """Asks to cancel a job."""
        await cancel_job(self.ports, self._call(), job_id)

    async def job(self, job_id: JobId) -> Job:
        """Returns a job as callers see it, without a look at the ledger."""
        found = await self.ports.jobs.get(job_id)
        assert found is not None, f"{job_id} was accepted and is not known"
        return found

    async def compare(self) -> None:
        """Compares open jobs with the ledger, as a loop does; a fetcher may not answer."""
        with suppress(TransientError):
            await reconcile(self.ports)

    def _call(self) -> Call:
        deadline = self._clock.now() + timedelta(seconds=CALL_SECONDS)
        return Call(principal=ASKER, deadline=deadline, request_id="simulated")

    async def answer(self, query: str, scope: Scope) -> Asked:
        """Asks for an answer inside a scope."""
        names = (scope_name(scope.scope_id),)

        async def ask(call: Call) -> AnswerResponse:
            question = AnswerRequest(query=query)
            return (await answer(self.ports, call, question=question, scopes=names)).answer

        return await self._serve("Answer", ask)

    async def search(self, query: str, scope: Scope) -> Asked:
        """Asks for passages inside a scope."""
        names = (scope_name(scope.scope_id),)
        return await self._serve(
            "Search",
            lambda call: search(
                self.ports, call, question=RetrieveRequest(query=query), scopes=names
            ),
        )

    async def _serve(self, method: str, work: Callable[[Call], Awaitable[Any]]) -> Asked:
        self.begun += 1
        due = self._clock.now() + timedelta(seconds=CALL_SECONDS)
        outcome: CallOutcome | None = None
        try:
            outcome = await self._calls.serve(
                SERVICE + method,
                work,
                headers={},
                peer="",
                cost=CallCost.LOOKUP,
                remaining_seconds=CALL_SECONDS,
                system="simulated",
            )
        finally:
            ended = Asked(due=due, ended=self._clock.now(), outcome=outcome)
            self.asked.append(ended)
        return ended
