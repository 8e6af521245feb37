"""Which hosts have their share of the pages that are on their way through the pipeline."""

from collections.abc import Sequence

from sqlalchemy import func, select

from scops.common.db.database import Database
from scops.fetcher.adapters.sql.tables import page

# Beyond it the pipeline is behind because of everybody.
HOSTS_SHARING_MAX = 200
ON_THEIR_WAY = (
    select(page.c.host_key, func.count().label("pages"))
    .where(page.c.awaiting_fetch_id.is_not(None))
    .group_by(page.c.host_key)
    .order_by(page.c.host_key)
    .limit(HOSTS_SHARING_MAX + 1)
)


async def crowded_hosts(database: Database, *, pages_max: int) -> Sequence[str] | None:
    """Returns the hosts that have their share; see the port."""
    async with database.reading() as connection:
        rows = (await connection.execute(ON_THEIR_WAY)).all()
    if len(rows) > HOSTS_SHARING_MAX or sum(row.pages for row in rows) < pages_max:
        return None
    share = max(1, pages_max // len(rows))
    return tuple(row.host_key for row in rows if row.pages >= share)
