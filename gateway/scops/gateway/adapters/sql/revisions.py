"""The history of scopes in SQL: part of the transaction that changes one."""

from itertools import pairwise
from typing import Any

from sqlalchemy import Row, delete, insert, select

from scops.common.contract import wire
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.common.db.connection import Connection
from scops.gateway.adapters.sql.tables import scope_revision
from scops.gateway.scopes.revisions import REVISIONS_KEPT, ScopeChange, ScopeRevision
from scops.gateway.scopes.stored_scope import StoredScope


async def begin(connection: Connection, stored: StoredScope, change: ScopeChange) -> None:
    """Records the first revision of a scope; those of an earlier one of its id go."""
    await connection.execute(delete(scope_revision).where(*_of(stored.scope)))
    await add(connection, stored, change)


async def add(connection: Connection, stored: StoredScope, change: ScopeChange) -> None:
    """Records a revision; the oldest go."""
    scope = stored.scope
    row = {
        "organisation_id": scope.organisation_id,
        "scope_id": scope.scope_id,
        "revision": scope.revision,
        "data": wire.encode(scope),
        "principal": change.principal,
        "reason": change.reason,
        "created_at": stored.updated_time,
    }
    await connection.execute(insert(scope_revision), row)
    oldest = scope_revision.c.revision <= scope.revision - REVISIONS_KEPT
    await connection.execute(delete(scope_revision).where(*_of(scope), oldest))


async def newest(
    connection: Connection, organisation_id: str, scope_id: ScopeId, *, before: int, limit: int
) -> tuple[ScopeRevision, ...]:
    """Returns revisions below one, newest first, each with the one before it."""
    statement = (
        select(scope_revision)
        .where(
            scope_revision.c.organisation_id == organisation_id,
            scope_revision.c.scope_id == scope_id,
            scope_revision.c.revision < before,
        )
        .order_by(scope_revision.c.revision.desc())
        .limit(limit + 1)
    )
    rows = (await connection.execute(statement)).all()
    return tuple(_revision(row, earlier) for row, earlier in pairwise((*rows, None)))[:limit]


def _of(scope: Scope) -> tuple[Any, Any]:
    return (
        scope_revision.c.organisation_id == scope.organisation_id,
        scope_revision.c.scope_id == scope.scope_id,
    )


def _revision(row: Row[Any] | None, earlier: Row[Any] | None) -> ScopeRevision:
    assert row is not None, "only what follows the last row is none"
    return ScopeRevision(
        scope=wire.decode(Scope, bytes(row.data)),
        changed_time=row.created_at,
        change=ScopeChange(principal=row.principal, reason=row.reason),
        before=wire.decode(Scope, bytes(earlier.data)) if earlier is not None else None,
    )
