"""Pages, hosts, the queue, jobs and their rows, fetches, outbox and inbox."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# URL prefixes are ranges: compared by code point everywhere.
BY_CODE_POINT = sa.String().with_variant(sa.String(collation="C"), "postgresql")
# SQLite counts by itself only in a column that is INTEGER by name.
POSITION = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "alias",
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("access_context", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("organisation_id", "access_context", "url"),
    )
    op.create_index("ix_alias_page_id", "alias", ["page_id"])
    op.create_table(
        "fetch",
        sa.Column("fetch_id", sa.String(), nullable=False),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("lane", sa.String(), nullable=False),
        sa.Column("leased_time", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("observed_time", sa.BigInteger(), nullable=True),
        sa.Column("published_time", sa.BigInteger(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("event_type", sa.String(), nullable=False),
        sa.Column("event_data", sa.LargeBinary(), nullable=True),
        sa.Column("etag", sa.String(), nullable=False),
        sa.Column("last_modified", sa.String(), nullable=False),
        sa.Column("validated_url", sa.String(), nullable=False),
        sa.Column("content_key", sa.String(), nullable=False),
        sa.Column("pipeline_version", sa.String(), nullable=False),
        sa.Column("links_digest", sa.String(), nullable=True),
        sa.Column("links_size", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("fetch_id"),
    )
    op.create_index("fetch_by_state", "fetch", ["state", "published_time"])
    op.create_index("ix_fetch_leased_time", "fetch", ["leased_time"])
    op.create_table(
        "host",
        sa.Column("host_key", sa.String(), nullable=False),
        sa.Column("next_allowed_time", sa.BigInteger(), nullable=False),
        sa.Column("lease_id", sa.String(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("crawl_delay_seconds", sa.Float(), nullable=False),
        sa.Column("backoff", sa.Integer(), nullable=False),
        sa.Column("wake_now", sa.BigInteger(), nullable=True),
        sa.Column("wake_bulk", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("host_key"),
    )
    op.create_index("ix_host_wake_bulk", "host", ["wake_bulk"])
    op.create_index("ix_host_wake_now", "host", ["wake_now"])
    op.create_table(
        "inbox",
        sa.Column("consumer", sa.String(), nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("consumer", "event_id"),
    )
    op.create_index("ix_inbox_seen_at", "inbox", ["seen_at"])
    op.create_table(
        "job",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("access_context", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("scope_revision", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("lane", sa.String(), nullable=False),
        sa.Column("accepted_time", sa.BigInteger(), nullable=False),
        sa.Column("finished_time", sa.BigInteger(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("page_limit", sa.Integer(), nullable=False),
        sa.Column("depth_limit", sa.Integer(), nullable=False),
        sa.Column("follow_links", sa.Boolean(), nullable=False),
        sa.Column("admitted_count", sa.Integer(), nullable=False),
        sa.Column("open_count", sa.Integer(), nullable=False),
        sa.Column("open_tasks", sa.Integer(), nullable=False),
        sa.Column("indexed_count", sa.Integer(), nullable=False),
        sa.Column("unchanged_count", sa.Integer(), nullable=False),
        sa.Column("gone_count", sa.Integer(), nullable=False),
        sa.Column("blocked_count", sa.Integer(), nullable=False),
        sa.Column("dead_count", sa.Integer(), nullable=False),
        sa.Column("cancelled_count", sa.Integer(), nullable=False),
        sa.Column("unreported", sa.Integer(), nullable=False),
        sa.Column("progress_count", sa.Integer(), nullable=False),
        sa.Column("progress_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("job_id"),
    )
    op.create_index("ix_job_accepted_time", "job", ["accepted_time"])
    op.create_table(
        "job_page",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("fetch_id", sa.String(), nullable=True),
        sa.Column("links_taken", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("closed_time", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("job_id", "page_id"),
    )
    op.create_index("ix_job_page_fetch_id", "job_page", ["fetch_id"])
    op.create_index("job_page_by_page", "job_page", ["page_id", "state"])
    op.create_table(
        "outbox",
        sa.Column("position", POSITION, autoincrement=True, nullable=False),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("message_type", sa.String(), nullable=False),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("lane", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("position"),
        sa.UniqueConstraint("event_id"),
    )
    op.create_table(
        "page",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("access_context", sa.String(), nullable=False),
        sa.Column("canonical_url", sa.String(), nullable=False),
        sa.Column("schemeless_url", BY_CODE_POINT, nullable=False),
        sa.Column("netloc", BY_CODE_POINT, nullable=False),
        sa.Column("host_key", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("last_reason", sa.String(), nullable=False),
        sa.Column("last_fetch_id", sa.String(), nullable=True),
        sa.Column("last_fetch_time", sa.BigInteger(), nullable=True),
        sa.Column("last_observed_time", sa.BigInteger(), nullable=True),
        sa.Column("awaiting_fetch_id", sa.String(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("validator_fetch_id", sa.String(), nullable=True),
        sa.Column("etag", sa.String(), nullable=False),
        sa.Column("last_modified", sa.String(), nullable=False),
        sa.Column("validated_url", sa.String(), nullable=False),
        sa.Column("content_key", sa.String(), nullable=False),
        sa.Column("pipeline_version", sa.String(), nullable=False),
        sa.Column("links_digest", sa.String(), nullable=True),
        sa.Column("links_size", sa.Integer(), nullable=False),
        sa.Column("observed_count", sa.Integer(), nullable=False),
        sa.Column("semantic_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("page_id"),
    )
    op.create_index("page_by_url", "page", ["organisation_id", "schemeless_url", "page_id"])
    op.create_table(
        "pipeline",
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("seen_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("version"),
    )
    op.create_table(
        "queue",
        sa.Column("entry_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("host_key", sa.String(), nullable=False),
        sa.Column("lane", sa.String(), nullable=False),
        sa.Column("due_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("entry_id"),
    )
    op.create_index("queue_by_host", "queue", ["host_key", "lane", "due_time", "entry_id"])
    op.create_table(
        "robots",
        sa.Column("robots_url", sa.String(), nullable=False),
        sa.Column("host_key", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("crawl_delay_seconds", sa.Float(), nullable=False),
        sa.Column("expires_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("robots_url"),
    )
    op.create_index("ix_robots_host_key", "robots", ["host_key"])
    op.create_table(
        "task",
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("host_key", sa.String(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("lease_id", sa.String(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("task_id"),
        sa.UniqueConstraint("job_id", "url"),
    )
    op.create_index("ix_task_lease_id", "task", ["lease_id"])


def downgrade() -> None:
    """Drops them."""
    op.drop_table("task")
    op.drop_table("robots")
    op.drop_table("queue")
    op.drop_table("pipeline")
    op.drop_table("page")
    op.drop_table("outbox")
    op.drop_table("job_page")
    op.drop_table("job")
    op.drop_table("inbox")
    op.drop_table("host")
    op.drop_table("fetch")
    op.drop_table("alias")
