"""Tables of the gateway's state."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    text,
)

from scops.common.db import UtcDateTime
from scops.common.db.outbox import outbox_table
from scops.common.db.types import ForeignText

metadata = MetaData()

# Deleted scopes stay as rows, so that an id used again goes on from their revision.
scope = Table(
    "scope",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("scope_id", String, primary_key=True),
    Column("revision", Integer, nullable=False),
    Column("deleted", Boolean, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    # The newest revision that the projection is known to hold; 0 for none.
    Column("projected_revision", Integer, nullable=False),
    # What is to be published: looked for all the time, and seldom there.
    Index(
        "scope_unprojected",
        "updated_at",
        sqlite_where=text("projected_revision < revision"),
    ),
)

# What each scope was, and who made it so; the newest are kept.
scope_revision = Table(
    "scope_revision",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("scope_id", String, primary_key=True),
    Column("revision", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
    Column("principal", String, nullable=False),
    Column("reason", ForeignText, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)

job = Table(
    "job",
    metadata,
    # UUIDv7: its order is the order of acceptance.
    Column("job_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("scope_id", String, nullable=False),
    Column("scope_revision", Integer, nullable=False),
    Column("owner", String, nullable=False),
    Column("urls", JSON, nullable=False),
    Column("page_limit", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("open", Integer, nullable=False),
    Column("indexed", Integer, nullable=False),
    Column("unchanged", Integer, nullable=False),
    Column("joined", Integer, nullable=False, server_default="0"),
    Column("gone", Integer, nullable=False),
    Column("blocked", Integer, nullable=False),
    Column("dead", Integer, nullable=False),
    Column("cancelled", Integer, nullable=False),
    Column("fetched_bytes", BigInteger, nullable=False, server_default="0"),
    # Pages that count as its owner's fetches of the day until it has ended; 0 where nobody counts.
    Column("charged", Integer, nullable=False, server_default="0"),
    # When the ledger said so: late news never overwrite newer ones.
    Column("counted_at", UtcDateTime, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("cancel_requested", Boolean, nullable=False),
    # Empty where a caller asked.
    Column("cancel_reason", String, nullable=False, server_default=""),
    Column("attempt", Integer, nullable=False),
    Column("sent_at", UtcDateTime, nullable=False),
    Index("job_by_state", "state", "job_id"),
    Index("job_by_end", "finished_at"),
    Index("job_by_scope", "organisation_id", "scope_id", "job_id"),
)

# What principals spend in a day (UTC), by `scops.gateway.quotas.daily`.
usage = Table(
    "usage",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("principal_id", String, primary_key=True),
    # As ISO 8601 writes it.
    Column("day", String, primary_key=True),
    Column("kind", String, primary_key=True),
    Column("amount", BigInteger, nullable=False),
    Index("usage_by_day", "day"),
)

request = Table(
    "request",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("principal_id", String, primary_key=True),
    Column("request_id", String, primary_key=True),
    Column("digest", String, nullable=False),
    # The id of what the request created.
    Column("created_id", String, nullable=False),
    Column("created_at", UtcDateTime, nullable=False, index=True),
)

# Secrets of this installation, made at the first start.
secret = Table(
    "secret",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)

# API keys; one that has ended stays, so that it is known whose it was.
api_key = Table(
    "api_key",
    metadata,
    Column("key_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("principal", String, nullable=False),
    Column("display_name", ForeignText, nullable=False),
    Column("secret_hash", LargeBinary, nullable=False),
    Column("signing_secret", LargeBinary),
    Column("role", String, nullable=False),
    Column("scope_ids", JSON, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("created_by", String, nullable=False),
    Column("expires_at", UtcDateTime),
    Column("revoked_at", UtcDateTime),
    Column("used_at", UtcDateTime),
    Index("api_key_by_age", "organisation_id", "created_at", "key_id"),
)

# Roles in the installation, and groups that are kept here: a row is one subject in one of them.
member = Table(
    "member",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("subject", String, primary_key=True),
    # `role` or `group`.
    Column("kind", String, primary_key=True),
    Column("value", String, primary_key=True),
)

# Who has come in by a token: what it said last.
person = Table(
    "person",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("principal", String, primary_key=True),
    Column("email", String, nullable=False),
    Column("groups", JSON, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
)

# Tokens that make their bearer the first administrator; none stays once there is one.
claim = Table(
    "claim",
    metadata,
    Column("token_hash", LargeBinary, primary_key=True),
    Column("offered_at", UtcDateTime, nullable=False),
)

# Chats; they go with their turns when nothing was asked in them for long.
chat = Table(
    "chat",
    metadata,
    Column("chat_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("owner", String, nullable=False),
    Column("title", ForeignText, nullable=False),
    # What is searched.
    Column("folded_title", ForeignText, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("scopes", JSON, nullable=False),
    # Empty where there is no link.
    Column("share_hash", LargeBinary, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    Index("chat_by_owner", "organisation_id", "owner", "asked_at", "chat_id"),
    Index("chat_by_age", "asked_at"),
)

chat_turn = Table(
    "chat_turn",
    metadata,
    Column("chat_id", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("query", ForeignText, nullable=False),
    Column("folded_query", ForeignText, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("as_of", UtcDateTime),
    Column("asked_at", UtcDateTime, nullable=False),
    # A serialised and packed AnswerResponse, and its evidence bundle; empty for none.
    Column("answer", LargeBinary, nullable=False),
    Column("bundle", LargeBinary, nullable=False),
)

# The pages whose words a turn holds, for purges.
chat_page = Table(
    "chat_page",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("page_id", String, primary_key=True),
    Column("chat_id", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Index("chat_page_by_chat", "chat_id"),
)

# Every purge that was asked for; the record stays.
purge = Table(
    "purge",
    metadata,
    # UUIDv7: its order is the order of the marks.
    Column("purge_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("principal", String, nullable=False),
    Column("scope_id", String, nullable=False),
    Column("reason", ForeignText, nullable=False),
    # A serialised PurgePages.
    Column("command", LargeBinary, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("attempt", Integer, nullable=False),
    Column("sent_at", UtcDateTime, nullable=False),
    Index("purge_by_end", "finished_at", "purge_id"),
)

# What the owners of parts have reported, a serialised PurgeApplied each.
purge_report = Table(
    "purge_report",
    metadata,
    Column("purge_id", String, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("owner", String, primary_key=True),
    Column("batch", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

# A chain of what was changed; rows are added and never changed (`scops.gateway.audit`).
audit = Table(
    "audit",
    metadata,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("time", UtcDateTime, nullable=False),
    Column("organisation_id", String, nullable=False),
    Column("principal", String, nullable=False),
    Column("credential", String, nullable=False),
    Column("key_id", String, nullable=False),
    Column("action", String, nullable=False),
    Column("resource", ForeignText, nullable=False),
    Column("outcome", String, nullable=False),
    Column("facts", JSON, nullable=False),
    Column("request_id", ForeignText, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Index("audit_by_principal", "principal", "sequence"),
    Index("audit_by_resource", "resource", "sequence"),
    Index("audit_by_action", "action", "sequence"),
    Index("audit_by_time", "time"),
)

# What the next entry follows; its one row is held while an entry is appended.
audit_head = Table(
    "audit_head",
    metadata,
    Column("head_id", Integer, primary_key=True, autoincrement=False),
    Column("sequence", BigInteger, nullable=False),
    Column("hash", LargeBinary, nullable=False),
)

outbox = outbox_table(metadata)
