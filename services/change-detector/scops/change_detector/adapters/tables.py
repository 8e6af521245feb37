"""The tables of the archive's index: what was observed, and what versions follow from it."""

from sqlalchemy import (
    BigInteger,
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
    # What was observed before this is purged, and nothing of it may come back.
    Column("purged_before", UtcDateTime, nullable=True),
)

# One row a fetch; never changed. Old ones that no interval needs are deleted: see
# `handlers.compaction`.
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
    # Empty where an older release wrote the row.
    Column("unmodified", Boolean, nullable=True),
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
    Index("version_by_manifest_digest", "manifest_digest"),
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

# Where pages stand on the web; written when a verdict brings something new.
page_address = Table(
    "page_address",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("access_context", String, nullable=False),
    Column("canonical_url", String, nullable=False),
    Column("host", String, nullable=False),
    # Counts the news noted; whoever learned from the page notes up to which.
    Column("news", Integer, nullable=False),
    # Its blocks are counted among those of its host.
    Column("learned", Boolean, nullable=False),
    Index("page_address_by_host", "host"),
    Index("page_address_by_learned", "learned"),
)

# News in the order in which they were recorded, each by the run that it opened; old ones go.
news = Table(
    "news",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("observed_from", UtcDateTime, primary_key=True),
    Column("recorded_time", UtcDateTime, nullable=False),
    Index("news_by_time", "recorded_time", "page_id"),
)

# What a page's own history teaches, of pages whose text has changed.
page_memory = Table(
    "page_memory",
    metadata,
    Column("page_id", String, primary_key=True),
    # A serialised PageMemory.
    Column("memory", LargeBinary, nullable=False),
    # The `sequence` of the page at which a silent change has come to stay; empty where none waits.
    Column("settles_at", Integer, nullable=True),
    Index("page_memory_by_settling", "settles_at"),
)

# Silent changes that have come to stay are news, told against the run that readers know; old ones
# go.
settled_news = Table(
    "settled_news",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("recorded_time", UtcDateTime, primary_key=True),
    Column("observed_from", UtcDateTime, nullable=False),
    Column("since", UtcDateTime, nullable=False),
    Index("settled_news_by_time", "recorded_time", "page_id"),
)

# Pages that are to be chunked anew.
rechunk = Table("rechunk", metadata, Column("page_id", String, primary_key=True))

# What is kept whatever its age, and what went and is not yet settled.
pin = Table(
    "pin",
    metadata,
    Column("version_id", String, primary_key=True),
    Column("page_id", String, nullable=False),
    Column("until", UtcDateTime, nullable=False),
    Column("note", ForeignText, nullable=False),
    Index("pin_by_page", "page_id"),
    Index("pin_by_end", "until"),
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
    # Of the purge that waits for it; empty where it may wait itself.
    Column("batch", String, nullable=False, server_default=""),
    Column("aside_time", UtcDateTime, nullable=True),
    Index("garbage_by_time", "noted_time"),
    Index("garbage_by_batch", "batch"),
)

# What each fetch left in the archive, whatever became of it: body, text, document, links.
left_blob = Table(
    "left_blob",
    metadata,
    Column("digest", String, primary_key=True),
    Column("fetch_id", String, primary_key=True),
    Column("page_id", String, nullable=False),
    Column("observed_time", UtcDateTime, nullable=False),
    Index("left_blob_by_page", "page_id", "observed_time"),
)

# Parts of purges whose blobs are not all deleted yet, with what went.
purge_batch = Table(
    "purge_batch",
    metadata,
    Column("batch", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("versions", Integer, nullable=False),
    Column("observations", Integer, nullable=False),
    Column("blobs", Integer, nullable=False),
    # Every page of it is dropped; only blobs may be left.
    Column("complete", Boolean, nullable=False),
)

# One row a host of which anything was learned; the lock of the rows below.
template_host = Table(
    "template_host",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("host", String, primary_key=True),
    Column("epoch", Integer, nullable=False),
)

# The pages of a host with the smallest ranks; `rank` is a hash of the page's id.
template_page = Table(
    "template_page",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("host", String, nullable=False),
    Column("rank", BigInteger, nullable=False),
    # Pairs of 64-bit hashes, text and shape, little-endian.
    Column("keys", LargeBinary, nullable=False),
    # Hashes of texts that took the place of a template here.
    Column("successors", LargeBinary, nullable=False),
    Index("template_page_by_host", "organisation_id", "host", "rank"),
)

# The mask of a host's epoch, with what inspecting it needs.
template_block = Table(
    "template_block",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("host", String, primary_key=True),
    # Unsigned 64 bits, as hex: no integer column of both databases holds them.
    Column("block", String, primary_key=True),
    Column("shape", String, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("keeper", String, nullable=False),
    Column("retired", Boolean, nullable=False),
    Column("text", ForeignText, nullable=False),
)
