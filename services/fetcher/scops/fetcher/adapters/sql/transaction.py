"""A writing transaction of the fetcher, its rules, and what it leaves for its end.

Several transactions write at once on a server. So that no two wait for each other, each takes its
locks in one order: fetch, jobs, page, job rows, tasks, pipeline, aliases, queue entries, hosts;
of a kind by their ids. Entries and hosts are left for the end. A lease begins with its host, and
gives way.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from scops.common.bus.ports import Outgoing
from scops.common.contract.ids import JobId, event_id
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import Lane, Role
from scops.common.db.batches import batches_in_turns, rows_of
from scops.common.db.connection import Connection
from scops.common.db.locks import lock_rows
from scops.common.db.outbox import enqueue
from scops.common.runtime.holder import Holder
from scops.fetcher.adapters.sql import tables
from scops.fetcher.frontier.leases import HostLease, Release
from scops.fetcher.frontier.wakeup import WakeupSignals
from scops.fetcher.politeness.delays import HostDelays
from scops.fetcher.recrawl.crawl_budgets import CrawlBudgets
from scops.fetcher.settings import FetcherSettings

# A row of a result; its columns are those selected.
Row = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRules:
    """The pure functions and bounds that transactions apply.

    Attributes:
        admits: whether a scope, at the newest revision held, contains a canonical URL.
        rules_key: what tells the newest rules held of a scope from others; empty for none.
        contexts: access contexts by origin, of the credentials that a scope holds at that revision;
            the URLs of other origins are public.
        mint_job: a new job_id for an instant.
        budgets: who pays for keeping a page fresh.
        holder: this process, which takes leases.
        renders: whether there is a browser, and a scope has it show pages that need it.
    """

    admits: Callable[[ScopeRef, str], bool]
    rules_key: Callable[[ScopeRef], str]
    contexts: Callable[[ScopeRef], Mapping[str, str]]
    mint_job: Callable[[datetime], JobId]
    budgets: CrawlBudgets
    delays: HostDelays
    settings: FetcherSettings
    signals: WakeupSignals
    holder: Holder
    renders: Callable[[ScopeRef], bool]


class EntryKind(StrEnum):
    """What a queue entry leads to."""

    PAGE = "page"
    TASK = "task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that waits for its host."""

    entry_id: str
    kind: EntryKind
    host_key: str
    lane: Lane
    due_time: datetime


@dataclass(slots=True)
class Transaction:
    """One writing transaction, what it does at its end, and what it wakes once committed.

    Attributes:
        entries: to be queued at the end.
        released: leases on hosts to be ended at the end, by host.
        queued: lanes on which something new waits.
        sent: whether something is in the outbox.
    """

    connection: Connection
    rules: StateRules
    now: datetime
    entries: list[Entry] = field(default_factory=list)
    released: dict[str, tuple[HostLease, Release]] = field(default_factory=dict)
    queued: dict[Lane, None] = field(default_factory=dict)
    sent: bool = False

    async def lock(self, statement: Any, **values: Any) -> None:
        """Locks rows in the order of a `SELECT … FOR UPDATE`; see `lock_rows`."""
        await lock_rows(self.connection, statement, values)

    async def execute(self, statement: Any, **values: Any) -> Any:
        """Runs a statement; building one costs more than running it, so they are built once."""
        return await self.connection.execute(statement, values or None)

    async def execute_many(self, statement: Any, rows: Sequence[Mapping[str, Any]]) -> None:
        """Runs a statement for each of some rows; the event loop turns between batches."""
        async for batch in batches_in_turns(rows):
            await self.connection.execute(statement, [dict(row) for row in batch])

    async def first(self, statement: Any, **values: Any) -> Row | None:
        """Returns the first row."""
        return (await self.connection.execute(statement, values or None)).first()

    async def all(self, statement: Any, **values: Any) -> list[Row]:
        """Returns every row; see `rows_of` for lists among the values."""
        return await rows_of(self.connection, statement, values)

    async def send(
        self, message: object, *, cause: str, ordinal: int, organisation_id: str, lane: Lane
    ) -> None:
        """Puts an event into the outbox."""
        outgoing = Outgoing(
            message=message,
            event_id=event_id(Role.FETCHER.value, cause, ordinal),
            organisation_id=organisation_id,
            lane=lane,
        )
        await enqueue(self.connection, tables.outbox, outgoing, now=self.now)
        self.sent = True
