"""The rows of the index that the retriever reads: heads, page versions and chunks.

The indexer declares them in its own metadata and is their only writer.
"""

from sqlalchemy import Boolean, Column, Index, Integer, MetaData, String, Table, text

from scops.common.db.types import UtcDateTime

# What of the indexer's schema others read.
READ_TABLES = ("head", "page_version", "chunk")


def head_table(metadata: MetaData) -> Table:
    """Declares the heads: one row per page, never deleted.

    `prefix_ticket` and `prefixes_stale` belong to the indexer: they tell whether the store's URL
    prefixes of the page are known to be those of `canonical_url`.
    """
    return Table(
        "head",
        metadata,
        Column("page_id", String, primary_key=True),
        Column("observed_from", UtcDateTime, nullable=False),
        Column("revision", Integer, nullable=False),
        Column("version_id", String, nullable=False),
        Column("closed", Boolean, nullable=False),
        Column("closed_reason", String, nullable=False),
        Column("manifest_digest", String, nullable=True),
        Column("manifest_size", Integer, nullable=False),
        Column("manifest_media_type", String, nullable=False),
        Column("canonical_url", String, nullable=False),
        Column("access_context", String, nullable=False),
        Column("verified_time", UtcDateTime, nullable=False),
        Column("visible_time", UtcDateTime, nullable=False),
        Column("prefix_ticket", Integer, nullable=False),
        Column("prefixes_stale", Boolean, nullable=False),
        Index("head_stale_pages", "prefixes_stale", "page_id"),
    )


def page_version_table(metadata: MetaData) -> Table:
    """Declares the versions of pages, superseded and late ones included."""
    return Table(
        "page_version",
        metadata,
        Column("version_id", String, primary_key=True),
        Column("page_id", String, nullable=False),
        Column("observed_from", UtcDateTime, nullable=False),
        Column("revision", Integer, nullable=False),
        # Where a late observation moved the beginning before `observed_from`; empty otherwise.
        Column("first_observed", UtcDateTime, nullable=True),
        Column("manifest_digest", String, nullable=False),
        Column("manifest_size", Integer, nullable=False),
        Column("manifest_media_type", String, nullable=False),
        # Exclusive; empty while the version stands.
        Column("observed_to", UtcDateTime, nullable=True),
        Column("row_revision", Integer, nullable=False),
        Index("page_version_page", "page_id", "observed_from", "revision"),
    )


def chunk_table(metadata: MetaData) -> Table:
    """Declares the chunks that were an object.

    Rows stay while a delete of one of their objects may still be on the way, so that no
    incarnation repeats.
    """
    return Table(
        "chunk",
        metadata,
        Column("chunk_id", String, primary_key=True),
        Column("page_id", String, nullable=False),
        Column("incarnation", Integer, nullable=False),
        # live | retiring.
        Column("state", String, nullable=False),
        # The object of this incarnation is known to be in the store.
        Column("stored", Boolean, nullable=False),
        # Since when no head lists it; empty while the page's head does.
        Column("unlisted_since", UtcDateTime, nullable=True),
        # Holds every version that listed it; an empty end is open.
        Column("observed_from", UtcDateTime, nullable=False),
        Column("observed_to", UtcDateTime, nullable=True),
        # The lowest incarnation whose object may have to be deleted; empty for none.
        Column("delete_from", Integer, nullable=True),
        # Mirrors have the same one; empty where it was never looked for.
        Column("wording_id", String, nullable=True),
        # Since when no kept version lists it; empty while one does.
        Column("dropped_time", UtcDateTime, nullable=True),
        Index("chunk_page", "page_id", "unlisted_since"),
        Index("chunk_dropped", "dropped_time"),
        Index("chunk_unlisted", "state", "unlisted_since"),
        # Few at any time. On PostgreSQL the migration says the same.
        Index("chunk_to_delete", "chunk_id", sqlite_where=text("delete_from IS NOT NULL")),
        Index("chunk_wording", "wording_id", "unlisted_since"),
    )


read_metadata = MetaData()
HEAD = head_table(read_metadata)
PAGE_VERSION = page_version_table(read_metadata)
CHUNK = chunk_table(read_metadata)
