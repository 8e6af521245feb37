"""The frontier in SQL: leases on hosts, robots.txt, and the sitemaps of crawls."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update

from scops.common.contract.errors import StoreBusy
from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.service_table import Lane
from scops.common.db.database import Database
from scops.common.db.locks import lock_rows, locks_rows
from scops.common.db.types import UtcDateTime
from scops.common.db.upsert import upsert
from scops.fetcher.adapters.sql.discovery.signals import changed_urls, keep_signals
from scops.fetcher.adapters.sql.frontier.ahead import bring_back
from scops.fetcher.adapters.sql.frontier.claims import leave_claim, take_claim
from scops.fetcher.adapters.sql.frontier.crowding import crowded_hosts
from scops.fetcher.adapters.sql.frontier.page_leases import lease_page
from scops.fetcher.adapters.sql.frontier.queue import (
    FIRST_ENTRY,
    HOST,
    WAKE_COLUMN,
    refresh_host,
    release_host,
    settle_queue,
)
from scops.fetcher.adapters.sql.frontier.recording import hold_fetch
from scops.fetcher.adapters.sql.frontier.recovery import (
    give_up_fetch,
    give_up_lease,
    inherit_host,
    left_by_the_dead,
    pause_of,
)
from scops.fetcher.adapters.sql.frontier.robots import FRESH_ROBOTS, policy_of
from scops.fetcher.adapters.sql.frontier.runs import WANTED, lengthen
from scops.fetcher.adapters.sql.frontier.tasks import (
    add_tasks,
    end_task,
    is_leased,
    lease_task,
    queue_task,
)
from scops.fetcher.adapters.sql.ledger.admitting import admit_urls
from scops.fetcher.adapters.sql.ledger.jobs import JOB, RECRAWL, SIGNALLED
from scops.fetcher.adapters.sql.recrawl.planner import Planner
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import (
    fetch,
    host,
    queue,
    robots,
)
from scops.fetcher.adapters.sql.transaction import EntryKind, Row, StateRules, Transaction
from scops.fetcher.discovery.sitemap import SignalKind, SitemapEntry
from scops.fetcher.frontier.leases import (
    HostLease,
    Idle,
    Leased,
    LeaseLost,
    PageLease,
    PageRun,
    Release,
    Settled,
    TaskKind,
    TaskLease,
)
from scops.fetcher.politeness.robots import RobotsPolicy

# Hosts looked at in one transaction before the worker asks again.
HOSTS_PER_LEASE_MAX = 20
# Pages leased in one transaction, beyond which a host comes with one of its pages.
PAGES_PER_LEASE_MAX = 64
# Until a look at what another transaction had in hand.
BUSY_PAUSE = timedelta(milliseconds=20)
# Between two looks at a host that another organisation has in hand; its delay, if that is longer.
CLAIM_LOOK_SECONDS = 1.0

NOW = bindparam("now", type_=UtcDateTime)
READY_HOST = {
    lane: select(host)
    .where(wake <= NOW)
    .order_by(wake, host.c.host_key)
    .limit(1)
    .with_for_update(skip_locked=True)
    for lane, wake in WAKE_COLUMN.items()
}
FIRST_WAKE = {
    lane: select(func.min(wake, type_=UtcDateTime).label("wake"))
    for lane, wake in WAKE_COLUMN.items()
}
TAKE_ENTRY = (
    delete(queue).where(queue.c.entry_id == FIRST_ENTRY.scalar_subquery()).returning(*queue.c)
)
NOT_CROWDED = host.c.host_key.not_in(bindparam("of_crowded", expanding=True))
HOLD = update(host).where(host.c.host_key == bindparam("of_host"))
DEFER = HOLD.where(host.c.lease_id.is_(None))
HOLD_MINE = HOLD.where(host.c.lease_id == bindparam("of_lease"))


class SqlFrontier(SqlState):
    """A `Frontier`; see there for the contract."""

    def __init__(self, database: Database, rules: StateRules, planner: Planner) -> None:
        super().__init__(database, rules)
        self._planner = planner

    async def lease_some(
        self,
        *,
        lanes: Sequence[Lane],
        lease_ids: Sequence[str],
        now: datetime,
        crowded: Sequence[str] = (),
        run_max: int = 1,
        new_id: Callable[[], str] | None = None,
    ) -> Sequence[Leased]:
        leased: list[Leased] = []
        try:
            async with self._write(now, gives_way=True) as tx:
                # A lease begins with its host: holding one, who waits for the next may be in the
                # way of others. Where they write at once, each lease is a transaction.
                at_once = 1 if locks_rows(tx.connection) else len(lease_ids)
                room = PAGES_PER_LEASE_MAX
                for lease_id in lease_ids[:at_once]:
                    found = await self._lease_next(tx, lanes, lease_id, crowded)
                    if isinstance(found, PageLease) and new_id is not None:
                        longest = min(run_max, room)
                        found = await lengthen(tx, found, run_max=longest, new_id=new_id)
                    room -= len(found.pages) if isinstance(found, PageRun) else 1
                    leased.append(found)
                    if isinstance(found, Settled | Idle):
                        break
        except StoreBusy:
            # Somebody has the page or its jobs in hand; the worker looks again soon.
            return (Idle(now + BUSY_PAUSE),)
        return leased

    async def is_wanted(self, host_key: str, *, page_ids: Sequence[PageId], now: datetime) -> bool:
        named = {"of_host": host_key, "of_lane": Lane.NOW.value, "of_pages": list(page_ids)}
        async with self._database.reading() as connection:
            found = await connection.execute(WANTED, {**named, "now": now})
            return bool(found.scalar_one())

    async def crowded(self, *, pages_max: int) -> Sequence[str] | None:
        return await crowded_hosts(self._database, pages_max=pages_max)

    async def _lease_next(
        self, tx: Transaction, lanes: Sequence[Lane], lease_id: str, crowded: Sequence[str]
    ) -> Leased:
        for _ in range(HOSTS_PER_LEASE_MAX):
            found = await _ready_host(tx, lanes, crowded)
            if found is None:
                return Idle(await _next_wake(tx, lanes, crowded))
            leased = await self._lease_on(tx, found[0], found[1], lease_id)
            if leased is not None:
                return leased
        return Settled()

    async def _lease_on(
        self, tx: Transaction, host_row: Row, lane: Lane, lease_id: str
    ) -> Leased | None:
        """Leases the first entry of a host; None where there was nothing, after all."""
        if host_row.lease_id is not None:
            free = await give_up_lease(tx, host_row, ended=host_row.lease_until)
            await settle_queue(tx)
            if free > tx.now:
                await refresh_host(tx, host_row.host_key)
                return None
        held = self._host_lease(tx, host_row, lease_id)
        if not await _claim(tx, held):
            return None
        entry = await tx.first(
            TAKE_ENTRY, of_host=host_row.host_key, of_lane=lane.value, now=tx.now
        )
        if entry is None:
            await _leave_at_once(tx, held)
            return None
        if entry.kind == EntryKind.TASK:
            leased: Leased | None = await lease_task(tx, entry, held)
        else:
            leased = await lease_page(tx, entry, held)
        if isinstance(leased, PageLease | TaskLease):
            await _hold_host(tx, held)
        else:
            await _leave_at_once(tx, held)
        return leased

    def _host_lease(self, tx: Transaction, row: Row, lease_id: str) -> HostLease:
        margin = timedelta(seconds=self._rules.settings.lease_margin_seconds)
        return HostLease(
            lease_id=lease_id,
            host_key=row.host_key,
            delay_seconds=pause_of(tx, row),
            response_seconds=row.response_seconds,
            free_before=row.next_allowed_time,
            backoff=row.backoff,
            send_before=tx.now + margin,
        )

    async def extend(
        self, host_lease: HostLease, *, fetch_id: FetchId | None = None, now: datetime
    ) -> None:
        async with self._write(now) as tx:
            held = (
                (fetch_id is None or await hold_fetch(tx, fetch_id))
                and await _hold_host(tx, host_lease, only_mine=True)
                and await _claim(tx, host_lease)
            )
        if not held:
            raise LeaseLost(
                f"The lease on {host_lease.host_key} ran out, and its page or the host was taken "
                "over; the page is fetched again by whoever leases it next."
            )

    async def borrow(self, host_key: str, *, lease_id: str, now: datetime) -> HostLease | None:
        async with self._write(now) as tx:
            await refresh_host(tx, host_key)
            row = await tx.first(HOST, of_host=host_key)
            if row is None or row.lease_id is not None or row.next_allowed_time > now:
                return None
            held = self._host_lease(tx, row, lease_id)
            if not await _claim(tx, held):
                return None
            await _hold_host(tx, held)
            return held

    async def give_back(self, host: HostLease, *, release: Release, now: datetime) -> None:
        async with self._write(now) as tx:
            release_host(tx, host, release)

    async def inherit(self, *, now: datetime) -> int:
        me = self._rules.holder
        if not me.folder:
            return 0
        left = left_by_the_dead(host.c.lease_holder, me)
        held = select(host.c.host_key).where(host.c.lease_id.is_not(None), left)
        # They hold no host any more, and were not recorded.
        begun = select(fetch.c.fetch_id).where(
            fetch.c.state == "leased", left_by_the_dead(fetch.c.holder, me)
        )
        count = 0
        for row in await self._read(held):
            async with self._write(now, gives_way=True) as tx:
                count += await inherit_host(tx, row.host_key)
        for row in await self._read(begun):
            async with self._write(now, gives_way=True) as tx:
                await give_up_fetch(tx, row.fetch_id)
        return count

    async def _read(self, statement: Any) -> Sequence[Row]:
        async with self._database.reading() as connection:
            return (await connection.execute(statement)).all()

    async def bring_back(self, *, now: datetime) -> int:
        async with self._write(now) as tx:
            return await bring_back(tx)

    async def robots(self, robots_url: str, *, now: datetime) -> RobotsPolicy | None:
        async with self._database.reading() as connection:
            found = await connection.execute(FRESH_ROBOTS, {"of_url": robots_url, "now": now})
            return policy_of(found.first())

    async def keep_robots(
        self,
        robots_url: str,
        policy: RobotsPolicy,
        *,
        host_key: str,
        crawl_delay_seconds: float,
        expires_time: datetime,
    ) -> None:
        row = {
            "robots_url": robots_url,
            "host_key": host_key,
            "kind": policy.kind.value,
            "text": policy.text,
            "crawl_delay_seconds": crawl_delay_seconds,
            "expires_time": expires_time,
        }
        longest = select(func.max(robots.c.crawl_delay_seconds)).where(
            robots.c.host_key == host_key
        )
        async with self._database.transaction() as connection:
            await upsert(connection, robots, row, key=["robots_url"])
            # Locked first: files of the host that others keep meanwhile must be counted.
            await lock_rows(connection, HOST, {"of_host": host_key})
            await connection.execute(
                update(host)
                .where(host.c.host_key == host_key)
                .values(crawl_delay_seconds=longest.scalar_subquery())
            )

    async def add_from_sitemap(
        self, lease: TaskLease, entries: Sequence[SitemapEntry], *, kind: SignalKind, now: datetime
    ) -> None:
        async with self._write(now) as tx:
            await tx.lock(JOB, of_job=lease.job_id)
            if await is_leased(tx, lease):
                row = await tx.first(JOB, of_job=lease.job_id)
                assert row is not None
                urls = tuple(dict.fromkeys(entry.url for entry in entries))
                if row.kind == SIGNALLED:
                    urls = await changed_urls(tx, row, entries)
                # Of what a recrawl reads, only unknown pages are its own.
                await admit_urls(tx, lease.job_id, urls, depth=int(row.kind == RECRAWL))
                news = await keep_signals(tx, row, entries, kind)
                await self._planner.signal(tx, news, kind.value)

    async def finish_task(
        self, lease: TaskLease, sitemap_urls: Sequence[str], *, release: Release, now: datetime
    ) -> None:
        async with self._write(now) as tx:
            await tx.lock(JOB, of_job=lease.job_id)
            if await is_leased(tx, lease):
                depth = lease.depth + (lease.kind is TaskKind.SITEMAP)
                await add_tasks(tx, lease.job_id, sitemap_urls, kind=TaskKind.SITEMAP, depth=depth)
                await end_task(tx, lease.task_id)
            release_host(tx, lease.host, release)

    async def retry_task(
        self, lease: TaskLease, *, due_time: datetime, release: Release, now: datetime
    ) -> None:
        async with self._write(now) as tx:
            await tx.lock(JOB, of_job=lease.job_id)
            if await is_leased(tx, lease):
                await queue_task(tx, lease.task_id, due_time=due_time, failed=True)
            release_host(tx, lease.host, release)


async def _ready_host(
    tx: Transaction, lanes: Sequence[Lane], crowded: Sequence[str]
) -> tuple[Row, Lane] | None:
    for lane in lanes:
        statement, named = _apart_from(READY_HOST[lane], lane, crowded)
        row = await tx.first(statement, now=tx.now, **named)
        if row is not None:
            return row, lane
    return None


async def _next_wake(
    tx: Transaction, lanes: Sequence[Lane], crowded: Sequence[str]
) -> datetime | None:
    wakes = []
    for lane in lanes:
        statement, named = _apart_from(FIRST_WAKE[lane], lane, crowded)
        row = await tx.first(statement, **named)
        if row is not None and row.wake is not None:
            wakes.append(row.wake)
    return min(wakes, default=None)


def _apart_from(statement: Any, lane: Lane, crowded: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """Returns a statement on hosts without those that are crowded, which only crawls leave out."""
    if lane is not Lane.BULK or not crowded:
        return statement, {}
    return statement.where(NOT_CROWDED), {"of_crowded": list(crowded)}


async def _claim(tx: Transaction, held: HostLease) -> bool:
    """Claims a lease's host among all organisations, or has it looked at when it is free."""
    free = await take_claim(tx, held.host_key, held.lease_id, delay_seconds=held.delay_seconds)
    if free is None:
        return True
    # Who has it in hand says no more than when its lease ends, and mostly leaves it long before.
    again = tx.now + timedelta(seconds=max(held.delay_seconds, CLAIM_LOOK_SECONDS))
    await tx.execute(DEFER, of_host=held.host_key, next_allowed_time=min(free, again))
    await refresh_host(tx, held.host_key)
    return False


async def _leave_at_once(tx: Transaction, held: HostLease) -> None:
    """Leaves a host that nothing was sent to."""
    await leave_claim(tx, held.host_key, held.lease_id, free=tx.now)
    await refresh_host(tx, held.host_key)


async def _hold_host(tx: Transaction, held: HostLease, *, only_mine: bool = False) -> bool:
    """Writes a lease into its host's row; returns whether it is held."""
    until = tx.now + timedelta(seconds=tx.rules.settings.lease_seconds)
    # Should nobody release it, the host is looked at again when the lease has run out.
    mine = {"of_lease": held.lease_id} if only_mine else {}
    result = await tx.execute(
        HOLD_MINE if only_mine else HOLD,
        **mine,
        of_host=held.host_key,
        lease_id=held.lease_id,
        lease_until=until,
        lease_holder=tx.rules.holder.name,
        next_allowed_time=tx.now + timedelta(seconds=held.delay_seconds),
        wake_now=until,
        wake_bulk=until,
    )
    return bool(result.rowcount)
