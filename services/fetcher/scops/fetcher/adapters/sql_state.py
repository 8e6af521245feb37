"""What every part of the SQL state shares: the transaction, its rules, and what it wakes."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scops.common.bus.ports import Outgoing
from scops.common.contract import Lane, Role
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.outbox import enqueue
from scops.common.ids import PageId, event_id
from scops.common.messages.types import ScopeRef
from scops.fetcher.adapters import tables
from scops.fetcher.delays import HostDelays
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.wakeup import Signals

# A row of a result; its columns are those selected.
Row = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRules:
    """The pure functions and bounds that transactions apply.

    Attributes:
        admits: whether a scope, at the newest revision held, contains a canonical URL.
        mint_page: a new page_id for an instant.
    """

    admits: Callable[[ScopeRef, str], bool]
    mint_page: Callable[[datetime], PageId]
    delays: HostDelays
    settings: FetcherSettings
    signals: Signals


@dataclass(slots=True)
class Transaction:
    """One writing transaction and what it will wake once committed."""

    connection: Connection
    rules: StateRules
    now: datetime
    queued: dict[Lane, None] = field(default_factory=dict)
    sent: bool = False

    async def execute(self, statement: Any, **values: Any) -> Any:
        """Runs a statement; building one costs more than running it, so they are built once."""
        return await self.connection.execute(statement, values or None)

    async def execute_many(self, statement: Any, rows: Sequence[Mapping[str, Any]]) -> None:
        """Runs a statement for each of some rows."""
        if rows:
            await self.connection.execute(statement, [dict(row) for row in rows])

    async def first(self, statement: Any, **values: Any) -> Row | None:
        """Returns the first row."""
        return (await self.connection.execute(statement, values or None)).first()

    async def all(self, statement: Any, **values: Any) -> list[Row]:
        """Returns every row."""
        return list((await self.connection.execute(statement, values or None)).all())

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


class SqlState:
    """Base of the parts: each public method of theirs is one transaction."""

    def __init__(self, database: Database, rules: StateRules) -> None:
        self._database = database
        self._rules = rules

    @asynccontextmanager
    async def _write(self, now: datetime) -> AsyncIterator[Transaction]:
        async with self._database.transaction() as connection:
            transaction = Transaction(connection, self._rules, now)
            yield transaction
        for lane in transaction.queued:
            self._rules.signals.queued(lane)
        if transaction.sent:
            self._rules.signals.outbox.notify()
