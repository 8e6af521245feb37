"""The tables of the indexer; `migrations` creates the same ones."""

from sqlalchemy import BigInteger, Boolean, Column, Index, LargeBinary, MetaData, String, Table

from scops.common.db.types import UtcDateTime
from scops.libraries.index.rows.tables import chunk_table, head_table, page_version_table

metadata = MetaData()

HEAD = head_table(metadata)
PAGE_VERSION = page_version_table(metadata)

CHUNK = chunk_table(metadata)

# Four rows per wording of many words: whoever says nearly the same shares one of them.
WORDING_BAND = Table(
    "wording_band",
    metadata,
    Column("band", BigInteger, primary_key=True),
    Column("wording_id", String, primary_key=True),
    # 64 bits, signed.
    Column("simhash", BigInteger, nullable=False),
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

# Versions of a page that began at or before an instant are gone for good.
PURGED_PAGE = Table(
    "purged_page",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("purged_through", UtcDateTime, nullable=False),
    Column("noted_time", UtcDateTime, nullable=False),
    # It was gone over again when nothing of before was under way any more.
    Column("settled", Boolean, nullable=False),
    Index("purged_page_settled", "settled", "noted_time"),
)

# When the chunk store was last seen well with all of its content looked at.
STORE_HEALTH = Table(
    "store_health",
    metadata,
    Column("store", String, primary_key=True),
    Column("healthy_time", UtcDateTime, nullable=False),
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
