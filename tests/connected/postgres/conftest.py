"""A PostgreSQL for each process of tests; tests that end it start their own."""

from collections.abc import Iterator

import pytest

from tests.fakes.servers.postgres import PostgresServer, postgres_server
from tests.fakes.servers.postgres_states import PostgresStates


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresStates]:
    """Gives each test a fresh database with the schemas of all services."""
    with postgres_server() as server:
        yield PostgresStates(server)


@pytest.fixture
def mortal() -> Iterator[PostgresServer]:
    """A server that keeps what was committed, for tests that end it."""
    with postgres_server(durable=True) as server:
        yield server
