"""Heads whose versions were seen again: many at a time, in two statements.

Every function runs in the caller's transaction.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, select, update

from scops.common.contract.messages.change import VerifiedVersion
from scops.common.db.batches import rows_of
from scops.common.db.connection import Connection
from scops.common.db.types import UtcDateTime
from scops.indexer.adapters.tables import HEAD
from scops.indexer.objects.target import order

_HEADS = (
    select(HEAD)
    .where(HEAD.c.page_id.in_(bindparam("of_pages", expanding=True)))
    .order_by(HEAD.c.page_id)
    .with_for_update()
)
_VERIFY = (
    update(HEAD)
    .where(HEAD.c.page_id == bindparam("of_page"))
    .values(verified_time=bindparam("seen", type_=UtcDateTime))
)


async def verify(
    connection: Connection, versions: Sequence[VerifiedVersion]
) -> Sequence[VerifiedVersion]:
    """Moves the verified times of heads that stand at versions; see the port."""
    of_pages = sorted({version.page_id for version in versions})
    rows = await rows_of(connection, _HEADS, {"of_pages": of_pages})
    heads = {row.page_id: row for row in rows}
    standing = [version for version in versions if _stands(heads.get(version.page_id), version)]
    newer = [
        {"of_page": version.page_id, "seen": version.verified_time}
        for version in standing
        if version.verified_time > heads[version.page_id].verified_time
    ]
    if newer:
        await connection.execute(_VERIFY, newer)
    return standing


def _stands(head: Any, version: VerifiedVersion) -> bool:
    """Says whether a head stands at a version, under the same URL."""
    return (
        head is not None
        and not head.closed
        and (head.observed_from, head.revision) == order(version.order_key)
        and (head.version_id, head.canonical_url) == (version.version_id, version.canonical_url)
    )
