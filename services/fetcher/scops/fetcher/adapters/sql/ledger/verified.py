"""Verified fetches in SQL: they leave as one event, and settle in a few statements."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, bindparam, select, update

from scops.common.contract import wire
from scops.common.contract.messages.crawl import PageUnmodified
from scops.common.contract.service_table import Lane
from scops.fetcher.adapters.sql.frontier.queue import wake_pages
from scops.fetcher.adapters.sql.ledger.jobs import close_rows, closing
from scops.fetcher.adapters.sql.ledger.ledger import publish_again
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import AWAITED, VERIFIED, fetch, job, job_page, page
from scops.fetcher.adapters.sql.transaction import Transaction
from scops.fetcher.fetch.sameness import verified
from scops.fetcher.frontier.outcomes import Ending, Outcome

FIRST_ATTEMPT = 1
UNCHANGED = Ending(outcome=Outcome.UNCHANGED)

_OF_FETCHES: BindParameter[Any] = bindparam("of_fetches", expanding=True)
WAITING = (
    select(fetch)
    .where(fetch.c.state == VERIFIED)
    .order_by(fetch.c.published_time, fetch.c.fetch_id)
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
FETCHES = (
    select(fetch)
    .where(fetch.c.fetch_id.in_(_OF_FETCHES))
    .order_by(fetch.c.fetch_id)
    .with_for_update()
)
SET_FETCHES = update(fetch).where(fetch.c.fetch_id.in_(_OF_FETCHES))
JOBS_OF_FETCHES = (
    select(job.c.job_id)
    .where(
        job.c.job_id.in_(
            select(job_page.c.job_id).where(
                job_page.c.fetch_id.in_(_OF_FETCHES), job_page.c.state == "open"
            )
        )
    )
    .order_by(job.c.job_id)
    .with_for_update()
)
PAGES = (
    select(page.c.page_id)
    .where(page.c.page_id.in_(bindparam("of_pages", expanding=True)))
    .order_by(page.c.page_id)
    .with_for_update()
)
FREE_PAGES = (
    update(page)
    .where(
        page.c.page_id.in_(bindparam("of_pages", expanding=True)),
        page.c.awaiting_fetch_id.in_(_OF_FETCHES),
    )
    .values(awaiting_fetch_id=None)
    .returning(page.c.page_id, page.c.host_key)
)
CLOSE_TAKEN = closing(job_page.c.fetch_id.in_(_OF_FETCHES) & job_page.c.links_taken.is_(True))


class SqlVerifiedFetches(SqlState):
    """A `VerifiedFetches`; see there for the contract."""

    async def publish(self, *, limit: int, now: datetime) -> int:
        async with self._write(now) as tx:
            rows = await tx.all(WAITING, at_most=limit)
            if rows:
                ids = [row.fetch_id for row in rows]
                await tx.execute(SET_FETCHES, of_fetches=ids, state="published", published_time=now)
                seen = [wire.decode(PageUnmodified, row.event_data) for row in rows]
                await tx.send(
                    verified(seen),
                    cause=f"verified/{ids[0]}",
                    ordinal=0,
                    organisation_id=rows[0].organisation_id,
                    lane=Lane.BULK,
                )
        return len(rows)

    async def settle(self, fetch_ids: Sequence[str], *, now: datetime) -> None:
        named = sorted(set(fetch_ids))
        async with self._write(now) as tx:
            rows = await tx.all(FETCHES, of_fetches=named)
            awaited = [row for row in rows if row.state in AWAITED and not row.outcome]
            if awaited:
                await _settle(
                    tx,
                    [row.fetch_id for row in awaited],
                    sorted({row.page_id for row in awaited}),
                )

    async def publish_alone(self, fetch_ids: Sequence[str], *, now: datetime) -> None:
        named = sorted(set(fetch_ids))
        async with self._write(now) as tx:
            for row in await tx.all(FETCHES, of_fetches=named):
                is_open = row.state == "published" and not row.outcome
                if is_open and row.attempt == FIRST_ATTEMPT:
                    await publish_again(tx, row)


async def _settle(tx: Transaction, fetch_ids: list[str], page_ids: list[str]) -> None:
    await tx.lock(JOBS_OF_FETCHES, of_fetches=fetch_ids)
    await tx.execute(
        SET_FETCHES, of_fetches=fetch_ids, state="closed", outcome=UNCHANGED.outcome.value
    )
    await tx.lock(PAGES, of_pages=page_ids)
    freed = await tx.all(FREE_PAGES, of_pages=tuple(page_ids), of_fetches=tuple(fetch_ids))
    await wake_pages(tx, {row.page_id: row.host_key for row in freed})
    await close_rows(tx, CLOSE_TAKEN, UNCHANGED, of_fetches=fetch_ids)
