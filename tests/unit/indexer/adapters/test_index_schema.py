"""The migrations create the tables that the code declares."""

import sqlite3
from pathlib import Path

from sqlalchemy import create_engine

from scops.common.db.database import sqlite_url
from scops.common.db.migrate import upgrade
from scops.indexer.adapters.tables import metadata
from scops.indexer.service import MIGRATIONS
from tests.fakes.migrations import rerun


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


def test_pages_with_unusual_urls_get_their_prefixes_anew(tmp_path: Path) -> None:
    """Objects of earlier pages have the prefixes of the URL as it is spelled; the sweeper mends."""
    path = tmp_path / "indexer.db"
    upgrade(sqlite_url(path), MIGRATIONS)
    unusual = {
        "https://a.org/d%6fcs": 1,
        "https://a.org//docs": 1,
        "https://a.org./x": 1,
        "https://a.org.:8080/x": 1,
        "https://a.org/docs": 0,
    }
    with sqlite3.connect(path) as connection:
        columns = [row[1:4] for row in connection.execute("PRAGMA table_info(head)")]
        needed = {name: "" for name, kind, strict in columns if strict}
        for url in unusual:
            row = needed | {"page_id": url, "canonical_url": url}
            row |= {"prefix_ticket": 3, "prefixes_stale": 0}
            marks = ", ".join(f":{name}" for name in row)
            connection.execute(f"INSERT INTO head ({', '.join(row)}) VALUES ({marks})", row)
    rerun(path, MIGRATIONS, "0004_normal_prefixes")
    with sqlite3.connect(path) as connection:
        found = connection.execute(
            "SELECT canonical_url, prefix_ticket - 3, prefixes_stale FROM head"
        )

        assert {url: (stale, stale) for url, stale in unusual.items()} == {
            url: (moved, stale) for url, moved, stale in found
        }
