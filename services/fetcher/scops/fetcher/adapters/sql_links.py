"""Links of a fetch, given inside a transaction to the jobs that wait for them."""

from collections.abc import Sequence

from sqlalchemy import select, update

from scops.fetcher.adapters.sql_jobs import admit_urls
from scops.fetcher.adapters.sql_state import Transaction
from scops.fetcher.adapters.tables import job_page


async def give_links(tx: Transaction, fetch_id: str, urls: Sequence[str]) -> None:
    """Adds a page's links to each job that waits for them, once, under the job's own rules."""
    waiting = (
        (job_page.c.fetch_id == fetch_id)
        & (job_page.c.state == "open")
        & job_page.c.links_taken.is_(False)
    )
    rows = await tx.all(
        select(job_page.c.job_id, job_page.c.depth).where(waiting).order_by(job_page.c.job_id)
    )
    for row in rows:
        await admit_urls(tx, row.job_id, urls, depth=row.depth + 1)
    if rows:
        await tx.execute(update(job_page).where(waiting).values(links_taken=True))
