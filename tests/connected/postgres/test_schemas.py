"""Schemas on a server: what migrations make, who makes them, and what they can hold."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, select

import scops.change_detector.service
import scops.fetcher.service
import scops.gateway.service
import scops.indexer.service
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.common.db.migrate import current, upgrade
from scops.common.db.schema import head
from scops.standalone.process.parts import PARTS
from scops.standalone.process.roles import upgrade_schemas
from tests.fakes.servers.postgres_states import OWNERS, PostgresStates

# A service's composition root names all of its tables.
TABLES = {
    "fetcher": scops.fetcher.adapters.sql.tables,
    "change_detector": scops.change_detector.adapters.tables,
    "indexer": scops.indexer.adapters.tables,
    "gateway": scops.gateway.adapters.sql.tables,
}
PROVISIONERS = 4
# Not compared: the server writes an expression of an index in words of its own.
NOT_COMPARED = ("alembic_version", "job_page_by_weight")


def migrations_of(name: str) -> Path:
    return Path(next(iter(OWNERS[name].__path__))) / "migrations"


@pytest.mark.parametrize("name", TABLES)
async def test_migrations_make_the_declared_tables(postgres: PostgresStates, name: str) -> None:
    """On a server as on SQLite: names, types, keys and indexes."""
    database = Database(postgres.address(name), name=name)
    metadata = TABLES[name].metadata

    def differences(connection: Any) -> list[Any]:
        context = MigrationContext.configure(connection)
        found = compare_metadata(context, metadata)
        return [one for one in found if not any(name in str(one) for name in NOT_COMPARED)]

    async with database.reading() as connection:
        assert [] == await connection.run_sync(differences)
    await database.close()


def test_provisioners_at_once_make_one_schema(postgres: PostgresStates) -> None:
    """Each waits for the one before; all of them succeed."""
    url = postgres.server.new_database()
    address = Address(url=url, schema="scops_fetcher")
    with ThreadPoolExecutor(PROVISIONERS) as threads:
        runs = [
            threads.submit(upgrade, address, migrations_of("fetcher")) for _ in range(PROVISIONERS)
        ]
        for run in runs:
            run.result()

    assert head(migrations_of("fetcher")) == current(address, migrations_of("fetcher"))


async def test_the_setting_puts_each_service_into_its_schema(
    postgres: PostgresStates, tmp_path: Path
) -> None:
    """With an address, provisioning leaves no file of state behind."""
    url = postgres.server.new_database()
    common = CommonSettings.model_validate({"data_dir": tmp_path, "database_url": url})
    stateful = tuple(part for part in PARTS if part.migrations is not None)
    await upgrade_schemas(common, tuple(part for part in stateful if part.database != "indexer"))

    query = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'scops%' ORDER BY 1"
    schemas = postgres.server.execute(query, database=url.rpartition("/")[2])
    made = ["scops_change_detector", "scops_fetcher", "scops_gateway", "scops_hosts"]
    assert [(name,) for name in made] == schemas
    assert not (tmp_path / "state").exists()


def test_an_operator_may_make_the_schema(postgres: PostgresStates) -> None:
    """A user that may not create schemas migrates the one it was given."""
    url = postgres.server.new_database()
    database = url.rpartition("/")[2]
    for statement in (
        "CREATE ROLE modest LOGIN PASSWORD 'modest'",
        f"REVOKE CREATE ON DATABASE {database} FROM PUBLIC",
        "CREATE SCHEMA scops_gateway AUTHORIZATION modest",
    ):
        postgres.server.execute(statement, database=database)
    modest = url.replace("scops:sesame", "modest:modest")
    address = Address(url=modest, schema="scops_gateway")
    upgrade(address, migrations_of("gateway"))

    assert head(migrations_of("gateway")) == current(address, migrations_of("gateway"))


async def test_texts_of_others_are_stored_without_the_null_character(
    postgres: PostgresStates,
) -> None:
    """A robots.txt may hold anything; an id that holds it is refused, not retried for ever."""
    robots = scops.fetcher.adapters.sql.tables.robots
    database = Database(postgres.address("fetcher"), name="fetcher")
    row = {
        "robots_url": "https://a.test/robots.txt",
        "host_key": "a.test",
        "kind": "rules",
        "text": "User-agent: *\0\nDisallow: /\U0001f989",
        "crawl_delay_seconds": 0.0,
        "expires_time": datetime(2026, 1, 1, tzinfo=UTC),
    }
    async with database.transaction() as connection:
        await connection.execute(insert(robots).values(row))
    with pytest.raises(InvalidInput, match=r"U\+0000"):
        async with database.reading() as connection:
            await connection.execute(select(robots).where(robots.c.host_key == "a\0"))
    async with database.reading() as connection:
        kept = (await connection.execute(select(robots.c.text))).scalar_one()

    assert "User-agent: *\ufffd\nDisallow: /\U0001f989" == kept
    await asyncio.wait_for(database.close(), 5)
