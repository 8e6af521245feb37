"""Subscriptions at hubs in SQL."""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.crawl import JobState
from scops.common.contract.messages.types import ScopeRef
from scops.common.db.database import Database
from scops.common.db.upsert import insert_ignore
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.adapters.sql.discovery.listing_tables import subscription
from scops.fetcher.adapters.sql.discovery.signals import changed_urls
from scops.fetcher.adapters.sql.ledger.jobs import CRAWL, RECRAWL
from scops.fetcher.adapters.sql.pages.pages import PageOwner
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import job
from scops.fetcher.adapters.sql.transaction import Row, StateRules
from scops.fetcher.discovery.hubs import NamedHub
from scops.fetcher.discovery.listing import Listing
from scops.fetcher.frontier.leases import TaskLease
from scops.fetcher.ports.subscriptions import SUBSCRIPTIONS_MAX, Subscription

# Of random bytes in hexadecimal. WebSub section 5.1: a secret is shorter than 200 bytes.
ID_BYTES, SECRET_BYTES = 16, 32
# Of one look at the entries of a listing.
ENTRIES_AT_ONCE = 500

SCOPE = ("organisation_id", "scope_id")
READER = select(job).where(job.c.job_id == bindparam("of_job"), job.c.kind.in_((CRAWL, RECRAWL)))
OF_LISTING = select(subscription).where(
    subscription.c.organisation_id == bindparam("of_organisation"),
    subscription.c.scope_id == bindparam("of_scope"),
    subscription.c.listing_url == bindparam("of_listing"),
)
HELD = select(func.count().label("held")).where(
    subscription.c.organisation_id == bindparam("of_organisation"),
    subscription.c.scope_id == bindparam("of_scope"),
)
_crawled_without = (
    select(job.c.job_id)
    .where(
        *(job.c[name] == subscription.c[name] for name in SCOPE),
        job.c.kind == CRAWL,
        job.c.state == JobState.COMPLETED.value,
        job.c.accepted_time > subscription.c.named_time,
    )
    .exists()
    .label("crawled_without")
)
WANTED = select(*subscription.c, _crawled_without).where(subscription.c.wanted)


