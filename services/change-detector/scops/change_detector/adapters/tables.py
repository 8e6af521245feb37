"""The tables of the archive's index: what was observed, and what versions follow from it."""

from sqlalchemy import (
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from scops.common.db.types import ForeignText, UtcDateTime

metadata = MetaData()

# The lock of a page: `sequence` rises with every change of the page's other rows, and
# `row_revision` with every change of an interval that the index must hear of.
page = Table(
    "page",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("row_revision", Integer, nullable=False),
)

# One row a fetch; never changed.
observation = Table(
    "observation",
    metadata,
    Column("fetch_id", String, primary_key=True),
    Column("page_id", String, nullable=False),
    Column("observed_time", UtcDateTime, nullable=False),
    Column("kind", String, nullable=False),
    Column("text_digest", String, nullable=False),
    Column("pipeline_version", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("moved_to", String, nullable=False),
    Index("observation_by_time", "page_id", "observed_time"),
)

# Maximal runs of equal observations; `observed_from` names a run for good.
run = Table(
    "stay",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("observed_from", UtcDateTime, primary_key=True),
    Column("kind", String, nullable=False),
    Column("first_observed", UtcDateTime, nullable=False),
    Column("last_observed", UtcDateTime, nullable=False),
    Column("observed_to", UtcDateTime, nullable=True),
    Column("row_revision", Integer, nullable=False),
    Index("stay_by_time", "page_id", "first_observed"),
    Index("stay_by_opening", "first_observed"),
)

# Immutable but for what its run says; the manifest is in the archive before the row is here.
version = Table(
    "version",
    metadata,
    Column("version_id", String, primary_key=True),
    Column("page_id", String, nullable=False),
    Column("observed_from", UtcDateTime, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("text_digest", String, nullable=False),
    Column("pipeline_version", String, nullable=False),
    Column("chunking", String, nullable=False),
    Column("manifest_digest", String, nullable=False),
    Column("manifest_size", Integer, nullable=False),
    Column("compared_with", String, nullable=False),
    Column("restored_version_id", String, nullable=False),
    Column("pipeline_changed", Boolean, nullable=False),
    Column("title", ForeignText, nullable=False),
    Column("chunk_count", Integer, nullable=False),
    # A serialised ChangeSummary.
    Column("summary", LargeBinary, nullable=False),
    Column("template_epoch", Integer, nullable=False, server_default="0"),
    # Empty for versions that an older release wrote, until the retention loop has filled it in.
    Column("document_digest", String, nullable=False, server_default=""),
    # Since when, and why, it is not kept: then the row is a tombstone.
    Column("dropped_time", UtcDateTime, nullable=True),
    Column("dropped_reason", String, nullable=False, server_default=""),
    UniqueConstraint("page_id", "observed_from", "revision", name="version_order_key"),
    Index("version_by_text", "page_id", "text_digest"),
    Index("version_by_text_digest", "text_digest"),
    Index("version_by_document_digest", "document_digest"),
)

# How each observation was answered, so that a redelivery is answered alike.
verdict = Table(
    "verdict",
    metadata,
    Column("fetch_id", String, primary_key=True),
    Column("pipeline_version", String, primary_key=True),
    Column("page_id", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("late", Boolean, nullable=False),
    Column("pipeline_changed", Boolean, nullable=False),
    Column("opened", String, nullable=False),
    Column("restored_version_id", String, nullable=False),
    # `observed_from` of the runs whose rows the verdict carries: microseconds, by commas.
    Column("moved", Text, nullable=False),
)
