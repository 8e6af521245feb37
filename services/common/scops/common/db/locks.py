"""Locks of rows, where several transactions write at once.

Who reads rows to write them locks them first, and every transaction takes its locks in the order
that its service's README gives; two that wait for each other are found by the server, which ends
one of them, a second later.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, delete, select, tuple_

from scops.common.db.connection import Connection

# A few milliseconds' work.
FORGOTTEN_AT_ONCE = 500


def locks_rows(connection: Connection) -> bool:
    """Returns whether others may write while this transaction does."""
    return connection.dialect.name != "sqlite"


async def lock_rows(
    connection: Connection, statement: Select[*tuple[Any, ...]], parameters: Mapping[str, Any]
) -> bool:
    """Locks the rows that a `SELECT … ORDER BY … FOR UPDATE` finds, in its order.

    On SQLite the writer holds the whole database already, and nothing is asked.

    Returns:
        Whether what the transaction reads next of them is locked: on a server, if any was found.
    """
    if not locks_rows(connection):
        return True
    return (await connection.execute(statement, parameters)).first() is not None


async def forget_rows(
    connection: Connection,
    table: Table,
    condition: ColumnElement[bool],
    *,
    limit: int = FORGOTTEN_AT_ONCE,
) -> int:
    """Deletes rows that nobody needs any more; those in somebody's hands stay for another time.

    Returns:
        How many: as many as the limit means that there may be more, for the next time.
    """
    key = list(table.primary_key.columns)
    found = select(*key).where(condition).limit(limit).with_for_update(skip_locked=True)
    gone = await connection.execute(delete(table).where(tuple_(*key).in_(found)))
    return int(gone.rowcount)
