"""The request_id table: part of the transaction of whatever a request creates."""

from datetime import datetime, timedelta

from sqlalchemy import select

from scops.common.contract.errors import InvalidInput
from scops.common.db.connection import Connection
from scops.common.db.locks import forget_rows
from scops.common.db.upsert import insert_ignore
from scops.gateway.adapters.sql.tables import request
from scops.gateway.requests.request_keys import RequestKey

# A caller repeats a request after minutes; a stopped one may come back within days.
REQUEST_ID_DAYS = 7


async def claim(
    connection: Connection, key: RequestKey | None, *, created_id: str, now: datetime
) -> str | None:
    """Records what a request creates.

    Returns:
        None the first time and without a key, else the id that the first time created.

    Raises:
        InvalidInput: the request_id was used for another request.
    """
    if key is None:
        return None
    row = {
        "organisation_id": key.organisation_id,
        "principal_id": key.principal_id,
        "request_id": key.request_id,
        "digest": key.digest,
        "created_id": created_id,
        "created_at": now,
    }
    if await insert_ignore(connection, request, row):
        return None
    return await _first_id(connection, key)


async def forget_requests(connection: Connection, *, now: datetime) -> None:
    """Drops requests that nobody repeats any more, so many at a time."""
    old = request.c.created_at < now - timedelta(days=REQUEST_ID_DAYS)
    await forget_rows(connection, request, old)


async def _first_id(connection: Connection, key: RequestKey) -> str:
    statement = select(request).where(
        request.c.organisation_id == key.organisation_id,
        request.c.principal_id == key.principal_id,
        request.c.request_id == key.request_id,
    )
    row = (await connection.execute(statement)).one()
    if row.digest != key.digest:
        raise InvalidInput(
            f"The request_id {key.request_id} was used for another request. Give a fresh UUID.",
            reason="REQUEST_ID_REUSED",
            field="request_id",
        )
    return str(row.created_id)
