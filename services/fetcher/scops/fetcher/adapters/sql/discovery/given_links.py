"""Links that a job need not be given, because the crawl that it rests on was.

A crawl that rests on another holds all pages of that one from its start. A list of links of which
the other holds every page that the rules admit therefore leads it nowhere new.
"""

from typing import Any

from sqlalchemy import and_, select

from scops.fetcher.adapters.sql.ledger.admitting import began_with_rules
from scops.fetcher.adapters.sql.tables import job, job_page
from scops.fetcher.adapters.sql.transaction import Row, Transaction

_base = job_page.alias("base")


def waiting_rows(condition: Any) -> Any:
    """Returns the statement of rows that a condition names, with what `is_given` looks at."""
    same_page = and_(_base.c.job_id == job.c.rests_on, _base.c.page_id == job_page.c.page_id)
    return (
        select(
            job.c.job_id,
            job.c.scope_id,
            job.c.scope_revision,
            job.c.rules_key,
            job.c.trail,
            job_page.c.depth,
            _base.c.given_links,
            _base.c.names_feeds,
        )
        .join(job_page, job_page.c.job_id == job.c.job_id)
        .outerjoin(_base, same_page)
        .where(condition)
        .order_by(job.c.job_id)
    )


def is_given(tx: Transaction, row: Row, digest: str) -> bool:
    """Says whether a list of links leads a row's job nowhere new.

    Feeds that a seed names are read in each job, so a list that has some is taken for a seed.
    """
    known = bool(digest) and row.given_links == digest
    return known and (row.depth > 0 or not row.names_feeds) and began_with_rules(tx, row)
