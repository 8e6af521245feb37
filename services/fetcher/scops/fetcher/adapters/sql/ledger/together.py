"""Fetches of different pages that end together, in a few statements."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, bindparam, select, update

from scops.fetcher.adapters.sql.frontier.queue import wake_pages
from scops.fetcher.adapters.sql.ledger.jobs import close_rows, closing
from scops.fetcher.adapters.sql.tables import AWAITED, fetch, job, job_page, page
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.outcomes import CAPTURED, Ending, Outcome

# Fetches that the next look at a page is compared with, and what of them it is.
CONFIRMING_KINDS = frozenset({"fetched", CAPTURED})
CONFIRMED = (
    "etag",
    "last_modified",
    "validated_url",
    "content_key",
    "pipeline_version",
    "links_digest",
    "links_size",
)

_OF_FETCHES: BindParameter[Any] = bindparam("of_fetches", expanding=True)
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
_OF_PAGES = page.c.page_id.in_(bindparam("of_pages", expanding=True))
PAGES = select(page.c.page_id).where(_OF_PAGES).order_by(page.c.page_id).with_for_update()
FREE_PAGES = (
    update(page)
    .where(_OF_PAGES, page.c.awaiting_fetch_id.in_(_OF_FETCHES))
    .values(awaiting_fetch_id=None)
    .returning(page.c.page_id, page.c.host_key)
)
FREE_CONFIRMED_PAGES = (
    update(page)
    .where(
        _OF_PAGES,
        page.c.awaiting_fetch_id == fetch.c.fetch_id,
        fetch.c.fetch_id.in_(_OF_FETCHES),
    )
    .values(
        awaiting_fetch_id=None,
        validator_fetch_id=fetch.c.fetch_id,
        **{name: fetch.c[name] for name in CONFIRMED},
    )
    .returning(page.c.page_id, page.c.host_key)
)
CLOSE_TAKEN = closing(job_page.c.fetch_id.in_(_OF_FETCHES) & job_page.c.links_taken.is_(True))


def is_plainly_indexed(row: Row) -> bool:
    """Whether a fetch of which a version was made ends as such, for the first time."""
    is_open = row.state in AWAITED and not row.outcome
    return is_open and row.kind in CONFIRMING_KINDS and not row.reason


async def settle_together(
    tx: Transaction, rows: Sequence[Row], ending: Ending, *, confirming: bool
) -> None:
    """Gives fetches their outcome, and ends the job rows that wait for nothing else.

    Args:
        rows: of fetches that are locked, awaited and without outcome.
        ending: without a reason.
        confirming: whether the next look at each page is compared with this fetch.
    """
    fetch_ids = [row.fetch_id for row in rows]
    page_ids = sorted({row.page_id for row in rows})
    await tx.lock(JOBS_OF_FETCHES, of_fetches=fetch_ids)
    await tx.execute(
        SET_FETCHES, of_fetches=fetch_ids, state="closed", outcome=ending.outcome.value
    )
    await tx.lock(PAGES, of_pages=page_ids)
    free = FREE_CONFIRMED_PAGES if confirming else FREE_PAGES
    freed = await tx.all(free, of_pages=tuple(page_ids), of_fetches=tuple(fetch_ids))
    await wake_pages(tx, {row.page_id: row.host_key for row in freed})
    await close_rows(tx, CLOSE_TAKEN, ending, of_fetches=fetch_ids)


async def close_taken(tx: Transaction, rows: Sequence[Row]) -> None:
    """Ends the job rows of fetches that have an outcome, where their links were taken."""
    endings: dict[Ending, list[str]] = {}
    for row in rows:
        ending = Ending(outcome=Outcome(row.outcome), reason=row.reason)
        endings.setdefault(ending, []).append(row.fetch_id)
    for ending, fetch_ids in endings.items():
        await close_rows(tx, CLOSE_TAKEN, ending, of_fetches=fetch_ids)
