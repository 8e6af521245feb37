"""Scopes in SQL."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, String, bindparam, select, tuple_, update

from scops.common.config.settings import MEBIBYTE
from scops.common.contract import wire
from scops.common.contract.errors import AlreadyExists, NotFound
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.common.db import Database
from scops.common.db.batches import rows_of
from scops.common.db.connection import Connection
from scops.common.db.outbox import enqueue
from scops.common.db.upsert import insert_ignore
from scops.common.runtime.sized_cache import SizedCache
from scops.gateway.adapters.sql import requests, revisions
from scops.gateway.adapters.sql.jobs import job_of_row
from scops.gateway.adapters.sql.tables import job, outbox, scope
from scops.gateway.jobs.job import OPEN_STATES, SCOPE_DELETED, cancel_command
from scops.gateway.requests.names import scope_name
from scops.gateway.requests.request_keys import RequestKey
from scops.gateway.scopes.revisions import ScopeChange, ScopeRevision
from scops.gateway.scopes.stored_scope import StoredScope

# Of encoded scopes kept decoded, each by its bytes; a usual one has 500.
SCOPES_BYTES_MAX = 8 * MEBIBYTE
_scopes_decoded: SizedCache[bytes, Scope] = SizedCache(SCOPES_BYTES_MAX)
# Asked twice by every search, and building a statement costs more than running it.
_SOME = select(scope).where(
    scope.c.organisation_id == bindparam("of_organisation"),
    scope.c.scope_id.in_(bindparam("of_scopes", expanding=True)),
    scope.c.deleted.is_(False),
)

# That are read, or written, at once.
KEYS_AT_ONCE = 500
_KEY = (scope.c.organisation_id, scope.c.scope_id)


def _bound(name: str) -> Any:
    return tuple_(*(bindparam(key, type_=String) for key in _named(("", ""), name)))


def _named(key: tuple[str, str], name: str) -> dict[str, Any]:
    """Returns a key as the parameters of `_bound`."""
    return dict(zip((f"{name}_organisation", f"{name}_scope"), key, strict=True))


_KEYS = (
    select(*_KEY).where(tuple_(*_KEY) > _bound("after")).order_by(*_KEY).limit(bindparam("at_most"))
)
_UNPROJECT = (
    update(scope)
    .where(tuple_(*_KEY) >= _bound("first"), tuple_(*_KEY) <= _bound("last"))
    .values(projected_revision=0)
)


class SqlScopes:
    """A `ScopeStore` on the gateway's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self,
        stored: StoredScope,
        *,
        key: RequestKey | None,
        now: datetime,
        change: ScopeChange,
    ) -> StoredScope:
        organisation_id, scope_id = stored.scope.organisation_id, stored.scope.scope_id
        async with self._database.transaction() as connection:
            first = await requests.claim(connection, key, created_id=scope_id, now=now)
            row = await _row(connection, organisation_id, scope_id)
            if first is not None:
                return _repeated(row, scope_id)
            if row is not None and not row.deleted:
                raise _taken(scope_id)
            created = await _insert(connection, stored, row)
            await revisions.begin(connection, created, change)
            return created

    async def get(self, organisation_id: str, scope_id: ScopeId) -> StoredScope | None:
        return next(iter(await self.some(organisation_id, (scope_id,))), None)

    async def all(self, organisation_id: str) -> tuple[StoredScope, ...]:
        statement = select(scope).where(
            scope.c.organisation_id == organisation_id, scope.c.deleted.is_(False)
        )
        return await self._read(statement, {})

    async def some(
        self, organisation_id: str, scope_ids: Collection[ScopeId]
    ) -> tuple[StoredScope, ...]:
        named = {"of_organisation": organisation_id, "of_scopes": sorted(scope_ids)}
        return await self._read(_SOME, named)

    async def revisions(
        self, organisation_id: str, scope_id: ScopeId, *, before: int, limit: int
    ) -> tuple[ScopeRevision, ...]:
        async with self._database.reading() as connection:
            return await revisions.newest(
                connection, organisation_id, scope_id, before=before, limit=limit
            )

    async def replace(
        self, stored: StoredScope, *, expected_revision: int, change: ScopeChange
    ) -> bool:
        async with self._database.transaction() as connection:
            replaced = await _replace(connection, stored, expected_revision)
            if replaced:
                await revisions.add(connection, stored, change)
            if replaced and stored.scope.deleted:
                await _cancel_jobs(connection, stored)
            return replaced

    async def unprojected(self, limit: int) -> tuple[Scope, ...]:
        statement = (
            select(scope.c.data)
            .where(scope.c.projected_revision < scope.c.revision)
            .order_by(scope.c.updated_at, scope.c.organisation_id, scope.c.scope_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        return tuple(wire.decode(Scope, row.data) for row in rows)

    async def mark_projected(self, projected: Scope) -> None:
        statement = (
            update(scope)
            .where(
                scope.c.organisation_id == projected.organisation_id,
                scope.c.scope_id == projected.scope_id,
                scope.c.projected_revision < projected.revision,
            )
            .values(projected_revision=projected.revision)
        )
        async with self._database.transaction() as connection:
            await connection.execute(statement)

    async def rise_above(self, published: Scope, held: int) -> bool:
        async with self._database.transaction() as connection:
            row = await _row(connection, published.organisation_id, published.scope_id)
            # A table has every revision before the projection does, unless it was put back.
            is_other = row is not None and row.revision == published.revision == held
            if row is None or (row.revision >= held and not is_other):
                return False
            stored = _stored(row)
            risen = replace(stored, scope=replace(stored.scope, revision=held + 1))
            return await _replace(connection, risen, row.revision)

    async def known_ids(self) -> Collection[tuple[str, ScopeId]]:
        return {key async for keys in self._keys() for key in keys}

    async def mark_all_unprojected(self) -> None:
        async for keys in self._keys():
            named = _named(keys[0], "first") | _named(keys[-1], "last")
            async with self._database.transaction() as connection:
                await connection.execute(_UNPROJECT, named)

    async def _keys(self) -> AsyncIterator[Sequence[tuple[str, ScopeId]]]:
        """Yields organisation and id of every scope, some at a time, in order."""
        after: tuple[str, str] = ("", "")
        while True:
            async with self._database.reading() as connection:
                named = {**_named(after, "after"), "at_most": KEYS_AT_ONCE}
                rows = (await connection.execute(_KEYS, named)).all()
            if rows:
                yield [(row.organisation_id, ScopeId(row.scope_id)) for row in rows]
                after = rows[-1].organisation_id, rows[-1].scope_id
            if len(rows) < KEYS_AT_ONCE:
                return
            await asyncio.sleep(0)

    async def _read(self, statement: Select[Any], named: dict[str, Any]) -> tuple[StoredScope, ...]:
        async with self._database.reading() as connection:
            rows = await rows_of(connection, statement, named)
        # By code point: servers sort by the language of their operators.
        return tuple(_stored(row) for row in sorted(rows, key=lambda row: str(row.scope_id)))


def _repeated(row: Row[Any] | None, scope_id: ScopeId) -> StoredScope:
    """Returns what a repeated request created."""
    if row is None or row.deleted:
        raise NotFound(
            f"{scope_name(scope_id)} was created by this request and deleted since. "
            "Create it again with a fresh request_id.",
            reason="SCOPE_NOT_FOUND",
            resource=scope_name(scope_id),
        )
    return _stored(row)


def _taken(scope_id: ScopeId) -> AlreadyExists:
    return AlreadyExists(
        f"{scope_name(scope_id)} exists already. Choose another scope_id, or update it.",
        reason="SCOPE_EXISTS",
        field="scope_id",
        resource=scope_name(scope_id),
    )


async def _row(connection: Connection, organisation_id: str, scope_id: ScopeId) -> Row[Any] | None:
    statement = select(scope).where(
        scope.c.organisation_id == organisation_id, scope.c.scope_id == scope_id
    )
    return (await connection.execute(statement)).one_or_none()


async def _insert(
    connection: Connection, stored: StoredScope, deleted: Row[Any] | None
) -> StoredScope:
    """Inserts a scope, or stores it over a deleted one of the same id."""
    if deleted is None:
        values = {**_values(stored), "projected_revision": 0}
        if not await insert_ignore(connection, scope, values):
            raise _taken(stored.scope.scope_id)
        return stored
    risen = replace(stored, scope=replace(stored.scope, revision=deleted.revision + 1))
    if not await _replace(connection, risen, deleted.revision):
        raise _taken(stored.scope.scope_id)
    return risen


async def _replace(connection: Connection, stored: StoredScope, expected_revision: int) -> bool:
    statement = (
        update(scope)
        .where(
            scope.c.organisation_id == stored.scope.organisation_id,
            scope.c.scope_id == stored.scope.scope_id,
            scope.c.revision == expected_revision,
        )
        .values(_values(stored))
    )
    return (await connection.execute(statement)).rowcount == 1


async def _cancel_jobs(connection: Connection, stored: StoredScope) -> None:
    """Sends a cancellation for every open job of a scope."""
    of_scope = (
        job.c.organisation_id == stored.scope.organisation_id,
        job.c.scope_id == stored.scope.scope_id,
        job.c.state.in_(OPEN_STATES),
        job.c.cancel_requested.is_(False),
    )
    values = {"cancel_requested": True, "cancel_reason": SCOPE_DELETED}
    asked = update(job).where(*of_scope).values(values).returning(*job.c)
    rows = (await connection.execute(asked)).all()
    for row in sorted(rows, key=lambda row: str(row.job_id)):
        command = cancel_command(job_of_row(row))
        await enqueue(connection, outbox, command, now=stored.updated_time)


def _values(stored: StoredScope) -> dict[str, Any]:
    return {
        "organisation_id": stored.scope.organisation_id,
        "scope_id": stored.scope.scope_id,
        "revision": stored.scope.revision,
        "deleted": stored.scope.deleted,
        "data": wire.encode(stored.scope),
        "created_at": stored.created_time,
        "updated_at": stored.updated_time,
    }


def _decoded(data: bytes) -> Scope:
    # Every search reads its scopes twice; the bytes of one seldom change.
    known = _scopes_decoded.get(data)
    if known is None:
        known = wire.decode(Scope, data)
        _scopes_decoded.keep(data, known, size=len(data))
    return known


def _stored(row: Row[Any]) -> StoredScope:
    return StoredScope(
        scope=_decoded(bytes(row.data)),
        created_time=row.created_at,
        updated_time=row.updated_at,
    )
