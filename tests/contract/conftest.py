"""A PostgreSQL for each process of tests, started when the first test asks for it."""

from collections.abc import Iterator

import pytest

from tests.fakes.postgres_server import postgres_server
from tests.fakes.postgres_states import PostgresStates


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresStates]:
    """Gives each test a fresh database with the schemas of all services."""
    with postgres_server() as server:
        yield PostgresStates(server)
