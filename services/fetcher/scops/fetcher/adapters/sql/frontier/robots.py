"""robots.txt in SQL, as long as it is fresh."""

from sqlalchemy import bindparam, select

from scops.common.db.types import UtcDateTime
from scops.fetcher.adapters.sql.tables import robots
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.politeness.robots import RobotsKind, RobotsPolicy, robots_url

FRESH_ROBOTS = select(robots).where(
    robots.c.robots_url == bindparam("of_url"),
    robots.c.expires_time > bindparam("now", type_=UtcDateTime),
)


async def stored_policy(tx: Transaction, url: str) -> RobotsPolicy | None:
    """Returns the policy for a URL that is known and fresh."""
    return policy_of(await tx.first(FRESH_ROBOTS, of_url=robots_url(url), now=tx.now))


def policy_of(row: Row | None) -> RobotsPolicy | None:
    """Returns the policy of a row; None without one."""
    return None if row is None else RobotsPolicy(RobotsKind(row.kind), row.text)
