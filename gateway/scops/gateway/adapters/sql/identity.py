"""The identity store in SQL; every method is one transaction."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, select, tuple_, update

from scops.common.access.principal import GROUP, InstallationRole, Principal
from scops.common.db import Database
from scops.common.db.connection import Connection
from scops.common.db.upsert import insert_ignore, upsert
from scops.gateway.adapters.sql import api_keys
from scops.gateway.adapters.sql.tables import api_key, claim, member, person
from scops.gateway.identity.api_key import ApiKey
from scops.gateway.identity.store import GROUPS_KEPT, Member, Membership

ROLE_KIND, GROUP_KIND = "role", "group"
# Stands in no subject, so that a cursor is taken apart as it was made.
SEPARATOR = "\n"


class SqlIdentity:
    """Keys, people, roles and groups."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def key(self, key_id: str) -> ApiKey | None:
        async with self._database.reading() as connection:
            statement = select(api_key).where(api_key.c.key_id == key_id)
            row = (await connection.execute(statement)).one_or_none()
        return api_keys.of_row(row) if row is not None else None

    async def add_key(self, key: ApiKey) -> None:
        async with self._database.transaction() as connection:
            await api_keys.add(connection, key)

    async def keys(
        self, organisation_id: str, *, principal_id: str, before: str, limit: int
    ) -> tuple[ApiKey, ...]:
        statement = api_keys.newest(
            organisation_id, principal_id=principal_id, before=before, limit=limit
        )
        async with self._database.reading() as connection:
            return tuple(map(api_keys.of_row, (await connection.execute(statement)).all()))

    async def revoke_key(self, key_id: str, *, now: datetime) -> None:
        good = (api_key.c.key_id == key_id, api_key.c.revoked_at.is_(None))
        async with self._database.transaction() as connection:
            await connection.execute(update(api_key).where(*good).values(revoked_at=now))

    async def note_use(self, key_id: str, *, now: datetime) -> None:
        statement = update(api_key).where(api_key.c.key_id == key_id).values(used_at=now)
        async with self._database.transaction() as connection:
            await connection.execute(statement)

    async def note_person(self, principal: Principal, *, now: datetime) -> None:
        row = {
            "organisation_id": principal.organisation_id,
            "principal": principal.principal_id,
            "email": principal.email,
            "groups": sorted(principal.groups),
            "seen_at": now,
        }
        async with self._database.transaction() as connection:
            await upsert(connection, person, row, key=("organisation_id", "principal"))

    async def membership(self, principal: Principal, *, now: datetime) -> Membership:
        organisation_id = principal.organisation_id
        async with self._database.reading() as connection:
            email, groups = await _seen(connection, principal, now)
            subjects = principal.subjects | {f"{GROUP}{name}" for name in groups}
            if email and not principal.email:
                subjects |= {f"user:{email}"}
            held = await _held(connection, organisation_id, subjects)
            kept = {value for kind, value in held if kind == GROUP_KIND}
            by_group = {f"{GROUP}{name}" for name in kept} - subjects
            held |= await _held(connection, organisation_id, by_group)
        return Membership(
            email=email,
            groups=groups | kept,
            roles=frozenset(InstallationRole(value) for kind, value in held if kind == ROLE_KIND),
        )

    async def set_role(
        self, organisation_id: str, subject: str, role: InstallationRole, *, held: bool
    ) -> bool:
        row = _row(organisation_id, subject, ROLE_KIND, role.value)
        async with self._database.transaction() as connection:
            if held:
                await insert_ignore(connection, member, row)
                return True
            administrators = await _administrators(connection, organisation_id)
            if role is InstallationRole.ADMINISTRATOR and administrators == {subject}:
                return False
            await connection.execute(delete(member).where(*_is(row)))
            return True

    async def set_group_member(
        self, organisation_id: str, group: str, subject: str, *, held: bool
    ) -> None:
        row = _row(organisation_id, subject, GROUP_KIND, group)
        async with self._database.transaction() as connection:
            if held:
                await insert_ignore(connection, member, row)
            else:
                await connection.execute(delete(member).where(*_is(row)))

    async def members(
        self, organisation_id: str, *, after: str, limit: int
    ) -> tuple[tuple[str, Member], ...]:
        order = (member.c.subject, member.c.kind, member.c.value)
        statement = select(*order).where(member.c.organisation_id == organisation_id)
        if after:
            statement = statement.where(tuple_(*order) > tuple(after.split(SEPARATOR)))
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement.order_by(*order).limit(limit))).all()
        return tuple((SEPARATOR.join(row), _member(*row)) for row in rows)

    async def has_administrator(self, organisation_id: str) -> bool:
        async with self._database.transaction() as connection:
            return bool(await _administrators(connection, organisation_id))

    async def offer_claim(
        self, token_hash: bytes, *, now: datetime, offered_after: datetime
    ) -> None:
        row = {"token_hash": token_hash, "offered_at": now}
        async with self._database.transaction() as connection:
            await connection.execute(delete(claim).where(claim.c.offered_at <= offered_after))
            await insert_ignore(connection, claim, row)

    async def claim(
        self,
        organisation_id: str,
        token_hash: bytes,
        subject: str,
        roles: Collection[InstallationRole],
        *,
        key: ApiKey | None,
        offered_after: datetime,
    ) -> bool:
        async with self._database.transaction() as connection:
            # Of two who claim at once, the second finds nothing.
            offered = (await connection.execute(select(claim).with_for_update())).all()
            tokens = {bytes(row.token_hash) for row in offered if row.offered_at > offered_after}
            if token_hash not in tokens or await _administrators(connection, organisation_id):
                return False
            await connection.execute(delete(claim))
            for role in roles:
                row = _row(organisation_id, subject, ROLE_KIND, role.value)
                await insert_ignore(connection, member, row)
            if key is not None:
                await api_keys.add(connection, key)
        return True


