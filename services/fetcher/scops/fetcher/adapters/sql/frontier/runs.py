"""Several pages of a host inside one transaction: taken for a run, and recorded after it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlalchemy import bindparam, delete, or_, select, update

from scops.common.contract.service_table import Lane
from scops.common.db.types import UtcDateTime
from scops.fetcher.adapters.sql.frontier.page_leases import lease_page
from scops.fetcher.adapters.sql.frontier.queue import FIRST_ENTRY, wake_page
from scops.fetcher.adapters.sql.frontier.recovery import detach_rows
from scops.fetcher.adapters.sql.ledger.together import JOBS_OF_FETCHES, PAGES
from scops.fetcher.adapters.sql.tables import fetch, job, job_page, page, queue
from scops.fetcher.adapters.sql.transaction import EntryKind, Transaction
from scops.fetcher.frontier.leases import PageLease, PageRun
from scops.fetcher.frontier.runs import run_length

LEASED = (
    select(fetch.c.fetch_id)
    .where(fetch.c.fetch_id.in_(bindparam("of_fetches", expanding=True)), fetch.c.state == "leased")
    .order_by(fetch.c.fetch_id)
    .with_for_update()
)
# Pages that are due next. One that may have ended its worker is left for a lease of its own: it
# must not end others with it again. So is one that somebody has in hand: a lease that held some
# of a host's pages while it waited for the next would be in the way of others.
NEXT_PAGES = (
    select(queue.c.entry_id)
    .join(page, page.c.page_id == queue.c.entry_id)
    .where(
        queue.c.host_key == bindparam("of_host"),
        queue.c.lane == bindparam("of_lane"),
        queue.c.due_time <= bindparam("now", type_=UtcDateTime),
        queue.c.kind == EntryKind.PAGE.value,
        page.c.attempts == 0,
    )
    .order_by(queue.c.due_time, queue.c.entry_id)
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
TAKE = delete(queue).where(queue.c.entry_id == bindparam("of_entry")).returning(*queue.c)
# Something waits on lane `now`, or has come to wait for a page that is leased already.
WANTED = select(
    or_(
        FIRST_ENTRY.exists(),
        select(job_page.c.page_id)
        .join(job, job.c.job_id == job_page.c.job_id)
        .where(
            job_page.c.page_id.in_(bindparam("of_pages", expanding=True)),
            job_page.c.state == "open",
            job.c.lane == bindparam("of_lane"),
        )
        .exists(),
    )
)
FORGET = (
    delete(fetch)
    .where(fetch.c.fetch_id == bindparam("of_fetch"), fetch.c.state == "leased")
    .returning(fetch.c.page_id)
)
FREE = (
    update(page)
    .where(
        page.c.page_id == bindparam("of_page"), page.c.awaiting_fetch_id == bindparam("of_fetch")
    )
    .values(awaiting_fetch_id=None)
    .returning(*page.c)
)


async def lengthen(
    tx: Transaction, first: PageLease, *, run_max: int, new_id: Callable[[], str]
) -> PageLease | PageRun:
    """Takes the pages of a host that are due next for the lease of the first, if it may run.

    Args:
        new_id: gives the fetch of each page but the first its id.
    """
    may_run = first.lane is Lane.BULK and not first.attempts
    count = min(run_max, run_length(first.host)) if may_run else 1
    if count < 2:
        return first
    where = {"of_host": first.host.host_key, "of_lane": first.lane.value, "now": tx.now}
    pages = [first]
    for due in await tx.all(NEXT_PAGES, **where, at_most=count - 1):
        entry = await tx.first(TAKE, of_entry=due.entry_id)
        assert entry is not None, "its row is locked"
        leased = await lease_page(tx, entry, replace(first.host, lease_id=new_id()))
        if isinstance(leased, PageLease):
            pages.append(replace(leased, host=first.host))
    return first if len(pages) == 1 else PageRun(host=first.host, pages=tuple(pages))


async def lock_together(tx: Transaction, leases: Sequence[PageLease]) -> None:
    """Locks what becomes of several fetches, in the order in which all transactions do."""
    fetch_ids = [lease.fetch_id for lease in leases]
    await tx.lock(LEASED, of_fetches=fetch_ids)
    await tx.lock(JOBS_OF_FETCHES, of_fetches=fetch_ids)
    await tx.lock(PAGES, of_pages=[lease.page_id for lease in leases])


async def return_page(tx: Transaction, lease: PageLease) -> None:
    """Lets a page that nothing was sent to wait again, where it stood in its queue."""
    if await tx.first(FORGET, of_fetch=lease.fetch_id) is None:
        return
    await detach_rows(tx, lease.fetch_id)
    freed = await tx.first(FREE, of_page=lease.page_id, of_fetch=lease.fetch_id)
    if freed is not None:
        await wake_page(tx, freed, due_time=lease.due_time)
