"""Whether a database has the schema that this version needs.

Read without Alembic, which only `scops provision` needs: it would be a tenth of a process's memory.
"""

import re
from pathlib import Path

from sqlalchemy import Table, false, inspect, text

from scops.common.db.database import Database
from scops.common.observe.metrics import DATABASE_BYTES
from scops.common.runtime.service import WRITES_SECONDS, ReadinessCheck, Remembered

REVISION = re.compile(r'^revision(?:: str)? = "(\w+)"', re.MULTILINE)
DOWN_REVISION = re.compile(r'^down_revision(?:: [\w| ]+)? = "(\w+)"', re.MULTILINE)
SIZES = {
    "sqlite": text("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"),
    "postgresql": text(
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c "
        "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'"
    ),
}
# SQLite has one writer, who owns the file.
REWRITE = text("UPDATE alembic_version SET version_num = version_num")
# A login of PostgreSQL may not write its revision. A number for the transaction makes its end a
# record that is synced.
NUMBER = text("SELECT txid_current()")


def head(migrations_dir: Path) -> str | None:
    """Returns the newest revision of a service: the one that no other comes after."""
    steps = [file.read_text() for file in (migrations_dir / "versions").glob("*.py")]
    before = {name for step in steps for name in DOWN_REVISION.findall(step)}
    newest = {name for step in steps for name in REVISION.findall(step)} - before
    assert len(newest) <= 1, f"{migrations_dir} holds branches: {newest}"
    return next(iter(newest), None)


def serves(found: str | None, wanted: str | None) -> bool:
    """Returns whether a schema has what a version needs.

    Steps only add, so that the version before goes on beside the one that took them. A step that
    takes something away has a revision of the next thousand, such as 1012 after 0011: versions
    that do not know it pause.
    """
    if found is None or wanted is None or not (found.isdigit() and wanted.isdigit()):
        return found == wanted
    return found[0] == wanted[0] and found >= wanted


def schema_check(
    database: Database, migrations_dir: Path, *, name: str, written: Table | None = None
) -> ReadinessCheck:
    """Returns the readiness check that a database has the newest revision, or a later one.

    It measures now and then how large the service's tables are.

    Args:
        written: a table of the service, where the database also has to take writes, which a
            standby or a full disk does not; a write that changes nothing is tried now and then.
    """
    wanted = head(migrations_dir)
    last = Remembered(WRITES_SECONDS)

    async def probe() -> str | None:
        found = await _revision(database)
        if serves(found, wanted):
            return await last.problem(look)
        return (
            f"The schema of {name} is at revision {found or 'none'}, this version needs {wanted}. "
            "Run `scops provision`."
        )

    async def look() -> None:
        # First, so that it is known of a database that takes no writes, too.
        await _measure(database, name)
        if written is not None:
            await _touch(database, written)

    return ReadinessCheck(name=f"{name}-schema", probe=probe)


async def _measure(database: Database, name: str) -> None:
    """Tells the size of a service's tables."""
    async with database.reading() as connection:
        size = (await connection.execute(SIZES[connection.dialect.name])).scalar()
    DATABASE_BYTES.labels(name).set(int(size or 0))


async def _touch(database: Database, table: Table) -> None:
    """Writes what changes nothing; raises where that is refused."""
    async with database.transaction() as connection:
        if connection.dialect.name == "sqlite":
            await connection.execute(REWRITE)
        else:
            await connection.execute(table.delete().where(false()))
            await connection.execute(NUMBER)


async def _revision(database: Database) -> str | None:
    async with database.reading() as connection:
        tables = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
        if "alembic_version" not in tables:
            return None
        return (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar()
