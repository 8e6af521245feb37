"""Each adapter of the fetcher's state."""

from pathlib import Path

import pytest

from scops.common.db.address import Address
from scops.common.db.database import sqlite_url
from tests.fakes.servers.postgres_states import PostgresStates


@pytest.fixture(params=["memory", "file", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str | Address:
    """Where an empty state is: in memory, in a file, and on PostgreSQL."""
    if request.param == "memory":
        return "sqlite://"
    if request.param == "file":
        return sqlite_url(tmp_path / "fetcher.db")
    states: PostgresStates = request.getfixturevalue("postgres")
    return states.address("fetcher")
