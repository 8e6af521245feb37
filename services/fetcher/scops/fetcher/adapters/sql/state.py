"""What every part of the SQL state shares: how its transactions begin and end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

from scops.common.db.database import Database
from scops.common.db.locks import locks_rows
from scops.fetcher.adapters.sql.frontier.queue import settle_queue
from scops.fetcher.adapters.sql.transaction import StateRules, Transaction


class SqlState:
    """Base of the parts: each public method of theirs is one transaction."""

    def __init__(self, database: Database, rules: StateRules) -> None:
        self._database = database
        self._rules = rules

    @asynccontextmanager
    async def _write(self, now: datetime, *, gives_way: bool = False) -> AsyncIterator[Transaction]:
        async with self._database.transaction(gives_way=gives_way) as connection:
            transaction = Transaction(connection, self._rules, now)
            yield transaction
            released = await settle_queue(transaction)
            is_server = locks_rows(connection)
            if not is_server:
                # A file's transactions that come now are committed with this one.
                self._rules.signals.end(released)
        if is_server:
            self._rules.signals.end(released)
        for lane in transaction.queued:
            self._rules.signals.queued(lane)
        if transaction.sent:
            self._rules.signals.outbox.notify()
