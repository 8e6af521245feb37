"""The databases of an installation at one instant, while it runs.

A server gives one snapshot of all schemas. SQLite files get a reading transaction each, opened
within milliseconds of one another in the order of the data: what a later file knows beyond an
earlier one is derived again under the same ids, what it lacks is published again.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg

from scops.change_detector import service as change_detector
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.contract.organisations import schema_name
from scops.common.db.address import state_address
from scops.indexer import service as indexer
from scops.standalone.backup.place import BackupPlace
from scops.standalone.backup.record import DatabaseCopy, TableCopy
from scops.standalone.process.parts import PARTS

# In the order of the data; the gateway last, so that it knows every job and scope that others do.
DATABASES = tuple(part.database for part in PARTS if part.stateful)
REVISION_TABLE = "alembic_version"
REVISION = "SELECT version_num FROM {schema}alembic_version"
# Blobs that what is kept refers to, by database.
REFERRED = {
    change_detector.DATABASE: (
        "SELECT manifest_digest FROM {schema}version WHERE dropped_time IS NULL "
        "UNION SELECT text_digest FROM {schema}version WHERE dropped_time IS NULL "
        "UNION SELECT document_digest FROM {schema}version WHERE dropped_time IS NULL"
    ),
    indexer.DATABASE: "SELECT manifest_digest FROM {schema}head",
}
SERVER_TABLES = (
    "SELECT table_name FROM information_schema.tables "
    "WHERE table_schema = $1 AND table_type = 'BASE TABLE' ORDER BY table_name"
)
SERVER_COLUMNS = (
    "SELECT column_name FROM information_schema.columns "
    "WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position"
)
CONNECT_SECONDS = 10.0
Ask = Callable[[str], Awaitable[list[str | None]]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Databases at one instant.

    Attributes:
        copy: stores a database below a folder of a place.
        ask: returns the first column of a query on a database; `{schema}` stands before tables.
    """

    copy: Callable[[str, BackupPlace, str, Path], Awaitable[DatabaseCopy]]
    ask: Callable[[str, str], Awaitable[list[str | None]]]

    async def referred(self) -> set[str]:
        """Returns the digests of the blobs that the databases lean on."""
        found: set[str] = set()
        for name, query in REFERRED.items():
            found.update(digest for digest in await self.ask(name, query) if digest)
        return found


def state_file(common: CommonSettings, name: str) -> Path:
    """Returns the SQLite file of a database."""
    return common.data_dir / "state" / f"{name}.db"


@asynccontextmanager
async def opened_snapshot(common: CommonSettings) -> AsyncIterator[Snapshot]:
    """Holds every database at one instant while inside; nobody waits for it.

    Raises:
        StoreUnavailable: a database is missing, has no schema, or does not answer.
    """
    opening = _on_server if common.database_url.get_secret_value() else _in_files
    try:
        async with opening(common) as snapshot:
            yield snapshot
    except (sqlite3.Error, asyncpg.PostgresError, OSError) as error:
        raise StoreUnavailable(
            f"The databases cannot be copied: {error}. Check SCOPS_DATA_DIR or "
            "SCOPS_DATABASE_URL, and that `scops provision` has been run.",
            reason="DATABASE_UNAVAILABLE",
        ) from error


@asynccontextmanager
async def _in_files(common: CommonSettings) -> AsyncIterator[Snapshot]:
    with ExitStack() as closing:
        held: dict[str, sqlite3.Connection] = {}
        for name in DATABASES:
            connection = sqlite3.connect(
                f"file:{state_file(common, name)}?mode=ro",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
            )
            closing.callback(connection.close)
            connection.execute("BEGIN")
            # The transaction sees the instant of its first reading.
            connection.execute(REVISION.format(schema="")).fetchone()
            held[name] = connection

        async def ask(name: str, query: str) -> list[str | None]:
            cursor = held[name].execute(query.format(schema=""))
            return [row[0] for row in await asyncio.to_thread(cursor.fetchall)]

        async def copy(name: str, place: BackupPlace, folder: str, work: Path) -> DatabaseCopy:
            target = work / f"{name}.db"
            await asyncio.to_thread(_copy_file, held[name], target)
            kept = await place.keep(target, f"{folder}/{name}.db")
            target.unlink()
            (revision,) = await ask(name, REVISION)
            return DatabaseCopy(name=name, revision=str(revision), file=kept)

        yield Snapshot(copy, ask)


def _copy_file(source: sqlite3.Connection, target: Path) -> None:
    copied = sqlite3.connect(target)
    try:
        source.backup(copied)
        copied.execute("PRAGMA journal_mode = DELETE")
    finally:
        copied.close()


@asynccontextmanager
async def _on_server(common: CommonSettings) -> AsyncIterator[Snapshot]:
    connection = await connect_server(common)
    schema_of = partial(schema_name, common.organisation_id)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):

            async def ask(name: str, query: str) -> list[str | None]:
                rows = await connection.fetch(query.format(schema=f"{schema_of(name)}."))
                return [row[0] for row in rows]

            async def copy(name: str, place: BackupPlace, folder: str, work: Path) -> DatabaseCopy:
                schema, kept_in = schema_of(name), f"{folder}/{name}"
                tables = [
                    await _copy_table(connection, schema, str(row[0]), place, kept_in, work)
                    for row in await connection.fetch(SERVER_TABLES, schema)
                    if row[0] != REVISION_TABLE
                ]
                (revision,) = await ask(name, REVISION)
                return DatabaseCopy(name=name, revision=str(revision), tables=tuple(tables))

            # The transaction sees the instant of its first statement, in every schema.
            await ask(DATABASES[0], REVISION)
            yield Snapshot(copy, ask)
    finally:
        await connection.close()


async def _copy_table(
    connection: Any, schema: str, table: str, place: BackupPlace, folder: str, work: Path
) -> TableCopy:
    columns = tuple(str(row[0]) for row in await connection.fetch(SERVER_COLUMNS, schema, table))
    target = work / f"{schema}.{table}.copy"
    await connection.copy_from_table(table, schema_name=schema, columns=columns, output=str(target))
    kept = await place.keep(target, f"{folder}/{table}.copy")
    target.unlink()
    return TableCopy(name=table, columns=columns, file=kept)


async def connect_server(common: CommonSettings) -> Any:
    """Opens a connection without bounds of time: tables may be large."""
    address = state_address(common, DATABASES[0])
    return await asyncpg.connect(
        address.url,
        ssl=address.privacy(),
        timeout=CONNECT_SECONDS,
        server_settings={"application_name": BACKUP_APPLICATION},
    )


# Not `scops …`: those are the sessions of roles.
BACKUP_APPLICATION = "scops-backup"
