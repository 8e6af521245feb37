"""What the use cases and handlers of the gateway need; every store method is one transaction."""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from scops.common.archive.ports import Archive
from scops.common.bus.ports import BusOperations, Outgoing
from scops.common.contract.ids import JobId, PurgeId, ScopeId
from scops.common.contract.messages.crawl import JobCounts
from scops.common.contract.messages.purge import PurgeApplied
from scops.common.contract.messages.types import Scope
from scops.common.query.ports import QueryClient
from scops.common.runtime.clock import Clock
from scops.common.runtime.service import ReadinessCheck
from scops.common.runtime.wakeup import Wakeup
from scops.common.scope.hosts import EVERY_HOST, HostLists
from scops.common.scope.ports import ScopePublisher
from scops.gateway.audit.entry import AuditLog
from scops.gateway.chats.store import ChatStore
from scops.gateway.identity.registry import IdentityRegistry
from scops.gateway.jobs.job import ApiJobState, Job
from scops.gateway.purges.purge import Purge
from scops.gateway.quotas.daily import Charge, DailyQuotas, Spending
from scops.gateway.quotas.held import HeldQuotas
from scops.gateway.requests.page_tokens import PageTokens
from scops.gateway.requests.request_keys import RequestKey
from scops.gateway.research.store import ResearchStore
from scops.gateway.scopes.revisions import ScopeChange, ScopeRevision
from scops.gateway.scopes.stored_scope import StoredScope
from scops.gateway.watches.ports import AlertPorts


class ScopeStore(Protocol):
    """The truth about scopes."""

    async def create(
        self,
        stored: StoredScope,
        *,
        key: RequestKey | None,
        now: datetime,
        change: ScopeChange,
    ) -> StoredScope:
        """Inserts a scope and returns it as stored; a repeated key returns what it created.

        The id of a deleted scope may be used again: its revision goes on, so that whoever
        holds the deleted one takes the new one in; the revisions before go.

        Raises:
            AlreadyExists: the id is taken.
            InvalidInput: the key was used for another request.
            NotFound: the key's scope has been deleted since.
        """
        ...

    async def get(self, organisation_id: str, scope_id: ScopeId) -> StoredScope | None:
        """Returns a scope that is not deleted."""
        ...

    async def all(self, organisation_id: str) -> tuple[StoredScope, ...]:
        """Returns every scope that is not deleted, by id."""
        ...

    async def some(
        self, organisation_id: str, scope_ids: Collection[ScopeId]
    ) -> tuple[StoredScope, ...]:
        """Returns those of some scopes that exist and are not deleted, by id."""
        ...

    async def revisions(
        self, organisation_id: str, scope_id: ScopeId, *, before: int, limit: int
    ) -> tuple[ScopeRevision, ...]:
        """Returns what a scope was, newest first, below a revision; the newest are kept."""
        ...

    async def replace(
        self, stored: StoredScope, *, expected_revision: int, change: ScopeChange
    ) -> bool:
        """Stores a changed scope; False when its revision is not the expected one any more.

        Of a deleted scope each open job is sent a cancellation.
        """
        ...

    async def unprojected(self, limit: int) -> tuple[Scope, ...]:
        """Returns scopes, deleted ones too, whose newest revision the projection may lack."""
        ...

    async def mark_projected(self, scope: Scope) -> None:
        """Records that this revision has been published."""
        ...

    async def rise_above(self, scope: Scope, held: int) -> bool:
        """Gives a scope a revision above one that the projection holds and the table never had.

        Args:
            scope: as it was to be published.

        Returns:
            Whether it did; not where the table has come as far: another instance published it.
        """
        ...

    async def known_ids(self) -> Collection[tuple[str, ScopeId]]:
        """Returns organisation and id of every scope, deleted ones too."""
        ...

    async def mark_all_unprojected(self) -> None:
        """Has every scope published again: the bucket may have been lost."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """The jobs that a caller may see: those of the given scopes, and their own of deleted ones.

    Attributes:
        hidden_ids: scopes that stand and are hidden; not even the caller's own jobs show them.
        only_scope: leaves the jobs of this scope alone; None leaves all.
    """

    organisation_id: str
    owner: str
    scope_ids: tuple[ScopeId, ...]
    hidden_ids: frozenset[ScopeId] = frozenset()
    only_scope: ScopeId | None = None

    def lets_see(self, job: Job) -> bool:
        """Returns whether a job of the organisation may be shown."""
        scope_id = job.scope.scope_id
        is_own = job.owner == self.owner and scope_id not in self.hidden_ids
        return is_own or scope_id in self.scope_ids


class JobStore(Protocol):
    """Jobs as seen from outside."""

    async def accept(
        self, job: Job, command: Outgoing, *, key: RequestKey | None, charge: Charge | None = None
    ) -> Job | None:
        """Inserts a job and its command; a repeated key returns what it created.

        Args:
            charge: what its owner spends with it; what it did not take is given back at its end.

        Returns:
            None where the charge has no room; nothing was inserted then.

        Raises:
            InvalidInput: the key was used for another request.
        """
        ...

    async def get(self, job_id: JobId) -> Job | None:
        """Returns a job."""
        ...

    async def newest(self, visible: JobFilter, *, before: JobId, limit: int) -> tuple[Job, ...]:
        """Returns jobs, newest first, accepted before the job `before`, or from the newest."""
        ...

    async def open_jobs(self, *, after: JobId, limit: int) -> tuple[Job, ...]:
        """Returns jobs that have not finished, oldest first, accepted after the job `after`."""
        ...

    async def request_cancel(
        self, job_id: JobId, command: Outgoing, *, now: datetime, reason: str = ""
    ) -> None:
        """Marks an open job as to be cancelled and sends the command; else changes nothing.

        Args:
            reason: empty where a caller asks.
        """
        ...

    async def progress(self, job_id: JobId, counts: JobCounts, *, at: datetime) -> Job | None:
        """Takes newer counts of an open job over, and returns it.

        Bytes that were not counted before are spent by its owner on that day. Older counts and
        unknown jobs change nothing, and return None.
        """
        ...

    async def finish(
        self, job_id: JobId, state: ApiJobState, counts: JobCounts, *, at: datetime
    ) -> Job | None:
        """Ends an open job and returns it; the first end stays, and later ones return None.

        Pages that it took are spent by its owner on the day that it was accepted, bytes that were
        not counted before on the day of its end.
        """
        ...

    async def resend(self, job: Job, commands: Sequence[Outgoing], *, now: datetime) -> None:
        """Stores a job's next attempt and sends its commands again."""
        ...

    async def forget(self, *, ended_before: datetime, limit: int) -> None:
        """Deletes some of the jobs that ended before an instant."""
        ...


