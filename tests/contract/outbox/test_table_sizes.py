"""What a state's tables take, on every database."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from sqlalchemy import MetaData, insert, text

from scops.common.db.database import Database
from scops.common.db.outbox import inbox_table, outbox_table
from scops.common.db.sizes import table_sizes

metadata = MetaData()
INBOX, OUTBOX = inbox_table(metadata), outbox_table(metadata)
ROWS = 2_000


async def test_tables_come_largest_first_with_rows_and_bytes(
    open_pair: Callable[[str, MetaData], Awaitable[tuple[Database, Database]]],
) -> None:
    """Indexes count for their table; an empty table is there too."""
    database, _ = await open_pair("gateway", metadata)
    seen = datetime(2026, 3, 1, tzinfo=UTC)
    rows = [{"consumer": "one", "event_id": f"event-{n}", "seen_at": seen} for n in range(ROWS)]
    async with database.transaction() as connection:
        await connection.execute(insert(INBOX), rows)
        await connection.execute(text("ANALYZE inbox"))
    sizes = await table_sizes(database)
    inbox, outbox = [next(one for one in sizes if one.table == n) for n in ("inbox", "outbox")]

    assert "inbox" == sizes[0].table
    assert (ROWS, 0) == (inbox.rows, outbox.rows)
    assert 100_000 < inbox.bytes < 2_000_000
    assert outbox.bytes < inbox.bytes
