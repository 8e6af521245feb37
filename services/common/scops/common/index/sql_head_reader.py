"""Reads heads and page versions from the indexer's database."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select

from scops.common.db.database import Database
from scops.common.ids import PageId, VersionId
from scops.common.index.ports import Head
from scops.common.index.tables import HEAD, PAGE_VERSION
from scops.common.messages.change import VersionRow
from scops.common.messages.types import BodyRef, OrderKey


class SqlHeadReader:
    """Implements the head reader port on SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def heads(self, page_ids: Sequence[PageId]) -> Mapping[PageId, Head]:
        statement = (
            select(HEAD).where(HEAD.c.page_id.in_(sorted(set(page_ids)))).order_by(HEAD.c.page_id)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        return {PageId(row.page_id): head_of(row) for row in rows}

    async def standing(
        self, page_ids: Sequence[PageId], at: datetime
    ) -> Mapping[PageId, VersionRow]:
        table = PAGE_VERSION
        statement = (
            select(table)
            .where(
                table.c.page_id.in_(sorted(set(page_ids))),
                func.coalesce(table.c.first_observed, table.c.observed_from) <= at,
                or_(table.c.observed_to.is_(None), table.c.observed_to > at),
            )
            .order_by(table.c.page_id, table.c.observed_from, table.c.revision)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        # In rising order: the greatest of a page stays.
        return {PageId(row.page_id): version_of(row) for row in rows}


def head_of(row: Any) -> Head:
    """Returns the head that a row of the table holds."""
    return Head(
        page_id=PageId(row.page_id),
        order_key=OrderKey(observed_from=row.observed_from, revision=row.revision),
        version_id=VersionId(row.version_id),
        closed=row.closed,
        closed_reason=row.closed_reason,
        manifest=_manifest_of(row) if row.manifest_digest else None,
        canonical_url=row.canonical_url,
        access_context=row.access_context,
        verified_time=row.verified_time,
        visible_time=row.visible_time,
    )


def version_of(row: Any) -> VersionRow:
    """Returns the version that a row of the table holds."""
    return VersionRow(
        version_id=VersionId(row.version_id),
        order_key=OrderKey(observed_from=row.observed_from, revision=row.revision),
        manifest=_manifest_of(row),
        observed_to=row.observed_to,
        row_revision=row.row_revision,
        first_observed_time=row.first_observed,
    )


def manifest_columns(manifest: BodyRef | None) -> dict[str, Any]:
    """Returns the columns that hold a manifest's reference."""
    return {
        "manifest_digest": manifest.digest if manifest else None,
        "manifest_size": manifest.size if manifest else 0,
        "manifest_media_type": manifest.media_type if manifest else "",
    }


def _manifest_of(row: Any) -> BodyRef:
    return BodyRef(
        digest=row.manifest_digest, size=row.manifest_size, media_type=row.manifest_media_type
    )
