"""Heads, page versions, chunk rows, vector cache and answers."""

import sqlalchemy as sa
from alembic import op

from scops.common.db.types import UtcDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Creates the tables."""
    _create_head()
    _create_page_version()
    _create_chunk()
    _create_vector_cache()
    _create_answer()


def _create_head() -> None:
    op.create_table(
        "head",
        sa.Column("page_id", sa.String, primary_key=True),
        sa.Column("observed_from", UtcDateTime, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("version_id", sa.String, nullable=False),
        sa.Column("closed", sa.Boolean, nullable=False),
        sa.Column("closed_reason", sa.String, nullable=False),
        sa.Column("manifest_digest", sa.String, nullable=True),
        sa.Column("manifest_size", sa.Integer, nullable=False),
        sa.Column("manifest_media_type", sa.String, nullable=False),
        sa.Column("canonical_url", sa.String, nullable=False),
        sa.Column("access_context", sa.String, nullable=False),
        sa.Column("verified_time", UtcDateTime, nullable=False),
        sa.Column("visible_time", UtcDateTime, nullable=False),
        sa.Column("prefix_ticket", sa.Integer, nullable=False),
        sa.Column("prefixes_stale", sa.Boolean, nullable=False),
    )
    op.create_index("head_prefixes_stale", "head", ["prefixes_stale"])


def _create_page_version() -> None:
    op.create_table(
        "page_version",
        sa.Column("version_id", sa.String, primary_key=True),
        sa.Column("page_id", sa.String, nullable=False),
        sa.Column("observed_from", UtcDateTime, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("first_observed", UtcDateTime, nullable=True),
        sa.Column("manifest_digest", sa.String, nullable=False),
        sa.Column("manifest_size", sa.Integer, nullable=False),
        sa.Column("manifest_media_type", sa.String, nullable=False),
        sa.Column("observed_to", UtcDateTime, nullable=True),
        sa.Column("row_revision", sa.Integer, nullable=False),
    )
    op.create_index("page_version_page", "page_version", ["page_id", "observed_from", "revision"])


def _create_chunk() -> None:
    op.create_table(
        "chunk",
        sa.Column("chunk_id", sa.String, primary_key=True),
        sa.Column("page_id", sa.String, nullable=False),
        sa.Column("incarnation", sa.Integer, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("stored", sa.Boolean, nullable=False),
        sa.Column("unlisted_since", UtcDateTime, nullable=True),
        sa.Column("observed_from", UtcDateTime, nullable=False),
        sa.Column("observed_to", UtcDateTime, nullable=True),
        sa.Column("delete_from", sa.Integer, nullable=True),
    )
    op.create_index("chunk_page", "chunk", ["page_id", "unlisted_since"])
    op.create_index("chunk_unlisted", "chunk", ["state", "unlisted_since"])
    op.create_index("chunk_delete", "chunk", ["delete_from"])


def _create_vector_cache() -> None:
    op.create_table(
        "vector_cache",
        sa.Column("embedding_key", sa.String, primary_key=True),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.Column("last_used", UtcDateTime, nullable=False),
    )
    op.create_index("vector_cache_last_used", "vector_cache", ["last_used"])


def _create_answer() -> None:
    op.create_table(
        "answer",
        sa.Column("event_id", sa.String, primary_key=True),
        sa.Column("message_type", sa.String, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("answered_time", UtcDateTime, nullable=False),
    )
    op.create_index("answer_time", "answer", ["answered_time"])
