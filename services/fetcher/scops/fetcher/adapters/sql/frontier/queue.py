"""The queue of what may be leased, and when each host should be looked at.

A host's `wake_<lane>` is the later of two instants: the first due time of its entries on that
lane, and when the host is free. One that is held is looked at when its lease runs out, whatever
waits: nobody else would notice that its holder died. An index over it makes picking work
independent of how much waits.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import bindparam, case, func, null, select, update

from scops.common.contract.service_table import Lane
from scops.common.db.types import UtcDateTime
from scops.common.db.upsert import insert_for, insert_ignore
from scops.fetcher.adapters.sql.frontier.claims import leave_claim
from scops.fetcher.adapters.sql.tables import host, job, job_page, queue
from scops.fetcher.adapters.sql.transaction import Entry, EntryKind, Row, Transaction
from scops.fetcher.frontier.leases import HostLease, Release

ROWS_PER_STATEMENT = 500
WAKE_COLUMN = {Lane.NOW: host.c.wake_now, Lane.BULK: host.c.wake_bulk}


def enqueue_entries(tx: Transaction, entries: Sequence[Entry]) -> None:
    """Queues entries at the end; one that is queued already only becomes more urgent."""
    tx.entries.extend(entries)


def release_host(tx: Transaction, lease: HostLease, release: Release) -> None:
    """Ends a lease at the end; one that another worker has taken over is left to that worker."""
    tx.released[lease.host_key] = (lease, release)


async def settle_queue(tx: Transaction) -> list[str]:
    """Queues what waits for the end, then ends leases and sets when hosts are looked at.

    Returns:
        The leases that have ended.
    """
    ended: list[str] = []
    entries = sorted(tx.entries, key=lambda entry: entry.entry_id)
    await tx.execute_many(
        _inserting(tx.connection.dialect.name), [_entry_values(entry) for entry in entries]
    )
    hosts = {entry.host_key for entry in entries}
    for host_key in sorted(hosts | tx.released.keys()):
        held = tx.released.get(host_key)
        freed = held is not None and await _release(tx, *held)
        if held is not None and freed:
            ended.append(held[0].lease_id)
        if host_key in hosts and not freed:
            await refresh_host(tx, host_key)
    tx.entries.clear()
    tx.released.clear()
    return ended


def _entry_values(entry: Entry) -> dict[str, Any]:
    return {
        "entry_id": entry.entry_id,
        "kind": entry.kind.value,
        "host_key": entry.host_key,
        "lane": entry.lane.value,
        "due_time": entry.due_time,
    }


@cache
def _inserting(dialect_name: str) -> Any:
    statement = insert_for(dialect_name, queue)
    fresh = statement.excluded
    asked = fresh.lane == Lane.NOW.value
    # A person who asks does not wait out the retry delay of a crawl; another crawl does.
    sooner = asked & (fresh.due_time < queue.c.due_time)
    return statement.on_conflict_do_update(
        index_elements=[queue.c.entry_id],
        set_={
            "lane": case((asked, fresh.lane), else_=queue.c.lane),
            "due_time": case((sooner, fresh.due_time), else_=queue.c.due_time),
        },
    )


def _wake(lane: Lane) -> Any:
    """Returns when a host is to be looked at for a lane, once it is `free`."""
    due = func.min(queue.c.due_time, type_=UtcDateTime)
    free = bindparam("free", type_=UtcDateTime)
    later = case((due.is_(None), null()), (due > free, due), else_=free)
    mine = (queue.c.host_key == bindparam("of_host")) & (queue.c.lane == lane.value)
    return select(later).where(mine).scalar_subquery()


HOST = select(host).where(host.c.host_key == bindparam("of_host")).with_for_update()
REFRESH = (
    update(host)
    .where(host.c.host_key == bindparam("of_host"))
    .values(wake_now=_wake(Lane.NOW), wake_bulk=_wake(Lane.BULK))
    .returning(host.c.wake_now, host.c.wake_bulk)
)
HELD = (
    update(host)
    .where(host.c.host_key == bindparam("of_host"))
    .values(
        wake_now=bindparam("until", type_=UtcDateTime),
        wake_bulk=bindparam("until", type_=UtcDateTime),
    )
)
RELEASE = (
    update(host)
    .where(host.c.host_key == bindparam("of_host"), host.c.lease_id == bindparam("of_lease"))
    .values(
        lease_id=None,
        lease_until=None,
        next_allowed_time=bindparam("free", type_=UtcDateTime),
        backoff=bindparam("faults"),
        response_seconds=bindparam("took"),
        wake_now=_wake(Lane.NOW),
        wake_bulk=_wake(Lane.BULK),
    )
    .returning(host.c.wake_now)
)


async def refresh_host(tx: Transaction, host_key: str) -> None:
    """Recomputes when a host should be looked at; creates the host where it is new."""
    row = await tx.first(HOST, of_host=host_key)
    if row is None:
        await insert_ignore(tx.connection, host, _new_host(host_key, tx.now))
        row = await tx.first(HOST, of_host=host_key)
    assert row is not None
    if row.lease_id is not None:
        # Whoever holds the lease looks again when it ends.
        until = max(row.next_allowed_time, row.lease_until)
        await tx.execute(HELD, of_host=host_key, until=until)
        return
    changed = await tx.first(REFRESH, of_host=host_key, free=row.next_allowed_time)
    assert changed is not None
    for lane, wake in ((Lane.NOW, changed.wake_now), (Lane.BULK, changed.wake_bulk)):
        if wake is not None:
            tx.queued[lane] = None


async def _release(tx: Transaction, lease: HostLease, release: Release) -> bool:
    """Ends a lease; returns whether it was held."""
    # Locked first: what others queued for the host until then must be seen.
    await tx.lock(HOST, of_host=lease.host_key)
    freed = await tx.first(
        RELEASE,
        of_host=lease.host_key,
        of_lease=lease.lease_id,
        free=release.next_allowed_time,
        faults=release.backoff,
        took=release.response_seconds,
    )
    if freed is not None:
        free = release.next_allowed_time
        await leave_claim(tx, lease.host_key, lease.lease_id, free=free)
    # The worker that releases serves the host's crawls on; a person's request is for anybody.
    if freed is not None and freed.wake_now is not None:
        tx.queued[Lane.NOW] = None
    return freed is not None


def _new_host(host_key: str, now: datetime) -> dict[str, Any]:
    return {
        "host_key": host_key,
        "next_allowed_time": now,
        "lease_id": None,
        "lease_until": None,
        "crawl_delay_seconds": 0.0,
        "response_seconds": 0.0,
        "backoff": 0,
        "wake_now": None,
        "wake_bulk": None,
    }


FIRST_ENTRY = (
    select(queue.c.entry_id)
    .where(
        queue.c.host_key == bindparam("of_host"),
        queue.c.lane == bindparam("of_lane"),
        queue.c.due_time <= bindparam("now", type_=UtcDateTime),
    )
    .order_by(queue.c.due_time, queue.c.entry_id)
    .limit(1)
)
WAITING_LANES = (
    select(job.c.lane)
    .join(job_page, job_page.c.job_id == job.c.job_id)
    .where(
        job_page.c.page_id == bindparam("of_page"),
        job_page.c.state == "open",
        job_page.c.fetch_id.is_(None),
    )
    .distinct()
)


async def wake_page(tx: Transaction, page_row: Row, *, due_time: datetime | None = None) -> None:
    """Queues a page whose last fetch has ended, if rows of some job still wait for it."""
    lanes = await tx.all(WAITING_LANES, of_page=page_row.page_id)
    if not lanes:
        return
    now_lane = any(row.lane == Lane.NOW.value for row in lanes)
    entry = Entry(
        entry_id=page_row.page_id,
        kind=EntryKind.PAGE,
        host_key=page_row.host_key,
        lane=Lane.NOW if now_lane else Lane.BULK,
        due_time=due_time or tx.now,
    )
    enqueue_entries(tx, [entry])


OPEN_LANES = (
    select(job_page.c.page_id, job.c.lane)
    .join(job, job.c.job_id == job_page.c.job_id)
    .where(
        job_page.c.page_id.in_(bindparam("of_pages", expanding=True)),
        job_page.c.state == "open",
        job_page.c.fetch_id.is_(None),
    )
    .distinct()
)


async def wake_pages(tx: Transaction, hosts: Mapping[str, str]) -> None:
    """Queues pages whose last fetches have ended, as `wake_page` does each.

    Args:
        hosts: the host of each page.
    """
    rows = await tx.all(OPEN_LANES, of_pages=sorted(hosts)) if hosts else []
    lanes: dict[str, set[str]] = {}
    for row in rows:
        lanes.setdefault(row.page_id, set()).add(row.lane)
    entries = [
        Entry(
            entry_id=page_id,
            kind=EntryKind.PAGE,
            host_key=hosts[page_id],
            lane=Lane.NOW if Lane.NOW.value in found else Lane.BULK,
            due_time=tx.now,
        )
        for page_id, found in sorted(lanes.items())
    ]
    enqueue_entries(tx, entries)


async def forget_unwanted(
    tx: Transaction, page_ids: Sequence[str], task_ids: Sequence[str]
) -> None:
    """Takes out of the queue pages that no row of any job waits for any more, and tasks."""
    entry_ids = sorted({*page_ids, *task_ids})
    for start in range(0, len(entry_ids), ROWS_PER_STATEMENT):
        batch = entry_ids[start : start + ROWS_PER_STATEMENT]
        # Locked first: whoever queues a page now has its row seen, or queues it anew.
        await tx.lock(ENTRIES, of_entries=batch)
        await tx.execute(FORGET, of_entries=batch)


_IN_BATCH = queue.c.entry_id.in_(bindparam("of_entries", expanding=True))
_WANTED = (
    select(job_page.c.page_id)
    .where(
        job_page.c.page_id == queue.c.entry_id,
        job_page.c.state == "open",
        job_page.c.fetch_id.is_(None),
    )
    .exists()
)
ENTRIES = select(queue.c.entry_id).where(_IN_BATCH).order_by(queue.c.entry_id).with_for_update()
FORGET = queue.delete().where(_IN_BATCH, ~_WANTED)
