"""Schema revisions: Alembic driven by code, with one environment for all services.

A service keeps nothing but `migrations/versions/<number>_<name>.py`; `migrations_dir` is that
`migrations` folder. Only `scops provision` (and `scops up` before it starts anything) upgrades;
services check the revision and stay unready on a mismatch.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.engine import Connection
from sqlalchemy.schema import CreateSchema

from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.db import schema
from scops.common.db.address import Address, address_of
from scops.common.db.postgres.errors import advice, fault
from scops.common.db.postgres.server import ServerStore, open_engine

ENVIRONMENT = Path(__file__).parent / "migrations_env"
# How long an upgrade waits for another one, or for a service's transaction, on a server.
LOCK_TIMEOUT_SECONDS = 120.0
ADVISORY_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('scops ' || :of_schema, 0))")
FAILURES: tuple[type[Exception], ...] = ServerStore.errors
WHAT_NEXT = "Check that its folder can be written and that no other version is running."


def upgrade(address: str | Address, migrations_dir: Path, *, revision: str = "head") -> None:
    """Brings a database to a revision; blocks, and on a server needs its own thread.

    Of several upgrades of one schema at once each waits for the one before.

    Args:
        address: as `Database.address`, of a file or server (a memory database is gone after).
        revision: by default the newest; a backup is put back under the one that it had.

    Raises:
        StoreUnavailable: the database cannot be opened, written, or a step failed; nothing of
            it was kept.
        PermanentError: a later version took something away that this one needs.
    """

    def run(connection: Connection) -> None:
        found = MigrationContext.configure(connection).get_current_revision()
        if revision == "head" and _is_later(found, migrations_dir):
            return
        config = _config(migrations_dir)
        config.attributes["connection"] = connection
        command.upgrade(config, revision)

    _with_connection(address_of(address), run)


def current(address: str | Address, migrations_dir: Path) -> str | None:
    """Returns the revision of a database, or nothing before the first upgrade; as `upgrade`."""
    found: list[str | None] = []

    def run(connection: Connection) -> None:
        found.append(MigrationContext.configure(connection).get_current_revision())

    _with_connection(address_of(address), run)
    return found[0]


def _is_later(found: str | None, migrations_dir: Path) -> bool:
    """Returns whether a later version has upgraded a database, which this one can live with.

    Raises:
        PermanentError: it cannot.
    """
    newest = schema.head(migrations_dir)
    if found is None or newest is None or found <= newest:
        return False
    if not schema.serves(found, newest):
        raise PermanentError(
            f"The schema is at revision {found}, of a later version of Scops, and this one needs "
            f"{newest}. Run that version, or restore a backup from before.",
            reason="SCHEMA_TOO_NEW",
        )
    return True


def _config(migrations_dir: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", str(ENVIRONMENT))
    config.set_main_option("version_locations", str(migrations_dir / "versions"))
    config.set_main_option("path_separator", "newline")
    return config


def _with_connection(address: Address, run: Callable[[Connection], None]) -> None:
    try:
        if address.is_server:
            asyncio.run(_on_server(address, run))
        else:
            _on_file(address, run)
    except FAILURES as error:
        is_away = address.is_server and fault(error) is not None
        raise StoreUnavailable(
            f"Migrating the database {address} failed: {getattr(error, 'orig', error)}. "
            f"{advice(error) if is_away else WHAT_NEXT}",
            reason="MIGRATION_FAILED",
        ) from error


def _on_file(address: Address, run: Callable[[Connection], None]) -> None:
    url = address.parsed()
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url.set(drivername="sqlite"))
    try:
        with engine.begin() as connection:
            run(connection)
    finally:
        engine.dispose()


async def _on_server(address: Address, run: Callable[[Connection], None]) -> None:
    """Runs a step alone on its schema, which is made where it is missing."""
    bounds = replace(
        address.bounds, statement_timeout_seconds=0.0, lock_timeout_seconds=LOCK_TIMEOUT_SECONDS
    )
    engine = open_engine(replace(address, bounds=bounds), name="provision")
    try:
        async with engine.begin() as connection:
            await connection.run_sync(_take_schema, address.schema)
            await connection.run_sync(run)
    finally:
        await engine.dispose()


def _take_schema(connection: Connection, schema: str) -> None:
    """Waits until no other upgrade works on a schema, and makes it where it is missing."""
    connection.execute(ADVISORY_LOCK, {"of_schema": schema})
    # Asked first: who may use a schema that an operator made need not be allowed to make one.
    if schema and not inspect(connection).has_schema(schema):
        connection.execute(CreateSchema(schema))
