"""The tables of the indexer; `migrations` creates the same ones."""

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, MetaData, String, Table

from scops.common.db.types import UtcDateTime
from scops.common.index.tables import head_table, page_version_table

metadata = MetaData()

HEAD = head_table(metadata)
PAGE_VERSION = page_version_table(metadata)

# One row per chunk that ever was an object; rows stay, so that incarnations never repeat.
CHUNK = Table(
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
    Index("chunk_page", "page_id", "unlisted_since"),
    Index("chunk_unlisted", "state", "unlisted_since"),
    Index("chunk_delete", "delete_from"),
)

VECTOR_CACHE = Table(
    "vector_cache",
    metadata,
    Column("embedding_key", String, primary_key=True),
    # float32, little-endian.
    Column("vector", LargeBinary, nullable=False),
    Column("last_used", UtcDateTime, nullable=False),
    Index("vector_cache_last_used", "last_used"),
)

# What each verdict was answered with: a redelivery repeats it.
ANSWER = Table(
    "answer",
    metadata,
    Column("event_id", String, primary_key=True),
    Column("message_type", String, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("answered_time", UtcDateTime, nullable=False),
    Index("answer_time", "answered_time"),
)
