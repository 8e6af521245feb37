"""The migrations create the tables that the code declares."""

import sqlite3
from pathlib import Path

from sqlalchemy import create_engine

from scops.common.db.database import sqlite_url
from scops.common.db.migrate import upgrade
from scops.indexer.adapters.tables import metadata
from scops.indexer.service import MIGRATIONS


def test_migrations_create_the_declared_tables(tmp_path: Path) -> None:
    """A migrated database and the metadata have the same columns and indexes."""
    migrated, declared = tmp_path / "migrated.db", tmp_path / "declared.db"
    upgrade(sqlite_url(migrated), MIGRATIONS)
    engine = create_engine(f"sqlite:///{declared}")
    metadata.create_all(engine)
    engine.dispose()

    assert _described(declared) == _described(migrated)
    assert len(_described(declared)) == len(metadata.tables) + sum(
        len(table.indexes) for table in metadata.tables.values()
    )


def _described(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with sqlite3.connect(path) as connection:
        names = connection.execute(
            "SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' "
            "AND name != 'alembic_version' ORDER BY name"
        ).fetchall()
        return {
            name: connection.execute(
                f"PRAGMA {'table_info' if kind == 'table' else 'index_info'}({name})"
            ).fetchall()
            for name, kind in names
        }
