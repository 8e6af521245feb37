"""Addresses of pages in SQL."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select

from scops.change_detector.adapters.address_tables import page_address
from scops.change_detector.adapters.tables import stay
from scops.change_detector.ports import PageAddress
from scops.common.db.database import Database
from scops.common.db.upsert import upsert
from scops.common.ids import PageId


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
        }
        async with self._database.transaction() as connection:
            await upsert(connection, page_address, values, key=("page_id",))

    async def moved_since(
        self, organisation_id: str, since: datetime, *, limit: int
    ) -> Sequence[PageAddress]:
        newest = func.max(stay.c.first_observed)
        found = (
            select(page_address)
            .join(stay, stay.c.page_id == page_address.c.page_id)
            .where(page_address.c.organisation_id == organisation_id, stay.c.first_observed > since)
            .group_by(*page_address.c)
            .order_by(newest.desc(), page_address.c.page_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(found)).all()
        return tuple(address_of(row) for row in rows)


def address_of(row: Row[Any]) -> PageAddress:
    """Returns the address in a row of `page_address`."""
    return PageAddress(
        page_id=PageId(row.page_id),
        organisation_id=row.organisation_id,
        access_context=row.access_context,
        canonical_url=row.canonical_url,
    )
