"""Insert-or-nothing and insert-or-update, the same on SQLite and PostgreSQL."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Column, Table
from sqlalchemy.dialects import sqlite

from scops.common.db.connection import Connection


async def insert_ignore(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Inserts a row unless any unique key holds one; returns whether it was inserted."""
    result = await connection.execute(_ignoring(connection.dialect.name, table), dict(row))
    return result.rowcount == 1


async def insert_ignore_many(
    connection: Connection,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    *,
    returning: Column[Any] | None = None,
) -> Sequence[Any]:
    """Inserts rows of the same columns; those that any unique key already holds are left out.

    Returns:
        A column of the rows that were inserted, where one is named.
    """
    if not rows:
        return ()
    values = [dict(row) for row in rows]
    statement = _ignoring(connection.dialect.name, table, returning)
    result = await connection.execute(statement, values)
    return () if returning is None else result.scalars().all()


async def upsert(
    connection: Connection,
    table: Table,
    row: Mapping[str, Any],
    *,
    key: Sequence[str],
) -> None:
    """Inserts a row, or sets its other columns where the key holds one."""
    await upsert_many(connection, table, [row], key=key)


async def upsert_many(
    connection: Connection,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    *,
    key: Sequence[str],
) -> None:
    """Inserts rows of the same columns, or sets the others where the key holds one."""
    if not rows:
        return
    others = tuple(name for name in rows[0] if name not in key)
    statement = _setting(connection.dialect.name, table, tuple(key), others)
    await connection.execute(statement, [dict(row) for row in rows])


def insert_for(dialect_name: str, table: Table) -> Any:
    """Returns the dialect's INSERT, which knows ON CONFLICT."""
    if dialect_name == "postgresql":
        # Imported here: the dialect costs 2 MB where the state is a file.
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    return sqlite.insert(table)


# Building a statement costs more than running it: each is built once.
@cache
def _ignoring(dialect_name: str, table: Table, returning: Column[Any] | None = None) -> Any:
    statement = insert_for(dialect_name, table).on_conflict_do_nothing()
    return statement if returning is None else statement.returning(returning)


@cache
def _setting(dialect_name: str, table: Table, key: tuple[str, ...], others: tuple[str, ...]) -> Any:
    statement = insert_for(dialect_name, table)
    fresh = {name: statement.excluded[name] for name in others}
    return statement.on_conflict_do_update(index_elements=list(key), set_=fresh)
