"""How large the tables of a service are, for whoever wonders where the disk went."""

from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from scops.common.db.connection import Connection
from scops.common.db.database import Database

# Of every table with its indexes; rows as PostgreSQL last estimated them.
_ON_SERVER = text("""
    SELECT c.relname AS name, greatest(c.reltuples, 0)::bigint AS rows,
           pg_total_relation_size(c.oid) AS bytes
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r'
""")
_TABLES = text("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
_BYTES = text("""
    SELECT tbl_name AS name, sum(s.pgsize) AS bytes
    FROM dbstat s JOIN sqlite_master m ON m.name = s.name
    WHERE s.aggregate = TRUE GROUP BY tbl_name
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize:
    """One table with its indexes.

    Attributes:
        rows: counted on SQLite, estimated on PostgreSQL.
        bytes: on disk; 0 where this SQLite cannot say.
    """

    database: str
    table: str
    rows: int
    bytes: int


async def table_sizes(database: Database) -> list[TableSize]:
    """Returns the tables of a service's state, largest first.

    Raises:
        StoreUnavailable: the database does not answer.
    """
    async with database.reading() as connection:
        if database.address.is_server:
            found = (await connection.execute(_ON_SERVER)).all()
            sizes = {row.name: (row.rows, row.bytes) for row in found}
        else:
            sizes = await _of_file(connection)
    tables = [
        TableSize(database=database.name, table=name, rows=rows, bytes=size)
        for name, (rows, size) in sizes.items()
    ]
    return sorted(tables, key=lambda one: (one.bytes, one.rows), reverse=True)


async def _of_file(connection: Connection) -> dict[str, tuple[int, int]]:
    names = [row.name for row in (await connection.execute(_TABLES)).all()]
    try:
        pages = {row.name: row.bytes for row in (await connection.execute(_BYTES)).all()}
    except OperationalError:
        # Built without the table that tells pages apart.
        pages = {}
    counted = {}
    for name in names:
        rows = await connection.execute(text(f'SELECT count(*) FROM "{name}"'))
        counted[name] = (int(rows.scalar_one()), int(pages.get(name, 0)))
    return counted
