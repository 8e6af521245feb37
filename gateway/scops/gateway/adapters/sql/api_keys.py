"""API keys in SQL: statements and rows."""

from typing import Any

from sqlalchemy import Row, Select, insert, select, tuple_

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import ScopeRole
from scops.common.db.connection import Connection
from scops.gateway.adapters.sql.tables import api_key
from scops.gateway.identity.api_key import ApiKey


async def add(connection: Connection, key: ApiKey) -> None:
    """Inserts a key."""
    row = {
        "key_id": key.key_id,
        "organisation_id": key.organisation_id,
        "principal": key.principal_id,
        "display_name": key.display_name,
        "secret_hash": key.secret_hash,
        "signing_secret": key.signing_secret or None,
        "role": key.role.value,
        "scope_ids": list(key.scope_ids),
        "created_at": key.created_time,
        "created_by": key.created_by,
        "expires_at": key.expired_time,
    }
    await connection.execute(insert(api_key), row)


def newest(organisation_id: str, *, principal_id: str, before: str, limit: int) -> Select[Any]:
    """Returns what selects keys, newest first, after the key `before` in that order."""
    wanted = [api_key.c.organisation_id == organisation_id]
    if principal_id:
        wanted.append(api_key.c.principal == principal_id)
    if before:
        created = select(api_key.c.created_at).where(api_key.c.key_id == before).scalar_subquery()
        # One comparison of both, which an index in this order answers.
        wanted.append(tuple_(api_key.c.created_at, api_key.c.key_id) < tuple_(created, before))
    order = (api_key.c.created_at.desc(), api_key.c.key_id.desc())
    return select(api_key).where(*wanted).order_by(*order).limit(limit)


def of_row(row: Row[Any]) -> ApiKey:
    """Returns the key of a row."""
    return ApiKey(
        key_id=row.key_id,
        organisation_id=row.organisation_id,
        principal_id=row.principal,
        display_name=row.display_name,
        secret_hash=bytes(row.secret_hash),
        signing_secret=bytes(row.signing_secret or b""),
        role=ScopeRole(row.role),
        scope_ids=tuple(ScopeId(one) for one in row.scope_ids),
        created_time=row.created_at,
        created_by=row.created_by,
        expired_time=row.expires_at,
        revoked_time=row.revoked_at,
        used_time=row.used_at,
    )
