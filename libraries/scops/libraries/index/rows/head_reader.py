"""Reads heads and page versions from the indexer's database."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, bindparam, func, or_, select

from scops.common.contract.ids import ChunkId, PageId, VersionId, WordingId
from scops.common.contract.messages.change import VersionRow
from scops.common.contract.messages.types import BodyRef, OrderKey
from scops.common.db.batches import rows_in_batches, rows_of
from scops.common.db.database import Database
from scops.common.db.types import UtcDateTime
from scops.libraries.index.ports import Head, ListedChunk
from scops.libraries.index.rows.tables import CHUNK, HEAD, PAGE_VERSION

# Building a statement costs more than running it: each is built once.
_PAGES: BindParameter[Any] = bindparam("of_pages", expanding=True)
_AT = bindparam("at", type_=UtcDateTime)
_HEAD_COLUMNS = tuple(
    column for column in HEAD.c if column.name not in ("prefix_ticket", "prefixes_stale")
)
_HEADS = select(*_HEAD_COLUMNS).where(HEAD.c.page_id.in_(_PAGES))
_LISTED = (
    select(CHUNK.c.chunk_id, CHUNK.c.wording_id, *_HEAD_COLUMNS)
    .join_from(CHUNK, HEAD, HEAD.c.page_id == CHUNK.c.page_id)
    .where(
        CHUNK.c.chunk_id.in_(bindparam("of_chunks", expanding=True)),
        CHUNK.c.unlisted_since.is_(None),
        HEAD.c.closed.is_(False),
    )
)
_STANDING = (
    select(PAGE_VERSION)
    .where(
        PAGE_VERSION.c.page_id.in_(_PAGES),
        func.coalesce(PAGE_VERSION.c.first_observed, PAGE_VERSION.c.observed_from) <= _AT,
        or_(PAGE_VERSION.c.observed_to.is_(None), PAGE_VERSION.c.observed_to > _AT),
    )
    .order_by(PAGE_VERSION.c.page_id, PAGE_VERSION.c.observed_from, PAGE_VERSION.c.revision)
)


class SqlHeadReader:
    """Implements the head reader port on SQLite or PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def heads(self, page_ids: Sequence[PageId]) -> Mapping[PageId, Head]:
        named = {"of_pages": sorted(set(page_ids))}
        async with self._database.reading() as connection:
            rows = await rows_of(connection, _HEADS, named)
        return {PageId(row.page_id): head_of(row) for row in rows}

    async def listed(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, ListedChunk]:
        async with self._database.reading() as connection:
            rows = await rows_in_batches(connection, _LISTED, "of_chunks", chunk_ids)
        return {
            ChunkId(row.chunk_id): ListedChunk(
                chunk_id=ChunkId(row.chunk_id),
                head=head_of(row),
                wording_id=WordingId(row.wording_id) if row.wording_id else None,
            )
            for row in rows
        }

    async def standing(
        self, page_ids: Sequence[PageId], at: datetime
    ) -> Mapping[PageId, VersionRow]:
        named = {"of_pages": sorted(set(page_ids)), "at": at}
        async with self._database.reading() as connection:
            rows = await rows_of(connection, _STANDING, named)
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
