"""Schema revisions: Alembic driven by code, with one environment for all services.

A service keeps nothing but `migrations/versions/<number>_<name>.py`; `migrations_dir` is that
`migrations` folder. Only `scops provision` (and `scops up` before it starts anything) upgrades;
services check the revision and stay unready on a mismatch.
"""

from collections.abc import Callable
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import DBAPIError

from scops.common.db.database import Database
from scops.common.errors import StoreUnavailable
from scops.common.service import Check

ENVIRONMENT = Path(__file__).parent / "migrations_env"
# The driver that runs migrations, for each asynchronous one that services use.
SYNC_DRIVERS = {"sqlite+aiosqlite": "sqlite", "postgresql+asyncpg": "postgresql+psycopg"}


def upgrade(database_url: str, migrations_dir: Path) -> None:
    """Brings a database to the newest revision; blocks.

    Args:
        database_url: as `Database.url`, of a file or server (a memory database is gone after).

    Raises:
        StoreUnavailable: the database cannot be opened, written, or a step failed.
    """

    def run(connection: Connection) -> None:
        config = _config(migrations_dir)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

    _with_connection(database_url, run)


def current(database_url: str, migrations_dir: Path) -> str | None:
    """Returns the revision of a database, or nothing before the first upgrade; blocks."""
    found: list[str | None] = []

    def run(connection: Connection) -> None:
        found.append(MigrationContext.configure(connection).get_current_revision())

    _with_connection(database_url, run)
    return found[0]


def head(migrations_dir: Path) -> str | None:
    """Returns the newest revision of a service."""
    return ScriptDirectory.from_config(_config(migrations_dir)).get_current_head()


def schema_check(database: Database, migrations_dir: Path, *, name: str) -> Check:
    """Returns the readiness check that a database has the newest revision."""
    wanted = head(migrations_dir)

    async def probe() -> str | None:
        found = await _revision(database)
        if found == wanted:
            return None
        return (
            f"The schema of {name} is at revision {found or 'none'}, this version needs {wanted}. "
            "Run `scops provision`."
        )

    return Check(name=f"{name}-schema", probe=probe)


async def _revision(database: Database) -> str | None:
    async with database.reading() as connection:
        tables = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
        if "alembic_version" not in tables:
            return None
        return (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar()


def _config(migrations_dir: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", str(ENVIRONMENT))
    config.set_main_option("version_locations", str(migrations_dir / "versions"))
    config.set_main_option("path_separator", "newline")
    return config


def _with_connection(database_url: str, run: Callable[[Connection], None]) -> None:
    try:
        engine = _sync_engine(database_url)
        try:
            with engine.begin() as connection:
                run(connection)
        finally:
            engine.dispose()
    except (DBAPIError, OSError) as error:
        raise StoreUnavailable(
            f"Migrating the database {database_url} failed: {error}. "
            "Check that its folder can be written and that no other version is running.",
            reason="MIGRATION_FAILED",
        ) from error


def _sync_engine(database_url: str) -> Engine:
    url = make_url(database_url)
    if url.drivername.startswith("sqlite") and url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    return create_engine(url.set(drivername=SYNC_DRIVERS.get(url.drivername, url.drivername)))
