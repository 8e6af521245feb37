"""Insert-or-nothing and insert-or-update, the same on SQLite and PostgreSQL."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection


async def insert_ignore(connection: AsyncConnection, table: Table, row: Mapping[str, Any]) -> bool:
    """Inserts a row unless any unique key holds one; returns whether it was inserted."""
    statement = insert_for(connection, table).values(dict(row)).on_conflict_do_nothing()
    result = await connection.execute(statement)
    return result.rowcount == 1


async def insert_ignore_many(
    connection: AsyncConnection, table: Table, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Inserts rows of the same columns; those that any unique key already holds are left out."""
    if rows:
        values = [dict(row) for row in rows]
        await connection.execute(
            insert_for(connection, table).values(values).on_conflict_do_nothing()
        )


async def upsert(
    connection: AsyncConnection,
    table: Table,
    row: Mapping[str, Any],
    *,
    key: Sequence[str],
) -> None:
    """Inserts a row, or sets its other columns where the key holds one."""
    others = {name: value for name, value in row.items() if name not in key}
    statement = insert_for(connection, table).values(dict(row))
    conflict = statement.on_conflict_do_update(index_elements=list(key), set_=others)
    await connection.execute(conflict)


def insert_for(connection: AsyncConnection, table: Table) -> Any:
    """Returns the dialect's INSERT, which knows ON CONFLICT."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)
