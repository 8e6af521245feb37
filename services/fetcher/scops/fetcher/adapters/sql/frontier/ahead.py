"""Instants that lie further ahead than anything is put off: a clock that was ahead wrote them.

Such a clock may have been the machine's or the database server's; once it is right again, hosts
would sleep, and lost messages would not be looked for, for as long as it was wrong.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from sqlalchemy import and_, bindparam, or_, select, text, update

from scops.common.db.types import UtcDateTime
from scops.fetcher.adapters.sql.frontier.queue import HOST, refresh_host
from scops.fetcher.adapters.sql.frontier.recovery import pause_of
from scops.fetcher.adapters.sql.tables import HANGING, fetch, host, job_page, page, queue, task
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.politeness.delays import SLOW_DELAY_SECONDS_MAX
from scops.fetcher.politeness.politeness import BACKOFF_SECONDS_MAX
from scops.fetcher.ports.page_source import RETRY_AFTER_SECONDS_MAX

HOSTS_AT_ONCE = 200
# Clocks of replicas differ by less.
AHEAD = timedelta(minutes=1)

_FAR = bindparam("far", type_=UtcDateTime)
_LONGEST = bindparam("longest", type_=UtcDateTime)
_LEASED = bindparam("leased", type_=UtcDateTime)
_NEAR = bindparam("near", type_=UtcDateTime)
# What never failed was due when it was queued; what failed waits as long as a host may ask for.
_never_failed = or_(
    select(page.c.page_id).where(page.c.page_id == queue.c.entry_id, page.c.attempts == 0).exists(),
    select(task.c.task_id).where(task.c.task_id == queue.c.entry_id, task.c.attempts == 0).exists(),
)
_LATE = or_(queue.c.due_time > _LONGEST, and_(queue.c.due_time > _NEAR, _never_failed))
_late_entry = select(queue.c.entry_id).where(queue.c.host_key == host.c.host_key, _LATE)
# By the indexes over when hosts are looked at: as a rule none is that far ahead.
SUSPECTS = (
    select(host.c.host_key)
    .where(
        or_(host.c.wake_now > _FAR, host.c.wake_bulk > _FAR),
        or_(
            and_(host.c.lease_id.is_not(None), host.c.lease_until > _LEASED),
            and_(host.c.backoff == 0, host.c.next_allowed_time > _FAR),
            host.c.next_allowed_time > _LONGEST,
            _late_entry.exists(),
        ),
    )
    .order_by(host.c.host_key)
    .limit(HOSTS_AT_ONCE)
)
ENTRIES_DUE = update(queue).where(queue.c.host_key == bindparam("of_host"), _LATE)
_later = bindparam("later", type_=UtcDateTime)
_linkless = and_(
    fetch.c.outcome != "", fetch.c.fetch_id.in_(select(job_page.c.fetch_id).where(text(HANGING)))
)
PUBLISHED = update(fetch).where(fetch.c.state == "published", fetch.c.published_time > _later)
LINKLESS = update(fetch).where(_linkless, fetch.c.published_time > _later)
LEASED = update(fetch).where(fetch.c.state == "leased", fetch.c.leased_time > _later)


async def bring_back(tx: Transaction) -> int:
    """Brings what is too far ahead back to now; returns how many hosts that was.

    Whatever was requested before must be over: a lease that is too far ahead ends here.
    """
    now = tx.now
    for statement, column in (
        (LEASED, "leased_time"),
        (PUBLISHED, "published_time"),
        (LINKLESS, "published_time"),
    ):
        await tx.execute(statement, later=now + AHEAD, **{column: now})
    bounds = _Bounds.of(tx)
    found = await tx.all(
        SUSPECTS,
        far=now + bounds.usual,
        longest=now + bounds.longest,
        near=now + AHEAD,
        leased=now + bounds.leased,
    )
    for suspect in found:
        row = await tx.first(HOST, of_host=suspect.host_key)
        if row is not None:
            await _bring_host_back(tx, row, bounds)
    return len(found)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The longest that a host pauses, that one which strains or asks for it does, and a lease."""

    usual: timedelta
    longest: timedelta
    leased: timedelta

    @classmethod
    def of(cls, tx: Transaction) -> Self:
        stated, settings = tx.rules.delays.longest_seconds, tx.rules.settings
        strained = max(stated, RETRY_AFTER_SECONDS_MAX, BACKOFF_SECONDS_MAX)
        return cls(
            usual=timedelta(seconds=max(stated, SLOW_DELAY_SECONDS_MAX)) + AHEAD,
            longest=timedelta(seconds=strained) + AHEAD,
            leased=timedelta(seconds=settings.lease_seconds),
        )


async def _bring_host_back(tx: Transaction, row: Row, bounds: _Bounds) -> None:
    now, values = tx.now, {}
    if row.backoff and row.next_allowed_time > now + bounds.longest:
        values["next_allowed_time"] = now + bounds.longest
    elif not row.backoff and row.next_allowed_time > now + bounds.usual:
        values["next_allowed_time"] = now + timedelta(seconds=pause_of(tx, row))
    if row.lease_id is not None and row.lease_until > now + bounds.leased:
        values["lease_until"] = now
    if values:
        await tx.execute(update(host).where(host.c.host_key == row.host_key).values(**values))
    await tx.execute(
        ENTRIES_DUE,
        of_host=row.host_key,
        longest=now + bounds.longest,
        near=now + AHEAD,
        due_time=now,
    )
    await refresh_host(tx, row.host_key)
