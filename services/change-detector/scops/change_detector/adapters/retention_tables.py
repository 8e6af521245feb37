"""What is kept whatever its age, and what went and is not yet settled."""

from sqlalchemy import Column, Index, String, Table

from scops.change_detector.adapters.tables import metadata
from scops.common.db.types import ForeignText, UtcDateTime

pin = Table(
    "pin",
    metadata,
    Column("version_id", String, primary_key=True),
    Column("page_id", String, nullable=False),
    Column("until", UtcDateTime, nullable=False),
    Column("note", ForeignText, nullable=False),
    Index("pin_by_page", "page_id"),
)

# Dropped versions that others have not heard of.
dropped_version = Table(
    "dropped_version",
    metadata,
    Column("version_id", String, primary_key=True),
    Column("page_id", String, nullable=False),
)

# Blobs that a dropped version referred to; deleted once nobody else does.
garbage = Table(
    "garbage",
    metadata,
    Column("digest", String, primary_key=True),
    Column("noted_time", UtcDateTime, nullable=False),
    Index("garbage_by_time", "noted_time"),
)
