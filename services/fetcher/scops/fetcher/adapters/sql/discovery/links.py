"""Links of a fetch, given inside a transaction to the jobs that wait for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import bindparam, select, update

from scops.fetcher.adapters.sql.discovery.given_links import is_given, waiting_rows
from scops.fetcher.adapters.sql.frontier.tasks import add_tasks
from scops.fetcher.adapters.sql.ledger.admitting import admit_links
from scops.fetcher.adapters.sql.tables import job_page
from scops.fetcher.adapters.sql.transaction import Transaction
from scops.fetcher.frontier.leases import TaskKind

WAITING = (
    (job_page.c.fetch_id == bindparam("of_fetch"))
    & (job_page.c.state == "open")
    & job_page.c.links_taken.is_(False)
)
WAITING_ROWS = waiting_rows(WAITING)
WAITING_OF_FETCHES = (
    select(job_page.c.job_id, job_page.c.fetch_id, job_page.c.depth)
    .where(
        job_page.c.fetch_id.in_(bindparam("of_fetches", expanding=True)),
        job_page.c.state == "open",
        job_page.c.links_taken.is_(False),
    )
    .order_by(job_page.c.job_id, job_page.c.fetch_id)
)
TAKEN = (
    update(job_page)
    .where(WAITING)
    .values(
        links_taken=True, given_links=bindparam("of_links"), names_feeds=bindparam("with_feeds")
    )
)
NOT_GIVEN = (
    update(job_page)
    .where(job_page.c.fetch_id == bindparam("of_fetch"), job_page.c.job_id == bindparam("of_job"))
    .values(given_links="")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLinks:
    """What a page links to.

    Attributes:
        feed_urls: feeds that it names.
        digest: of the list that the links are all of; empty where they are not.
    """

    fetch_id: str
    urls: Sequence[str]
    feed_urls: Sequence[str]
    digest: str


async def give_links(tx: Transaction, pages: Sequence[PageLinks]) -> None:
    """Adds pages' links to each job that waits for them, once, under the job's own rules.

    The feeds of a seed are read like sitemaps; other pages often name one each, of their comments.

    Args:
        pages: in the order in which what they link to comes under the limits of a job.
    """
    links = {page.fetch_id: page for page in pages}
    places = {fetch_id: place for place, fetch_id in enumerate(links)}
    waiting = await tx.all(WAITING_OF_FETCHES, of_fetches=sorted(links))
    await tx.execute_many(TAKEN, [_taking(links[one]) for one in {row.fetch_id for row in waiting}])
    for job_id, found in groupby(waiting, key=attrgetter("job_id")):
        rows = sorted(found, key=lambda row: places[row.fetch_id])
        lists = [(links[row.fetch_id].urls, row.depth + 1) for row in rows]
        for row, is_whole in zip(rows, await admit_links(tx, job_id, lists), strict=True):
            page = links[row.fetch_id]
            if page.digest and not is_whole:
                await tx.execute(NOT_GIVEN, of_fetch=row.fetch_id, of_job=job_id)
            if row.depth == 0:
                await add_tasks(tx, job_id, page.feed_urls, kind=TaskKind.SITEMAP, depth=0)


def _taking(page: PageLinks) -> dict[str, Any]:
    return {
        "of_fetch": page.fetch_id,
        "of_links": page.digest,
        "with_feeds": bool(page.feed_urls),
    }


async def were_given(tx: Transaction, fetch_id: str, *, digest: str) -> bool:
    """Ends the wait of jobs that a list of links leads nowhere new, if that is all who wait.

    Returns:
        Whether nobody waits for links any more; if not, nothing has changed.
    """
    rows = await tx.all(WAITING_ROWS, of_fetch=fetch_id)
    if not all(is_given(tx, row, digest) for row in rows):
        return False
    with_feeds = any(row.names_feeds for row in rows)
    await tx.execute(TAKEN, of_fetch=fetch_id, of_links=digest, with_feeds=with_feeds)
    return True