class UsageLog(Protocol):
    """What principals spend, by day."""

    async def spend(self, charge: Charge) -> bool:
        """Adds a charge; returns whether its bound left room, and adds nothing where not.

        Charges that come at once are added one after the other, so that a bound holds.
        """
        ...

    async def spent(
        self, organisation_id: str, principal_id: str, day: date
    ) -> Mapping[Spending, int]:
        """Returns what a principal spent on a day; jobs that run count what they may take."""
        ...


class PurgeLog(Protocol):
    """Purges that were asked for, and what their owners have reported."""

    async def accept(self, purge: Purge, command: Outgoing, *, key: RequestKey | None) -> Purge:
        """Records a purge and sends its command; a repeated key returns what it recorded.

        Raises:
            InvalidInput: the key was used for another request.
        """
        ...

    async def get(self, purge_id: PurgeId) -> Purge | None:
        """Returns a purge with what its owners have reported."""
        ...

    async def newest(
        self, organisation_id: str, *, before: PurgeId, limit: int
    ) -> tuple[Purge, ...]:
        """Returns purges, newest first, marked before another, or from the newest."""
        ...

    async def under_way(self, *, ended_after: datetime | None = None) -> tuple[Purge, ...]:
        """Returns the purges that some owner has not applied whole, without their progress.

        Args:
            ended_after: adds those that ended after an instant.
        """
        ...

    async def note(self, report: PurgeApplied, *, now: datetime) -> None:
        """Records a report; the last one ends the purge. One that is known changes nothing."""
        ...

    async def resend(self, purge: Purge, command: Outgoing, *, now: datetime) -> None:
        """Stores a purge's next attempt and sends its command again."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayPorts:
    """Everything that use cases, handlers and loops work with."""

    clock: Clock
    random: random.Random
    scopes: ScopeStore
    jobs: JobStore
    purges: PurgeLog
    chats: ChatStore
    research: ResearchStore
    identity: IdentityRegistry
    audit: AuditLog
    projection: ScopePublisher
    query_client: QueryClient
    archive: Archive
    tokens: PageTokens
    usage: UsageLog
    alerts: AlertPorts
    held_quotas: HeldQuotas = field(default_factory=HeldQuotas)
    daily_quotas: DailyQuotas = field(default_factory=DailyQuotas)
    hosts: HostLists = EVERY_HOST
    audits_queries: bool = False
    operations: BusOperations | None = None
    checks: tuple[ReadinessCheck, ...] = ()
    grafana_url: str = ""
    outbox_wakeup: Wakeup = field(default_factory=Wakeup)
    projection_wakeup: Wakeup = field(default_factory=Wakeup)
    research_wakeup: Wakeup = field(default_factory=Wakeup)
