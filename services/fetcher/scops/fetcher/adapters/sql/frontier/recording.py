"""A leased fetch inside the transaction that records it: its page, its event, its state."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from scops.common.contract import wire
from scops.common.contract.ids import FetchId
from scops.common.db.types import UtcDateTime
from scops.fetcher.adapters.sql.discovery.signals import SITEMAP_TIME
from scops.fetcher.adapters.sql.ledger.jobs import JOBS_OF_FETCH
from scops.fetcher.adapters.sql.pages.pages import clamped_time
from scops.fetcher.adapters.sql.tables import fetch, page
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.leases import PageLease

FIRST_ATTEMPT = 1

LEASED = (
    select(fetch.c.fetch_id)
    .where(fetch.c.fetch_id == bindparam("of_fetch"), fetch.c.state == "leased")
    .with_for_update()
)
LEASED_PAGE = (
    select(page, SITEMAP_TIME)
    .join(fetch, fetch.c.page_id == page.c.page_id)
    .where(fetch.c.fetch_id == bindparam("of_fetch"), fetch.c.state == "leased")
    .with_for_update(of=page)
)
HOLD_LEASED = (
    update(fetch)
    .where(fetch.c.fetch_id == bindparam("of_fetch"), fetch.c.state == "leased")
    .values(leased_time=bindparam("now", type_=UtcDateTime))
)
SET_PAGE = update(page).where(page.c.page_id == bindparam("of_page"))
SET_FETCH = update(fetch).where(fetch.c.fetch_id == bindparam("of_fetch"))


@dataclass(frozen=True, slots=True)
class LeasedFetch:
    """A leased fetch in the hands of its transaction; the page as it was before."""

    tx: Transaction
    lease: PageLease
    page: Row
    observed_time: datetime


async def open_leased(tx: Transaction, lease: PageLease, *, time: datetime) -> LeasedFetch | None:
    """Returns the fetch if it is still ours to record.

    Args:
        time: when its answer had ended.
    """
    await tx.lock(LEASED, of_fetch=lease.fetch_id)
    await tx.lock(JOBS_OF_FETCH, of_fetch=lease.fetch_id)
    row = await tx.first(LEASED_PAGE, of_fetch=lease.fetch_id)
    if row is None:
        return None
    earliest = clamped_time(row)
    return LeasedFetch(tx, lease, row, max(time, earliest) if earliest else time)


async def hold_fetch(tx: Transaction, fetch_id: FetchId) -> bool:
    """Has a fetch count as leased now; returns whether it is still ours to record."""
    result = await tx.execute(HOLD_LEASED, of_fetch=fetch_id, now=tx.now)
    return bool(result.rowcount)


async def update_page(opened: LeasedFetch, *, observed: bool = True, **values: Any) -> None:
    """Sets columns of the page.

    Args:
        observed: whether the fetch showed something of it.
    """
    if observed:
        values = {
            "last_observed_time": opened.observed_time,
            "attempts": 0,
            "last_reason": "",
            **values,
        }
    values |= {"last_fetch_id": opened.lease.fetch_id, "last_fetch_time": opened.tx.now}
    await opened.tx.execute(SET_PAGE, of_page=opened.lease.page_id, **values)


async def publish(opened: LeasedFetch, event: Any, **values: Any) -> None:
    """Records the observation with its event, so that it can be published again, and sends it."""
    await keep_event(opened, event, state="published", **values)
    await send(opened, event)


async def keep_event(opened: LeasedFetch, event: Any, *, state: str, **values: Any) -> None:
    """Records the observation with its event, so that it can be published."""
    await opened.tx.execute(
        SET_FETCH,
        of_fetch=opened.lease.fetch_id,
        state=state,
        observed_time=opened.observed_time,
        published_time=opened.tx.now,
        attempt=FIRST_ATTEMPT,
        event_type=type(event).__name__,
        event_data=wire.encode(event),
        **values,
    )


async def send(opened: LeasedFetch, event: object) -> None:
    """Puts what came of the fetch into the outbox."""
    lease = opened.lease
    await opened.tx.send(
        event,
        cause=lease.fetch_id,
        ordinal=0,
        organisation_id=lease.organisation_id,
        lane=lease.lane,
    )
