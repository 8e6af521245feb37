"""State on every database; a PostgreSQL is started when the first test asks for it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import MetaData

from scops.common.db.address import Address, sqlite_url
from scops.common.db.database import Database
from tests.fakes.servers.postgres import postgres_server
from tests.fakes.servers.postgres_states import PostgresStates

Pair = tuple[Database, Database]


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresStates]:
    """Gives each test a fresh database with the schemas of all services."""
    with postgres_server() as server:
        yield PostgresStates(server)


@pytest.fixture(params=["memory", "file", "postgresql"])
async def open_pair(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[Callable[[str, MetaData], Awaitable[Pair]]]:
    """Opens one empty state twice, as two processes do; memory has one connection for both."""
    opened: list[Database] = []

    async def open_twice(name: str, metadata: MetaData) -> Pair:
        address: str | Address = "sqlite://"
        if request.param == "file":
            address = sqlite_url(tmp_path / f"{name}.db")
        elif request.param == "postgresql":
            states: PostgresStates = request.getfixturevalue("postgres")
            address = states.address(name)
        first = Database(address, name=name)
        second = first if request.param == "memory" else Database(address, name="second")
        opened.extend({first: None, second: None})
        async with first.transaction() as connection:
            await connection.run_sync(metadata.create_all)
        return first, second

    yield open_twice
    for database in opened:
        await database.close()
