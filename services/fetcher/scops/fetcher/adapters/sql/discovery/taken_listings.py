"""Readings of listings in SQL."""

import json
from datetime import datetime

from sqlalchemy import and_, bindparam, select

from scops.common.contract.messages.crawl import JobState
from scops.common.db.database import Database
from scops.common.db.upsert import upsert
from scops.fetcher.adapters.sql.discovery.listing_tables import taken_listing
from scops.fetcher.adapters.sql.ledger.jobs import RECRAWL
from scops.fetcher.adapters.sql.tables import job, task
from scops.fetcher.discovery.taken_listings import TAKEN_KEPT, TakenListing
from scops.fetcher.frontier.leases import TaskLease

SCOPE = ("organisation_id", "access_context", "scope_id")
KEY = (*SCOPE, "url")
TAKEN = (
    select(taken_listing)
    .join(job, and_(*(taken_listing.c[name] == job.c[name] for name in SCOPE)))
    .where(
        job.c.job_id == bindparam("of_job"),
        job.c.kind == RECRAWL,
        job.c.scope_revision == taken_listing.c.scope_revision,
        taken_listing.c.url == bindparam("of_url"),
    )
)
# The job of a lease that holds, with room left: what came before under the lease was taken up.
READER = (
    select(job)
    .join(task, task.c.job_id == job.c.job_id)
    .where(
        task.c.task_id == bindparam("of_task"),
        task.c.state == "leased",
        task.c.lease_id == bindparam("of_lease"),
        job.c.state == JobState.RUNNING.value,
        job.c.admitted_count < job.c.page_limit,
    )
)


class SqlTakenListings:
    """A `TakenListings`; see there for the contract."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def taken(self, lease: TaskLease, *, now: datetime) -> TakenListing | None:
        values = {"of_job": lease.job_id, "of_url": lease.url}
        async with self._database.reading() as connection:
            row = (await connection.execute(TAKEN, values)).first()
        if row is None or now - row.taken_time >= TAKEN_KEPT:
            return None
        return TakenListing(row.digest, tuple(json.loads(row.sitemaps)))

    async def keep(self, lease: TaskLease, listing: TakenListing, *, now: datetime) -> None:
        values = {"of_task": lease.task_id, "of_lease": lease.host.lease_id}
        async with self._database.transaction() as connection:
            reader = (await connection.execute(READER, values)).first()
            if reader is None:
                return
            row = {
                "organisation_id": reader.organisation_id,
                "access_context": reader.access_context,
                "scope_id": reader.scope_id,
                "url": lease.url,
                "scope_revision": reader.scope_revision,
                "digest": listing.digest,
                "sitemaps": json.dumps(listing.sitemaps),
                "taken_time": now,
            }
            await upsert(connection, taken_listing, row, key=KEY)
