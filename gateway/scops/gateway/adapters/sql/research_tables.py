"""The tables of research runs."""

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, String, Table, text

from scops.common.db.types import ForeignText, UtcDateTime
from scops.gateway.adapters.sql.tables import metadata

research = Table(
    "research",
    metadata,
    # UUIDv7: its order is the order of their beginnings.
    Column("research_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("principal", String, nullable=False),
    Column("bounds", JSON, nullable=False),
    Column("question", ForeignText, nullable=False),
    Column("start_url", String, nullable=False),
    Column("hosts", JSON, nullable=False, server_default="[]"),
    Column("scope_id", String, nullable=False),
    Column("asked", JSON, nullable=False),
    Column("chat_id", String, nullable=False),
    Column("budget", JSON, nullable=False),
    Column("state", String, nullable=False),
    Column("stopped", String, nullable=False),
    Column("message", ForeignText, nullable=False),
    Column("pages", JSON, nullable=False),
    Column("steps", JSON, nullable=False),
    Column("passed", JSON, nullable=False, server_default="[]"),
    Column("job_id", String, nullable=False),
    Column("jobs", JSON, nullable=False, server_default="[]"),
    Column("fetched_bytes", BigInteger, nullable=False, server_default="0"),
    Column("turn", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    # By a gateway that works on it; whoever has it for longer is dead.
    Column("claimed_until", UtcDateTime),
    # Of its own scope; NULL for good.
    Column("keep_days", Integer),
    Column("dropped_at", UtcDateTime),
    Index("research_by_chat", "chat_id"),
    Index("research_by_owner", "organisation_id", "principal", "research_id"),
    Index("research_by_scope", "scope_id", "created_at"),
    Index("research_by_state", "state", "created_at"),
    # Of runs that are forgotten: all but the few that go on.
    Index("research_by_age", "created_at"),
    # Of runs in a gateway's hands, of which there are few. On PostgreSQL the migration says the
    # same.
    Index("research_claimed", "claimed_until", sqlite_where=text("claimed_until IS NOT NULL")),
)

# The pages whose words a run holds, for purges.
research_page = Table(
    "research_page",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("page_id", String, primary_key=True),
    Column("research_id", String, primary_key=True),
    Index("research_page_by_research", "research_id"),
)

# The scopes of runs that are deleted some days after the last run; others are kept.
research_keeping = Table(
    "research_keeping",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("scope_id", String, primary_key=True),
    Column("principal", String, nullable=False),
    Column("keep_days", Integer, nullable=False),
    Column("due_at", UtcDateTime, nullable=False),
    # By who is dropping it; whoever has it for longer is dead.
    Column("claimed_until", UtcDateTime),
    Index("research_keeping_by_due", "due_at"),
)
