"""Addresses of pages in SQL."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Row, bindparam, func, select

from scops.change_detector.adapters.tables import page_address, run
from scops.change_detector.templates.blocks import host_of
from scops.change_detector.timeline.records import PageAddress
from scops.common.contract.ids import PageId
from scops.common.db.batches import rows_in_batches
from scops.common.db.database import Database
from scops.common.db.upsert import insert_for
from scops.common.scope.contexts import PUBLIC


class SqlAddresses:
    """Implements the `Addresses` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, address: PageAddress) -> None:
        values = {
            "page_id": address.page_id,
            "organisation_id": address.organisation_id,
            "access_context": address.access_context,
            "canonical_url": address.canonical_url,
            "host": host_of(address.canonical_url),
            "news": 1,
            "learned": False,
        }
        async with self._database.transaction() as connection:
            await connection.execute(_noting(connection.dialect.name), values)

    async def moved_since(
        self, organisation_id: str, since: datetime, *, limit: int
    ) -> Sequence[PageAddress]:
        newest = func.max(run.c.first_observed)
        found = (
            select(page_address)
            .join(run, run.c.page_id == page_address.c.page_id)
            .where(page_address.c.organisation_id == organisation_id, run.c.first_observed > since)
            .group_by(*page_address.c)
            .order_by(newest.desc(), page_address.c.page_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(found)).all()
        return tuple(address_of(row) for row in rows)

    async def urls_of(self, page_ids: Sequence[PageId]) -> Mapping[PageId, str]:
        async with self._database.reading() as connection:
            rows = await rows_in_batches(connection, _URLS, "of_pages", page_ids)
        return {PageId(row.page_id): row.canonical_url for row in rows}


# Building a statement costs more than running it.
_URLS = select(page_address.c.page_id, page_address.c.canonical_url).where(
    page_address.c.page_id.in_(bindparam("of_pages", expanding=True)),
    page_address.c.access_context == PUBLIC,
)


@cache
def _noting(dialect_name: str) -> Any:
    statement = insert_for(dialect_name, page_address)
    fresh = {
        name: statement.excluded[name]
        for name in ("organisation_id", "access_context", "canonical_url", "host", "learned")
    }
    return statement.on_conflict_do_update(
        index_elements=["page_id"], set_=fresh | {"news": page_address.c.news + 1}
    )


def address_of(row: Row[Any]) -> PageAddress:
    """Returns the address in a row of `page_address`."""
    return PageAddress(
        page_id=PageId(row.page_id),
        organisation_id=row.organisation_id,
        access_context=row.access_context,
        canonical_url=row.canonical_url,
        news=row.news,
    )
