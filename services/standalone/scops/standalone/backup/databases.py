"""Puts the databases of a backup back: files beside the old ones, tables into their schemas."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy.exc import SQLAlchemyError

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import Conflict, InvalidInput, ScopsError
from scops.common.contract.organisations import session_owner
from scops.common.db.address import Address, sqlite_url, state_address
from scops.common.db.database import Database
from scops.common.db.migrate import upgrade
from scops.common.runtime.clock import Clock
from scops.standalone.backup.place import BackupPlace
from scops.standalone.backup.record import BackupRecord, DatabaseCopy
from scops.standalone.backup.settling import is_empty, settle
from scops.standalone.backup.snapshots import (
    SERVER_TABLES,
    connect_server,
    state_file,
)
from scops.standalone.process.parts import PARTS

MIGRATIONS: dict[str, Path] = {
    part.database: part.migrations for part in PARTS if part.stateful and part.migrations
}
OLD_FILES = ".before-restore"
# Columns are found first: the planner may ask for the sequence of a column of any table before it
# looks at the name of the table, and the server refuses a column that a table lacks.
SEQUENCES = (
    "WITH named AS MATERIALIZED (SELECT column_name FROM information_schema.columns "
    "WHERE table_schema = $1 AND table_name = $2) "
    "SELECT column_name FROM named WHERE pg_get_serial_sequence($3, column_name) IS NOT NULL"
)
# What others than their owner may do with the tables and sequences of a schema.
GRANTS = (
    "SELECT c.relname, c.relkind = 'S', r.rolname, a.privilege_type FROM pg_class c "
    "JOIN pg_namespace n ON n.oid = c.relnamespace, LATERAL aclexplode(c.relacl) a "
    "JOIN pg_roles r ON r.oid = a.grantee "
    "WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'S') AND a.grantee <> c.relowner"
)
THERE = (
    "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = $1"
)
SESSIONS = (
    "SELECT DISTINCT application_name FROM pg_stat_activity "
    "WHERE datname = current_database() AND application_name LIKE $1 || ' %' ORDER BY 1"
)


def check_kind(record: BackupRecord, common: CommonSettings) -> None:
    """Refuses a backup that this installation cannot take.

    Raises:
        InvalidInput: it is of SQLite files and this one is on PostgreSQL, or the other way
            round; of another organisation; or of a schema that this version does not know.
    """
    if record.on_server != bool(common.database_url.get_secret_value()):
        is_from, here = ("PostgreSQL", "SQLite files")[:: 1 if record.on_server else -1]
        raise InvalidInput(
            f"Backup {record.backup_id} is of {is_from}, and this installation keeps {here}. "
            "Set or unset SCOPS_DATABASE_URL to restore it.",
            reason="BACKUP_OF_ANOTHER_KIND",
        )
    if record.organisation_id != common.organisation_id:
        raise InvalidInput(
            f"Backup {record.backup_id} is of organisation {record.organisation_id}. "
            "Set SCOPS_ORGANISATION_ID to it.",
            reason="BACKUP_OF_ANOTHER_KIND",
        )
    for copy in record.databases:
        folder = MIGRATIONS[copy.name] / "versions"
        if not any(file.name.startswith(f"{copy.revision}_") for file in folder.glob("*.py")):
            raise InvalidInput(
                f"The schema of {copy.name} in backup {record.backup_id} is at revision "
                f"{copy.revision}, which this version does not know. Restore it with Scops "
                f"{record.scops_version} or a later one.",
                reason="BACKUP_TOO_NEW",
            )


class RestoreTarget(Protocol):
    """Where databases are put back."""

    async def problem(self) -> str | None:
        """Returns what stands in the way, such as roles that run."""
        ...

    async def occupied(self) -> list[str]:
        """Returns the databases that hold something."""
        ...

    async def put_back(self, place: BackupPlace, record: BackupRecord, work: Path) -> None:
        """Puts every database back, at the newest revision of its schema and settled."""
        ...

    async def settle(self) -> None:
        """Settles databases that were put back by other means."""
        ...


def target_of(common: CommonSettings, clock: Clock) -> RestoreTarget:
    """Returns where the settings keep the state."""
    kind = ServerTarget if common.database_url.get_secret_value() else FileTarget
    return kind(common, clock)


@dataclass(frozen=True, slots=True)
class FileTarget:
    """A SQLite file a service; the files that were there stay beside, with another name."""

    common: CommonSettings
    clock: Clock

    async def problem(self) -> str | None:
        return None

    async def occupied(self) -> list[str]:
        names = [name for name in MIGRATIONS if state_file(self.common, name).exists()]
        return [name for name in names if not await _holds_nothing(name, self._address(name))]

    async def put_back(self, place: BackupPlace, record: BackupRecord, work: Path) -> None:
        staged = {copy.name: await self._stage(place, copy, work) for copy in record.databases}
        await asyncio.to_thread(self._switch, staged)

    async def settle(self) -> None:
        await _bring_up({name: self._address(name) for name in MIGRATIONS}, clock=self.clock)

    def _address(self, name: str) -> Address:
        return state_address(self.common, name)

    async def _stage(self, place: BackupPlace, copy: DatabaseCopy, work: Path) -> Path:
        """Brings a file beside the one it replaces, upgraded and settled."""
        assert copy.file is not None
        final = state_file(self.common, copy.name)
        staged = final.with_name(f"{final.name}.restoring")
        address = Address(url=sqlite_url(staged))
        _remove(staged)
        await place.fetch(copy.file, staged)
        await _bring_up({copy.name: address}, clock=self.clock)
        return staged

    def _switch(self, staged: Mapping[str, Path]) -> None:
        for name, file in staged.items():
            final = state_file(self.common, name)
            if final.exists():
                _remove(final.with_name(final.name + OLD_FILES))
                for suffix in ("-wal", "-shm", ""):
                    old = final.with_name(final.name + suffix)
                    if old.exists():
                        old.rename(final.with_name(final.name + OLD_FILES + suffix))
            file.rename(final)


@dataclass(frozen=True, slots=True)
class ServerTarget:
    """A schema a service; its tables are made anew, and logins may what they might before."""

    common: CommonSettings
    clock: Clock

    async def problem(self) -> str | None:
        connection = await connect_server(self.common)
        try:
            mine = session_owner(self.common.organisation_id)
            running = [str(row[0]) for row in await connection.fetch(SESSIONS, mine)]
        finally:
            await connection.close()
        if not running:
            return None
        return f"The database is in use by {', '.join(running)}"

    async def occupied(self) -> list[str]:
        return [
            name
            for name in MIGRATIONS
            if await self._tables(name) and not await _holds_nothing(name, self._address(name))
        ]

    async def put_back(self, place: BackupPlace, record: BackupRecord, work: Path) -> None:
        grants = {copy.name: await self._grants(copy.name) for copy in record.databases}
        for copy in record.databases:
            await self._empty(copy.name)
            await asyncio.to_thread(
                upgrade, self._address(copy.name), MIGRATIONS[copy.name], revision=copy.revision
            )
            await self._fill(place, copy, work)
        await self.settle()
        for name, held in grants.items():
            await self._grant(name, held)

    async def settle(self) -> None:
        await _bring_up({name: self._address(name) for name in MIGRATIONS}, clock=self.clock)

    def _address(self, name: str) -> Address:
        return state_address(self.common, name)

    def _schema(self, name: str) -> str:
        return self._address(name).schema

    async def _tables(self, name: str) -> list[str]:
        schema = self._schema(name)
        connection = await connect_server(self.common)
        try:
            return [str(row[0]) for row in await connection.fetch(SERVER_TABLES, schema)]
        finally:
            await connection.close()

    async def _empty(self, name: str) -> None:
        tables = await self._tables(name)
        connection = await connect_server(self.common)
        try:
            for table in tables:
                await connection.execute(f'DROP TABLE "{self._schema(name)}"."{table}" CASCADE')
        finally:
            await connection.close()

    async def _grants(self, name: str) -> list[tuple[str, bool, str, str]]:
        connection = await connect_server(self.common)
        try:
            return [tuple(row) for row in await connection.fetch(GRANTS, self._schema(name))]
        finally:
            await connection.close()

    async def _grant(self, name: str, grants: list[tuple[str, bool, str, str]]) -> None:
        """Gives tables and sequences back what was granted of those that they replace."""
        schema = self._schema(name)
        connection = await connect_server(self.common)
        try:
            there = {str(row[0]) for row in await connection.fetch(THERE, schema)}
            for relation, is_sequence, role, privilege in grants:
                if relation in there:
                    kind = "SEQUENCE" if is_sequence else "TABLE"
                    await connection.execute(
                        f'GRANT {privilege} ON {kind} "{schema}"."{relation}" TO "{role}"'
                    )
        finally:
            await connection.close()

    async def _fill(self, place: BackupPlace, copy: DatabaseCopy, work: Path) -> None:
        connection = await connect_server(self.common)
        schema = self._schema(copy.name)
        try:
            async with connection.transaction():
                for table in copy.tables:
                    file = work / "table.copy"
                    await place.fetch(table.file, file)
                    await connection.execute(f'DELETE FROM "{schema}"."{table.name}"')
                    await connection.copy_to_table(
                        table.name,
                        schema_name=schema,
                        columns=table.columns,
                        source=str(file),
                    )
                    await _advance(connection, schema, table.name)
        finally:
            await connection.close()


async def _advance(connection: Any, schema: str, table: str) -> None:
    """Lets numbers that the server counts go on above those that were put back."""
    named = f'"{schema}"."{table}"'
    for row in await connection.fetch(SEQUENCES, schema, table, named):
        await connection.execute(
            f"SELECT setval(pg_get_serial_sequence($1, $2), "
            f'(SELECT coalesce(max("{row[0]}"), 0) + 1 FROM {named}), false)',
            named,
            row[0],
        )


async def _bring_up(addresses: Mapping[str, Address], *, clock: Clock) -> None:
    for name, address in addresses.items():
        await asyncio.to_thread(upgrade, address, MIGRATIONS[name])
        database = Database(address, name=name)
        try:
            await settle(name, database, clock=clock)
        finally:
            await database.close()


async def _holds_nothing(name: str, address: Address) -> bool:
    database = Database(address, name=name)
    try:
        return await is_empty(name, database)
    except (ScopsError, SQLAlchemyError):
        # A schema that cannot be read is none that is empty.
        return False
    finally:
        await database.close()


def _remove(file: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def refuse_occupied(occupied: list[str]) -> None:
    """Refuses to replace what is there unasked.

    Raises:
        Conflict: some databases hold something.
    """
    if occupied:
        raise Conflict(
            f"This installation is not empty: {', '.join(occupied)}. Restore into an empty one, "
            "or say `--replace`: what was indexed since the backup is then fetched again.",
            reason="RESTORE_TARGET_NOT_EMPTY",
        )
