"""Tables of watches, beside the gateway's others."""

from sqlalchemy import JSON, Boolean, Column, Index, Integer, LargeBinary, String, Table

from scops.common.db.types import ForeignText, UtcDateTime
from scops.gateway.adapters.sql.tables import metadata

watch = Table(
    "watch",
    metadata,
    # UUIDv7: its order is the order of creation.
    Column("watch_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("principal", String, nullable=False),
    Column("display_name", ForeignText, nullable=False),
    # One of both is empty.
    Column("scope_id", String, nullable=False),
    Column("page_id", String, nullable=False),
    Column("condition", JSON, nullable=False),
    # It tells of pages that could not be fetched.
    Column("with_errors", Boolean, nullable=False),
    Column("schedule", JSON, nullable=False),
    Column("kind", String, nullable=False),
    Column("shown_address", ForeignText, nullable=False),
    # Encrypted: see `scops.gateway.watches.sealing`.
    Column("sealed", LargeBinary, nullable=False),
    # The credential that it was made with.
    Column("key_id", String, nullable=False),
    Column("limited_to", JSON),
    Column("ceiling", String, nullable=False),
    Column("state", String, nullable=False),
    Column("end_reason", String, nullable=False),
    Column("failures", Integer, nullable=False),
    # Its place in the order of news: a delivery and the move behind it are one transaction.
    Column("place_at", UtcDateTime, nullable=False),
    Column("place_page", String, nullable=False),
    # Null where it waits for the next change.
    Column("due_at", UtcDateTime),
    # A gateway works on it until then.
    Column("claimed_until", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Index("watch_by_owner", "organisation_id", "principal", "watch_id"),
    Index("watch_by_due", "state", "due_at"),
    Index("watch_by_claim", "claimed_until"),
)

watch_delivery = Table(
    "watch_delivery",
    metadata,
    # UUIDv7, as the receiver sees it.
    Column("delivery_id", String, primary_key=True),
    Column("watch_id", String, nullable=False),
    # The places between which its news lie.
    Column("after_at", UtcDateTime, nullable=False),
    Column("after_page", String, nullable=False),
    Column("until_at", UtcDateTime, nullable=False),
    Column("until_page", String, nullable=False),
    Column("more", Boolean, nullable=False),
    Column("state", String, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("change_count", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("due_at", UtcDateTime, nullable=False),
    Column("failure", ForeignText, nullable=False),
    Index("watch_delivery_by_watch", "watch_id", "delivery_id"),
    Index("watch_delivery_by_end", "ended_at"),
)

# Pages that could not be fetched, for watches that tell of them.
page_failure = Table(
    "page_failure",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("reason", String, primary_key=True),
    # Days since 1970, in UTC.
    Column("day", Integer, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("detail", ForeignText, nullable=False),
    Column("failed_at", UtcDateTime, nullable=False),
    Column("recorded_at", UtcDateTime, nullable=False),
    Index("page_failure_by_time", "recorded_at", "page_id"),
)
