"""The composition, the schema, and the token cache."""

import random
from pathlib import Path

from sqlalchemy import create_engine, inspect

from scops.change_detector.adapters.tables import metadata
from scops.change_detector.chunking.token_counts import CachedTokenCounter
from scops.change_detector.service import DATABASE, MIGRATIONS, build
from scops.change_detector.settings import ChangeDetectorSettings
from scops.common.archive.opening import open_archive
from scops.common.config.settings import CommonSettings
from scops.common.contract.service_table import Role, consumed_by
from scops.common.db import migrate
from scops.common.db.database import Database, sqlite_url
from scops.common.processes.pool import ChildPool
from scops.common.query.ports import (
    DIFF,
    HISTORY,
    NEWEST_NEWS,
    NEWS,
    PIN,
    PURGE_COUNTS,
    READ_VERSION,
    RECHUNK,
    TEMPLATES,
    VOLATILE,
    WHAT_CHANGED,
)
from scops.common.runtime.platform import Platform, SharedResources
from scops.common.scope.book import ScopeBook
from scops.libraries.embedder.opening import open_embedder
from tests.fakes.clock import ManualClock
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.worlds.services import messages_of


def _schema(url: str) -> dict[str, object]:
    inspector = inspect(create_engine(url))
    tables = sorted(set(inspector.get_table_names()) - {"alembic_version"})
    return {
        table: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(table)],
            inspector.get_pk_constraint(table)["constrained_columns"],
            sorted((i["name"], i["column_names"]) for i in inspector.get_indexes(table)),
            sorted(u["column_names"] for u in inspector.get_unique_constraints(table)),
        )
        for table in tables
    }


def test_migrations_make_the_tables_that_the_code_declares(tmp_path: Path) -> None:
    """Columns, keys and indexes are equal."""
    migrated, declared = sqlite_url(tmp_path / "a.db"), f"sqlite:///{tmp_path / 'b.db'}"
    migrate.upgrade(migrated, MIGRATIONS)
    metadata.create_all(create_engine(declared))

    assert _schema(f"sqlite:///{tmp_path / 'a.db'}") == _schema(declared)


def _platform(database: Database) -> Platform:
    async def no_backlog(role: Role) -> int:
        return 0

    # The change-detector publishes through its outputs and asks nobody.
    nobody: object = None
    return Platform(
        common=CommonSettings(),
        clock=ManualClock(),
        archive=open_archive("memory://", "main"),
        publisher=nobody,  # type: ignore[arg-type]
        query_client=nobody,  # type: ignore[arg-type]
        scope_book=ScopeBook(),
        random=random.Random(1),
        shared=SharedResources(CommonSettings(), {open_embedder: HashingEmbedder()}),
        children=ChildPool.of_settings(CommonSettings()),
        database=lambda name: database,
        backlog=no_backlog,
    )


async def test_the_service_consumes_and_answers_what_the_contract_says() -> None:
    """Subscriptions and queries follow from the service table."""
    database = Database("sqlite://", name=DATABASE)

    service = build(ChangeDetectorSettings(), _platform(database))

    contract = {entry.message for entry in consumed_by(Role.CHANGE_DETECTOR)}
    assert set(messages_of(service)) == contract
    assert [query.method for query in service.queries] == [
        HISTORY,
        DIFF,
        READ_VERSION,
        WHAT_CHANGED,
        NEWS,
        NEWEST_NEWS,
        RECHUNK,
        PIN,
        TEMPLATES,
        VOLATILE,
        PURGE_COUNTS,
    ]
    await database.close()


async def test_the_service_is_unready_before_its_migrations(tmp_path: Path) -> None:
    """Only `scops provision` migrates; the check says so."""
    database = Database(sqlite_url(tmp_path / "state.db"), name=DATABASE)
    (check,) = build(ChangeDetectorSettings(), _platform(database)).checks

    before = await check.probe()
    migrate.upgrade(database.address, MIGRATIONS)
    after = await check.probe()

    assert before is not None
    assert "scops provision" in before
    assert after is None
    await database.close()


def test_a_word_without_end_is_no_single_token() -> None:
    """WordPiece calls it unknown; a chunk of two megabytes could never be cited."""
    counter = CachedTokenCounter(count=lambda text: 1, entries_max=2)

    assert [counter("x"), counter("x" * 1600)] == [1, 100]


def test_a_text_is_tokenised_once() -> None:
    """Until it has not been used for as long as the cache holds."""
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    counter = CachedTokenCounter(count=count, entries_max=2)
    assert [counter(text) for text in ("a", "bb", "a", "ccc", "a", "bb")] == [1, 2, 1, 3, 1, 2]

    assert counted == ["a", "bb", "ccc", "bb"]
