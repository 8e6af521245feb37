"""Forgets what nobody can ask about any more, a small batch of each table at a time.

Each batch is a transaction that holds nobody up; whoever calls goes on until nothing is due, so
that housekeeping keeps up with whatever arrives.
"""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Table, and_, delete, or_, select

from scops.common.db.locks import FORGOTTEN_AT_ONCE, forget_rows
from scops.common.db.outbox import forget_seen
from scops.fetcher.adapters.sql.discovery.listing_tables import taken_listing
from scops.fetcher.adapters.sql.frontier.claims import forget_claims
from scops.fetcher.adapters.sql.ledger.jobs import CRAWL, RECRAWL
from scops.fetcher.adapters.sql.recrawl.schedule_rows import day_of
from scops.fetcher.adapters.sql.tables import (
    fetch,
    host,
    inbox,
    job,
    job_page,
    job_template,
    plain_file,
    rendering,
    revisit,
    robots,
    task,
)
from scops.fetcher.adapters.sql.transaction import Transaction
from scops.fetcher.discovery.taken_listings import TAKEN_KEPT

JOBS_AT_ONCE = 20
# Of closed fetches and ended recrawls: longer than any redelivery.
FETCHES_KEPT = timedelta(days=8)
# Of jobs that somebody asked for: whoever looks back looks at this quarter.
JOBS_KEPT = timedelta(days=90)
# Of files: longer than a host may be silent.
FILES_KEPT = timedelta(days=400)
# Days of what the browser did.
RENDERINGS_KEPT = 90
# Of what is known of a host that nobody has asked for; it is learnt again with its next robots.txt.
HOSTS_KEPT = timedelta(days=90)

_hangs = select(job_page.c.job_id).where(
    job_page.c.fetch_id == fetch.c.fetch_id, job_page.c.state == "open"
)
_newer = job.alias("newer")
# The pages of a scope's newest crawl are looked at again by the next one.
_outdated = or_(
    job.c.kind != CRAWL,
    job.c.admitted_count == 0,
    select(_newer.c.job_id)
    .where(
        _newer.c.scope_id == job.c.scope_id,
        _newer.c.kind == CRAWL,
        _newer.c.accepted_time > job.c.accepted_time,
        _newer.c.organisation_id == job.c.organisation_id,
        _newer.c.admitted_count > 0,
    )
    .exists(),
)

# A crawl has not come to its end with the pages of this one.
_revisited = select(revisit.c.job_id).where(revisit.c.base_job_id == job.c.job_id)


async def forget_due(tx: Transaction) -> bool:
    """Drops a batch of what is due in each table; returns whether more may be due."""
    return any(
        [
            await forget_seen(tx.connection, inbox, now=tx.now) == FORGOTTEN_AT_ONCE,
            await _forget(tx, fetch, _old_fetch(tx.now)),
            await _forget(tx, plain_file, plain_file.c.tried_time < tx.now - FILES_KEPT),
            await _forget(tx, taken_listing, taken_listing.c.taken_time < tx.now - TAKEN_KEPT),
            await _forget(tx, rendering, rendering.c.day < int(day_of(tx.now)) - RENDERINGS_KEPT),
            await _forget_hosts(tx),
            await _forget_jobs(tx),
        ]
    )


async def _forget(tx: Transaction, table: Table, due: ColumnElement[bool]) -> bool:
    return await forget_rows(tx.connection, table, due) == FORGOTTEN_AT_ONCE


def _old_fetch(now: datetime) -> ColumnElement[bool]:
    """Says which fetches nothing refers to any more; rows may still wait for the links of one."""
    old = fetch.c.leased_time < now - FETCHES_KEPT
    return and_(old, fetch.c.state == "closed", ~_hangs.exists())


async def _forget_hosts(tx: Transaction) -> bool:
    """Drops robots.txt files that have not been asked for in a long time, and their idle hosts."""
    old = robots.c.expires_time < tx.now - HOSTS_KEPT
    found = await tx.all(
        select(robots.c.robots_url, robots.c.host_key).where(old).limit(FORGOTTEN_AT_ONCE)
    )
    await forget_claims(tx, before=tx.now - HOSTS_KEPT)
    if not found:
        return False
    mine = host.c.host_key.in_({row.host_key for row in found})
    idle = and_(host.c.lease_id.is_(None), host.c.wake_now.is_(None), host.c.wake_bulk.is_(None))
    unused = host.c.next_allowed_time < tx.now - HOSTS_KEPT
    await tx.execute(
        delete(robots).where(robots.c.robots_url.in_([row.robots_url for row in found]))
    )
    await forget_rows(tx.connection, host, and_(mine, idle, unused))
    return len(found) == FORGOTTEN_AT_ONCE


async def _forget_jobs(tx: Transaction) -> bool:
    """Drops jobs that ended long ago: their rows first, and the job once it has none."""
    recrawls, asked = tx.now - FETCHES_KEPT, tx.now - JOBS_KEPT
    ended = await tx.all(
        select(job.c.job_id)
        .where(
            job.c.accepted_time < recrawls,
            job.c.finished_time < recrawls,
            or_(
                job.c.kind == RECRAWL,
                and_(job.c.finished_time < asked, _outdated, ~_revisited.exists()),
            ),
        )
        .order_by(job.c.accepted_time)
        .limit(JOBS_AT_ONCE)
    )
    if not ended:
        return False
    of_jobs = [row.job_id for row in ended]
    for table in (job_page, task, job_template):
        if await _forget(tx, table, table.c.job_id.in_(of_jobs)):
            return True
    await forget_rows(tx.connection, job, job.c.job_id.in_(of_jobs))
    return len(ended) == JOBS_AT_ONCE
