"""Links of a fetch, given inside a transaction to the jobs that wait for them."""

from collections.abc import Sequence

from sqlalchemy import bindparam, update

from scops.fetcher.adapters.sql.frontier.tasks import add_tasks
from scops.fetcher.adapters.sql.ledger.jobs import admit_urls
from scops.fetcher.adapters.sql.tables import job_page
from scops.fetcher.adapters.sql.transaction import Transaction
from scops.fetcher.frontier.leases import TaskKind

WAITING = (
    (job_page.c.fetch_id == bindparam("of_fetch"))
    & (job_page.c.state == "open")
    & job_page.c.links_taken.is_(False)
)
TAKEN = (
    update(job_page)
    .where(WAITING)
    .values(links_taken=True)
    .returning(job_page.c.job_id, job_page.c.depth)
)


async def give_links(
    tx: Transaction, fetch_id: str, urls: Sequence[str], feed_urls: Sequence[str]
) -> None:
    """Adds a page's links to each job that waits for them, once, under the job's own rules.

    The feeds of a seed are read like sitemaps; other pages often name one each, of their comments.
    """
    taken = await tx.all(TAKEN, of_fetch=fetch_id)
    for row in sorted(taken, key=lambda row: row.job_id):
        await admit_urls(tx, row.job_id, urls, depth=row.depth + 1, linked=True)
        if row.depth == 0:
            await add_tasks(tx, row.job_id, feed_urls, kind=TaskKind.SITEMAP, depth=0)
