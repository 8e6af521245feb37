"""Fetches that nobody ended: the worker died between lease and result."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, select, update

from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.crawl import FetchFailed
from scops.common.contract.service_table import Lane
from scops.common.runtime.holder import Holder
from scops.fetcher.adapters.sql.frontier.claims import leave_claim
from scops.fetcher.adapters.sql.frontier.queue import refresh_host, settle_queue, wake_page
from scops.fetcher.adapters.sql.frontier.tasks import end_task, queue_task
from scops.fetcher.adapters.sql.ledger.jobs import CLOSE_OF_FETCH, close_rows
from scops.fetcher.adapters.sql.tables import fetch, host, job_page, page, task
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.outcomes import LEASE_EXPIRED, Ending, Outcome


def pause_of(tx: Transaction, host_row: Row) -> float:
    """Returns the seconds that a host is given between two requests."""
    return tx.rules.delays.pause_seconds(
        host_row.host_key,
        asked_seconds=host_row.crawl_delay_seconds,
        response_seconds=host_row.response_seconds,
    )


async def give_up_lease(tx: Transaction, host_row: Row, *, ended: datetime) -> datetime:
    """Gives up what a lease was for whose holder is dead, so that it waits again.

    Args:
        ended: when the last request under it was over at the latest.

    Returns:
        When the host is free: its pause is counted from then.
    """
    pause = timedelta(seconds=pause_of(tx, host_row))
    free: datetime = max(host_row.next_allowed_time, ended + pause)
    await tx.execute(
        update(host)
        .where(host.c.host_key == host_row.host_key)
        .values(lease_id=None, lease_until=None, next_allowed_time=free)
    )
    await leave_claim(tx, host_row.host_key, host_row.lease_id, free=free)
    await give_up_fetch(tx, host_row.lease_id)
    await _give_up_task(tx, host_row.lease_id)
    return free


def left_by_the_dead(column: Any, me: Holder) -> Any:
    """Says that a process of this data folder has written a column that is not this one."""
    return and_(column.startswith(me.folder), column != me.name)


async def inherit_host(tx: Transaction, host_key: str) -> bool:
    """Gives up the lease that a dead process of this data folder has on a host.

    Its last request ended with it, so that the host is free its pause from now.
    """
    dead = left_by_the_dead(host.c.lease_holder, tx.rules.holder)
    mine = and_(host.c.host_key == host_key, host.c.lease_id.is_not(None), dead)
    row = await tx.first(select(host).where(mine).with_for_update())
    if row is None:
        return False
    await give_up_lease(tx, row, ended=tx.now)
    await settle_queue(tx)
    await refresh_host(tx, host_key)
    return True


async def give_up_fetch(tx: Transaction, fetch_id: str) -> None:
    """Gives up a fetch without a result, so that its page waits again; any other stays."""
    row = await tx.first(
        update(fetch)
        .where(fetch.c.fetch_id == fetch_id, fetch.c.state == "leased")
        .values(state="closed", reason=LEASE_EXPIRED)
        .returning(*fetch.c)
    )
    if row is None:
        return
    page_row = await tx.first(select(page).where(page.c.page_id == row.page_id).with_for_update())
    assert page_row is not None
    # A page that ends its worker each time must not do so for ever.
    attempts = page_row.attempts + 1
    spent = attempts >= tx.rules.settings.attempts_max
    await tx.execute(
        update(page)
        .where(page.c.page_id == row.page_id)
        .values(awaiting_fetch_id=None, attempts=0 if spent else attempts)
    )
    if spent:
        ending = Ending(outcome=Outcome.DEAD, reason=LEASE_EXPIRED)
        await close_rows(tx, CLOSE_OF_FETCH, ending, of_fetch=fetch_id)
    else:
        await detach_rows(tx, fetch_id)
    await wake_page(tx, page_row)
    await _publish(tx, row)


async def detach_rows(tx: Transaction, fetch_id: str) -> None:
    """Lets the open rows of a fetch wait for the next one."""
    await tx.execute(
        update(job_page)
        .where(job_page.c.fetch_id == fetch_id, job_page.c.state == "open")
        .values(fetch_id=None)
    )


async def _publish(tx: Transaction, row: Row) -> None:
    event = FetchFailed(
        page_id=PageId(row.page_id),
        fetch_id=FetchId(row.fetch_id),
        reason=LEASE_EXPIRED.upper(),
        detail="The worker ended before it recorded a result; the page is fetched again.",
        failed_time=tx.now,
    )
    await tx.send(
        event,
        cause=row.fetch_id,
        ordinal=0,
        organisation_id=row.organisation_id,
        lane=Lane(row.lane),
    )


async def _give_up_task(tx: Transaction, lease_id: str) -> None:
    row = await tx.first(select(task).where(task.c.lease_id == lease_id, task.c.state == "leased"))
    if row is None:
        return
    if row.attempts + 1 >= tx.rules.settings.attempts_max:
        await end_task(tx, row.task_id)
    else:
        await queue_task(tx, row.task_id, due_time=tx.now, failed=True)
