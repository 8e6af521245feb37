"""The schema that migrations build is the one that the code uses."""

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from scops.common.db.database import sqlite_url
from scops.common.db.migrate import upgrade
from scops.fetcher.adapters.sql.tables import metadata
from scops.fetcher.service import MIGRATIONS


def test_migrations_build_the_tables(tmp_path: Path) -> None:
    """After the newest revision nothing differs from the table declarations."""
    url = sqlite_url(tmp_path / "fetcher.db")
    upgrade(url, MIGRATIONS)
    engine = create_engine(url.replace("+aiosqlite", ""))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = compare_metadata(context, metadata)
    engine.dispose()

    assert [] == differences
