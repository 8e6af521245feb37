"""What rows say of work under way, after they were put back: nobody does it any more.

The bus carries nothing after a restore, so whatever was on its way is sent again by who sent it.
"""

from datetime import timedelta

from sqlalchemy import func, insert, select, update

from scops.change_detector import service as change_detector
from scops.change_detector.adapters import tables as changes
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.runtime.clock import Clock
from scops.fetcher import service as fetcher
from scops.fetcher.adapters.sql import tables as fetches
from scops.fetcher.upkeep import LATE_AGE
from scops.gateway import service as gateway
from scops.gateway.adapters.sql import tables as requests
from scops.gateway.jobs.job import OPEN_STATES
from scops.gateway.jobs.ledger import RESEND_SECONDS

# News of dropped versions that may have been on their way.
DROPPED_AGE = timedelta(days=30)


async def settle(name: str, database: Database, *, clock: Clock) -> None:
    """Has the work of a service begin again where it was left; may be repeated.

    Args:
        name: of the database; one without such work is left alone.
    """
    steps = {
        fetcher.DATABASE: _settle_fetcher,
        change_detector.DATABASE: _settle_changes,
        gateway.DATABASE: _settle_gateway,
    }
    if name in steps:
        async with database.transaction() as connection:
            await steps[name](connection, clock)


async def _settle_fetcher(connection: Connection, clock: Clock) -> None:
    """Lets leases run out, and has fetches without an outcome published again at once."""
    host, fetch, now = fetches.host, fetches.fetch, clock.now()
    await connection.execute(
        update(host)
        .where(host.c.lease_id.is_not(None))
        .values(lease_until=now, wake_now=now, wake_bulk=now)
    )
    await connection.execute(
        update(fetch)
        .where(fetch.c.state == "published", fetch.c.published_time > now - 2 * LATE_AGE)
        .values(published_time=now - 2 * LATE_AGE)
    )


async def _settle_changes(connection: Connection, clock: Clock) -> None:
    """Has the index told again of versions that were dropped lately."""
    version, untold = changes.version, changes.dropped_version
    lately = (
        select(version.c.version_id, version.c.page_id)
        .where(version.c.dropped_time > clock.now() - DROPPED_AGE)
        .where(version.c.version_id.not_in(select(untold.c.version_id)))
    )
    await connection.execute(insert(untold).from_select(["version_id", "page_id"], lately))
    # The time of garbage begins anew: what is put back now may be about to be named.
    await connection.execute(update(changes.garbage).values(noted_time=clock.now()))


async def _settle_gateway(connection: Connection, clock: Clock) -> None:
    """Has every scope written to the projection, and every open job compared at once."""
    scope, job = requests.scope, requests.job
    asked = clock.now() - timedelta(seconds=2 * RESEND_SECONDS)
    await connection.execute(update(scope).values(projected_revision=0))
    await connection.execute(
        update(job).where(job.c.state.in_(OPEN_STATES), job.c.sent_at > asked).values(sent_at=asked)
    )


async def is_empty(name: str, database: Database) -> bool:
    """Returns whether a database with a schema holds nothing that a restore would replace."""
    kept = {
        fetcher.DATABASE: fetches.page,
        change_detector.DATABASE: changes.version,
        gateway.DATABASE: requests.scope,
    }
    if name not in kept:
        return True
    async with database.reading() as connection:
        found = await connection.execute(select(func.count()).select_from(kept[name]))
        return not found.scalar()