async def _seen(
    connection: Connection, principal: Principal, now: datetime
) -> tuple[str, frozenset[str]]:
    """Returns address and groups of a principal's last token, where it is not too old."""
    statement = select(person).where(
        person.c.organisation_id == principal.organisation_id,
        person.c.principal == principal.principal_id,
    )
    row = (await connection.execute(statement)).one_or_none()
    if row is None:
        return "", frozenset()
    return row.email, frozenset(row.groups if row.seen_at > now - GROUPS_KEPT else ())


async def _held(
    connection: Connection, organisation_id: str, subjects: Collection[str]
) -> set[tuple[str, str]]:
    """Returns kind and value of everything that subjects are in."""
    if not subjects:
        return set()
    statement = select(member.c.kind, member.c.value).where(
        member.c.organisation_id == organisation_id, member.c.subject.in_(sorted(subjects))
    )
    return {(row.kind, row.value) for row in (await connection.execute(statement)).all()}


async def _administrators(connection: Connection, organisation_id: str) -> set[str]:
    """Returns who is administrator; nobody else changes that until the transaction ends."""
    statement = select(member.c.subject).where(
        member.c.organisation_id == organisation_id,
        member.c.kind == ROLE_KIND,
        member.c.value == InstallationRole.ADMINISTRATOR.value,
    )
    return set((await connection.execute(statement.with_for_update())).scalars())


def _row(organisation_id: str, subject: str, kind: str, value: str) -> dict[str, str]:
    return {
        "organisation_id": organisation_id,
        "subject": subject,
        "kind": kind,
        "value": value,
    }


def _is(row: dict[str, str]) -> tuple[ColumnElement[bool], ...]:
    columns: Any = member.c
    return tuple(columns[name] == value for name, value in row.items())


def _member(subject: str, kind: str, value: str) -> Member:
    if kind == ROLE_KIND:
        return Member(subject=subject, role=InstallationRole(value))
    return Member(subject=subject, group=value)
