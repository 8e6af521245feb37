"""The census of statements tells of an index that is not there, on real tables."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from benchmarks.statements.__main__ import complaint_of, measure
from benchmarks.statements.capture import Captured, Statement, read
from scops.common.db.database import Database
from scops.gateway.adapters.sql.research import SqlResearch
from tests.fakes.servers.postgres_states import PostgresStates

SIZES = (2_000, 20_000)
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def captured() -> Iterator[Captured]:
    """What is asked of PostgreSQL meanwhile."""
    found = Captured()
    event.listen(Engine, "before_cursor_execute", found)
    yield found
    event.remove(Engine, "before_cursor_execute", found)


def of_old_runs(postgres: PostgresStates, captured: Captured, folder: Path) -> list[Statement]:
    """Returns what a gateway asks when it starts, and when it forgets the oldest runs."""
    address = postgres.address("gateway")

    async def ask() -> None:
        database = Database(address, name="gateway")
        store = SqlResearch(database)
        await store.release()
        await store.forget(created_before=AT, limit=20)
        await database.close()

    asyncio.run(ask())
    captured.write(folder)
    return read(folder)


def test_a_statement_grows_where_its_index_is_dropped(
    postgres: PostgresStates, captured: Captured, tmp_path: Path
) -> None:
    """With its indexes nothing grows; without one, what it is for is named, and nothing else."""
    statements = of_old_runs(postgres, captured, tmp_path)
    whole = measure(statements, SIZES)
    ageless = measure(statements, SIZES, without=["scops_gateway.research_by_age"])
    unclaimed = measure(statements, SIZES, without=["scops_gateway.research_claimed"])

    assert "" == complaint_of(whole)
    assert ["SELECT"] == [one["text"].split()[0] for one in ageless["growing_statements"]]
    assert ["UPDATE"] == [one["text"].split()[0] for one in unclaimed["growing_statements"]]
    assert "ORDER BY research.created_at" in complaint_of(ageless)
