"""Numbers that the server counts, after tables were put back."""

import asyncpg
import pytest

from scops.standalone.backup.databases import SEQUENCES
from tests.fakes.servers.postgres_states import PostgresStates

SCHEMAS = 30
# Ways in which the planner may go about it: what it takes depends on its statistics.
PLANS = (
    "SET enable_nestloop = on",
    "SET enable_nestloop = off",
    "SET enable_hashjoin = off",
    "SET enable_indexscan = off",
)


@pytest.mark.parametrize("plan", PLANS)
async def test_counted_columns_are_found_beside_tables_of_the_same_name(
    postgres: PostgresStates, plan: str
) -> None:
    """However the server orders its work, it never looks for a column that a table lacks."""
    url = postgres.server.new_database()
    connection = await asyncpg.connect(url)
    try:
        for number in range(SCHEMAS):
            await connection.execute(f"CREATE SCHEMA s{number}")
            await connection.execute(
                f"CREATE TABLE s{number}.job (job_id text, "
                f"{'serial_' * (number % 2)}number bigserial, other_{number} text)"
            )
        await connection.execute("VACUUM ANALYZE")
        await connection.execute(plan)
        found = await connection.fetch(SEQUENCES, "s0", "job", '"s0"."job"')
    finally:
        await connection.close()
    assert ["number"] == [row[0] for row in found]
