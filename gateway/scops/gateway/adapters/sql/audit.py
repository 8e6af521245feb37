"""The audit's chain in SQL: one row says what the next entry follows, and is held meanwhile."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, insert, select, update

from scops.common.db import Database
from scops.common.db.connection import Connection
from scops.common.db.upsert import insert_ignore
from scops.gateway.adapters.sql.tables import audit, audit_head
from scops.gateway.audit.entry import (
    NO_HASH,
    AuditEntry,
    AuditFact,
    AuditFilter,
    ChainLink,
    canonical,
    hash_of,
    said_by,
)
from scops.gateway.identity.caller import CredentialKind

HEAD_ID = 1


class SqlAudit:
    """An `AuditLog`; nothing here changes or removes an entry."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, entry: AuditEntry) -> AuditEntry:
        async with self._database.transaction() as connection:
            sequence, before = await _held_head(connection)
            placed = replace(entry, sequence=sequence + 1)
            placed = replace(placed, hash=hash_of(before, said_by(placed)))
            await connection.execute(insert(audit), _row(placed))
            moved = {"sequence": placed.sequence, "hash": placed.hash}
            statement = update(audit_head).where(audit_head.c.head_id == HEAD_ID).values(**moved)
            await connection.execute(statement)
        return placed

    async def newest(
        self, organisation_id: str, wanted: AuditFilter, *, before: int, limit: int
    ) -> tuple[AuditEntry, ...]:
        held = [audit.c.organisation_id == organisation_id]
        for column in ("principal", "action", "resource"):
            if value := getattr(wanted, column):
                held.append(audit.c[column] == value)
        if wanted.start is not None:
            held.append(audit.c.time >= wanted.start)
        if wanted.end is not None:
            held.append(audit.c.time < wanted.end)
        if before:
            held.append(audit.c.sequence < before)
        statement = select(audit).where(*held).order_by(audit.c.sequence.desc()).limit(limit)
        return await self._read(statement)

    async def chain(self, *, after: int, limit: int) -> tuple[tuple[ChainLink, ...], ChainLink]:
        following = select(audit.c.sequence).where(audit.c.sequence > after)
        following = following.order_by(audit.c.sequence).limit(limit)
        async with self._database.reading() as connection:
            found = (await connection.execute(select(audit_head))).one_or_none()
            places = (await connection.execute(following)).scalars().all()
            links = [await _link(connection, place) for place in places]
        head = ChainLink(0, b"", NO_HASH)
        if found is not None:
            head = ChainLink(found.sequence, b"", bytes(found.hash))
        return tuple(links), head

    async def _read(self, statement: Any) -> tuple[AuditEntry, ...]:
        async with self._database.reading() as connection:
            rows: Sequence[Row[Any]] = (await connection.execute(statement)).all()
        return tuple(map(_entry, rows))


async def _held_head(connection: Connection) -> tuple[int, bytes]:
    """Returns what the next entry follows, and keeps it from others until the transaction ends."""
    statement = select(audit_head).where(audit_head.c.head_id == HEAD_ID).with_for_update()
    row = (await connection.execute(statement)).one_or_none()
    if row is None:
        first = {"head_id": HEAD_ID, "sequence": 0, "hash": NO_HASH}
        await insert_ignore(connection, audit_head, first)
        row = (await connection.execute(statement)).one()
    return row.sequence, bytes(row.hash)


async def _link(connection: Connection, sequence: int) -> ChainLink:
    """Returns what an entry says as it stands; nothing where that cannot be read."""
    try:
        row = (await connection.execute(select(audit).where(audit.c.sequence == sequence))).one()
        said = canonical(
            row.sequence,
            row.time,
            row.organisation_id,
            row.principal,
            row.credential,
            row.key_id,
            row.action,
            row.resource,
            row.outcome,
            row.facts,
            row.request_id,
        )
        return ChainLink(sequence, said, bytes(row.hash))
    except (ValueError, TypeError, OverflowError):
        return ChainLink(sequence, b"", b"")


def _row(entry: AuditEntry) -> dict[str, Any]:
    return {
        "sequence": entry.sequence,
        "time": entry.time,
        "organisation_id": entry.organisation_id,
        "principal": entry.principal,
        "credential": entry.credential.value,
        "key_id": entry.key,
        "action": entry.action,
        "resource": entry.resource,
        "outcome": entry.outcome,
        "facts": [[fact.name, fact.value] for fact in entry.facts],
        "request_id": entry.request_id,
        "hash": entry.hash,
    }


def _entry(row: Row[Any]) -> AuditEntry:
    return AuditEntry(
        sequence=row.sequence,
        time=row.time,
        organisation_id=row.organisation_id,
        principal=row.principal,
        credential=_kind(row.credential),
        key=row.key_id,
        action=row.action,
        resource=row.resource,
        outcome=row.outcome,
        facts=_facts(row.facts),
        request_id=row.request_id,
        hash=bytes(row.hash),
    )


def _kind(value: str) -> CredentialKind:
    try:
        return CredentialKind(value)
    except ValueError:
        # Somebody has changed the row, as verifying will say.
        return CredentialKind.NONE


def _facts(value: Any) -> tuple[AuditFact, ...]:
    try:
        return tuple(AuditFact(str(name), str(said)) for name, said in value)
    except (ValueError, TypeError):
        return (AuditFact("unreadable", str(value)),)