class SqlSubscriptions(SqlState):
    """A `Subscriptions`; see there for the contract.

    Args:
        lists: says whether a scope names a listing itself; None for a scope that is deleted.
    """

    def __init__(
        self,
        database: Database,
        rules: StateRules,
        lists: Callable[[ScopeRef, str], bool | None],
    ) -> None:
        super().__init__(database, rules)
        self._lists = lists

    async def named(self, lease: TaskLease, hub: NamedHub | None, *, now: datetime) -> None:
        async with self._database.transaction() as connection:
            reader = (await connection.execute(READER, {"of_job": lease.job_id})).first()
            if reader is None:
                return
            found = (await connection.execute(OF_LISTING, _key(reader, lease.url))).first()
            if found is not None and _is_of(found, hub):
                values = self._seen(found, lease.url, now)
                if not found.wanted:
                    values |= {"wanted": True, "attempts": 0, "due_time": now}
                await connection.execute(_one(update(subscription), found).values(values))
                return
            if found is not None and hub is None:
                await connection.execute(_one(update(subscription), found).values(_leaving(now)))
                return
            if found is not None:
                await connection.execute(_one(delete(subscription), found))
            if hub is not None and await _has_room(connection, reader):
                await insert_ignore(connection, subscription, self._new(reader, lease, hub, now))

    async def seen(self, lease: TaskLease, *, now: datetime) -> None:
        async with self._database.transaction() as connection:
            reader = (await connection.execute(READER, {"of_job": lease.job_id})).first()
            if reader is None:
                return
            found = (await connection.execute(OF_LISTING, _key(reader, lease.url))).first()
            if found is not None:
                values = self._seen(found, lease.url, now)
                await connection.execute(_one(update(subscription), found).values(values))

    async def leave_dropped(self, *, now: datetime) -> int:
        async with self._database.reading() as connection:
            rows = (await connection.execute(WANTED)).all()
        dropped = [row.subscription_id for row in rows if self._is_dropped(row)]
        for subscription_id in dropped:
            async with self._database.transaction() as connection:
                await connection.execute(
                    update(subscription)
                    .where(subscription.c.subscription_id == subscription_id)
                    .values(_leaving(now))
                )
        return len(dropped)

    async def due(self, *, now: datetime, limit: int) -> Sequence[Subscription]:
        statement = (
            select(subscription)
            .where(subscription.c.due_time <= now)
            .order_by(subscription.c.due_time, subscription.c.subscription_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [_value(row) for row in (await connection.execute(statement)).all()]

    async def begin(self, one: Subscription, *, due_time: datetime, now: datetime) -> bool:
        values = {"asked_time": now, "due_time": due_time, "attempts": one.attempts + 1}
        async with self._database.transaction() as connection:
            begun = await connection.execute(
                update(subscription)
                .where(
                    subscription.c.subscription_id == one.subscription_id,
                    subscription.c.wanted == one.wanted,
                    subscription.c.due_time <= now,
                )
                .values(values)
                .returning(subscription.c.subscription_id)
            )
            return begun.first() is not None

    async def find(self, subscription_id: str) -> Subscription | None:
        statement = select(subscription).where(subscription.c.subscription_id == subscription_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(statement)).first()
        return None if row is None else _value(row)

    async def confirm(
        self, one: Subscription, *, lease_until: datetime, due_time: datetime
    ) -> None:
        await self._update(one, {"lease_until": lease_until, "due_time": due_time, "attempts": 0})

    async def deny(self, one: Subscription, *, due_time: datetime) -> None:
        await self._update(one, {"lease_until": None, "due_time": due_time})

    async def drop(self, one: Subscription) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(
                delete(subscription).where(
                    subscription.c.subscription_id == one.subscription_id,
                    subscription.c.wanted.is_(False),
                )
            )

    async def changed(
        self, one: Subscription, listing: Listing, *, limit: int, now: datetime
    ) -> tuple[str, ...]:
        owner = PageOwner(one.organisation_id, PUBLIC)
        found: dict[str, None] = {}
        async with self._write(now) as tx:
            for entries in listing.batches(ENTRIES_AT_ONCE):
                found.update(dict.fromkeys(await changed_urls(tx, owner, entries)))
                if len(found) >= limit:
                    break
        return tuple(found)[:limit]

    async def _update(self, one: Subscription, values: dict[str, Any]) -> None:
        """Changes a subscription that is still wanted as it was."""
        async with self._database.transaction() as connection:
            await connection.execute(
                update(subscription)
                .where(
                    subscription.c.subscription_id == one.subscription_id,
                    subscription.c.wanted == one.wanted,
                )
                .values(values)
            )

    def _seen(self, row: Row, listing_url: str, now: datetime) -> dict[str, Any]:
        listed = bool(self._lists(ScopeRef(scope_id=ScopeId(row.scope_id)), listing_url))
        return {"named_time": now, "listed": listed}

    def _is_dropped(self, row: Row) -> bool:
        lists = self._lists(ScopeRef(scope_id=ScopeId(row.scope_id)), row.listing_url)
        return lists is None or (row.listed and not lists) or row.crawled_without

    def _new(self, reader: Row, lease: TaskLease, hub: NamedHub, now: datetime) -> dict[str, Any]:
        return {
            "subscription_id": secrets.token_hex(ID_BYTES),
            "organisation_id": reader.organisation_id,
            "scope_id": reader.scope_id,
            "listing_url": lease.url,
            "hub_url": hub.hub_url,
            "topic_url": hub.topic_url,
            "secret": secrets.token_hex(SECRET_BYTES),
            "wanted": True,
            "attempts": 0,
            "due_time": now,
            "asked_time": None,
            "lease_until": None,
            **self._seen(reader, lease.url, now),
        }


def _key(reader: Row, listing_url: str) -> dict[str, str]:
    return {
        "of_organisation": reader.organisation_id,
        "of_scope": reader.scope_id,
        "of_listing": listing_url,
    }


def _is_of(row: Row, hub: NamedHub | None) -> bool:
    return hub is not None and (hub.hub_url, hub.topic_url) == (row.hub_url, row.topic_url)


def _leaving(now: datetime) -> dict[str, Any]:
    return {"wanted": False, "attempts": 0, "due_time": now}


def _one(statement: Any, row: Row) -> Any:
    return statement.where(subscription.c.subscription_id == row.subscription_id)


async def _has_room(connection: Any, reader: Row) -> bool:
    values = {"of_organisation": reader.organisation_id, "of_scope": reader.scope_id}
    held: int = (await connection.execute(HELD, values)).scalar_one()
    return held < SUBSCRIPTIONS_MAX


def _value(row: Row) -> Subscription:
    return Subscription(
        subscription_id=row.subscription_id,
        organisation_id=row.organisation_id,
        scope_id=ScopeId(row.scope_id),
        listing_url=row.listing_url,
        hub_url=row.hub_url,
        topic_url=row.topic_url,
        secret=row.secret,
        wanted=row.wanted,
        attempts=row.attempts,
        asked_time=row.asked_time,
        lease_until=row.lease_until,
    )
