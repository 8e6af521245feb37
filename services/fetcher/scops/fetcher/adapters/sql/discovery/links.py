"""Links of a fetch, given inside a transaction to the jobs that wait for them."""

from collections.abc import Sequence

from sqlalchemy import bindparam, update

from scops.fetcher.adapters.sql.discovery.given_links import is_given, waiting_rows
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
WAITING_ROWS = waiting_rows(WAITING)
TAKEN = (
    update(job_page)
    .where(WAITING)
    .values(
        links_taken=True, given_links=bindparam("of_links"), names_feeds=bindparam("with_feeds")
    )
    .returning(job_page.c.job_id, job_page.c.depth)
)
NOT_GIVEN = (
    update(job_page)
    .where(job_page.c.fetch_id == bindparam("of_fetch"), job_page.c.job_id == bindparam("of_job"))
    .values(given_links="")
)


async def give_links(
    tx: Transaction,
    fetch_id: str,
    urls: Sequence[str],
    feed_urls: Sequence[str],
    *,
    digest: str,
) -> None:
    """Adds a page's links to each job that waits for them, once, under the job's own rules.

    The feeds of a seed are read like sitemaps; other pages often name one each, of their comments.

    Args:
        digest: of the list that the links are all of; empty where they are not.
    """
    named = {"of_links": digest, "with_feeds": bool(feed_urls)}
    taken = await tx.all(TAKEN, of_fetch=fetch_id, **named)
    for row in sorted(taken, key=lambda row: row.job_id):
        admitted = await admit_urls(tx, row.job_id, urls, depth=row.depth + 1, linked=True)
        if digest and not admitted.whole:
            await tx.execute(NOT_GIVEN, of_fetch=fetch_id, of_job=row.job_id)
        if row.depth == 0:
            await add_tasks(tx, row.job_id, feed_urls, kind=TaskKind.SITEMAP, depth=0)


async def were_given(tx: Transaction, fetch_id: str, *, digest: str) -> bool:
    """Ends the wait of jobs that a list of links leads nowhere new, if that is all who wait.

    Returns:
        Whether nobody waits for links any more; if not, nothing has changed.
    """
    rows = await tx.all(WAITING_ROWS, of_fetch=fetch_id)
    if not all(is_given(tx, row, digest) for row in rows):
        return False
    with_feeds = any(row.names_feeds for row in rows)
    await tx.all(TAKEN, of_fetch=fetch_id, of_links=digest, with_feeds=with_feeds)
    return True
