"""The schema that migrations build is the one that the code uses."""

import sqlite3
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from scops.common.db.database import sqlite_url
from scops.common.db.migrate import upgrade
from scops.common.scope.urls import schemeless
from scops.fetcher.adapters.sql.tables import metadata
from scops.fetcher.service import MIGRATIONS
from tests.fakes.migrations import rerun


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


def test_addresses_of_earlier_pages_are_brought_to_normal_form(tmp_path: Path) -> None:
    """A page that was stored as its URL is spelled is found by the tokens of its normal form."""
    path = tmp_path / "fetcher.db"
    upgrade(sqlite_url(path), MIGRATIONS)
    urls = [
        "https://a.org/d%6fcs/caf%c3%a9?x=%7e",
        "https://a.org//docs///x",
        "http://a.org.:8080/x",
        "https://a.org/plain",
    ]
    with sqlite3.connect(path) as connection:
        _store(connection, urls)
    rerun(path, MIGRATIONS, "0009_normal_addresses")
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT canonical_url, schemeless_url, netloc FROM page")
        stored = {url: (named, host) for url, named, host in found}

    usual = stored.pop("https://a.org/plain")
    assert ("https://a.org/plain", "") == usual, "a URL in normal form is left alone"
    assert stored == {url: (schemeless(url), schemeless(url).split("/")[0]) for url in urls[:3]}
    assert "a.org/docs/caf%C3%A9?x=~" == stored[urls[0]][0]


def _store(connection: sqlite3.Connection, urls: list[str]) -> None:
    """Stores pages under their URLs as they stand."""
    columns = [row[1:4] for row in connection.execute("PRAGMA table_info(page)")]
    needed = {name: 0 if kind == "INTEGER" else "" for name, kind, strict in columns if strict}
    for number, url in enumerate(urls):
        row = needed | {"page_id": str(number), "canonical_url": url, "schemeless_url": url}
        marks = ", ".join(f":{name}" for name in row)
        connection.execute(f"INSERT INTO page ({', '.join(row)}) VALUES ({marks})", row)
