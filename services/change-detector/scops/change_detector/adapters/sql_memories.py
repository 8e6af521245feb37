"""What the histories of pages teach, in SQL."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select, update

from scops.change_detector.adapters.sql_addresses import address_of
from scops.change_detector.adapters.tables import page, page_address, page_memory, settled_news
from scops.change_detector.timeline.records import PageAddress, RememberedPage, SettledNews
from scops.change_detector.volatile.memory import NO_MEMORY, settles_at
from scops.common.contract import wire
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import PageMemory
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.upsert import insert_ignore, upsert_many


class SqlPageMemories:
    """Implements the `PageMemories` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, page_id: PageId) -> RememberedPage:
        async with self._database.reading() as connection:
            row = (await connection.execute(_READ, {"of_page": page_id})).first()
        if row is None:
            return RememberedPage(memory=NO_MEMORY, look=0)
        memory = wire.decode(PageMemory, row.memory) if row.memory else NO_MEMORY
        return RememberedPage(memory=memory, look=row.sequence)

    async def due(self, *, limit: int) -> Sequence[PageAddress]:
        async with self._database.reading() as connection:
            found = await connection.execute(_DUE.limit(limit))
            return [address_of(row) for row in found.all()]

    async def replace(
        self, page_id: PageId, memory: PageMemory, *, look: int, news: SettledNews | None = None
    ) -> bool:
        async with self._database.transaction() as connection:
            # Whoever places an observation of the page meanwhile begins again.
            taken = await connection.execute(_TAKE, {"of_page": page_id, "at_sequence": look})
            if not taken.rowcount:
                return False
            await remember(connection, {page_id: memory})
            if news is not None:
                row = {
                    "page_id": page_id,
                    "recorded_time": news.recorded_time,
                    "observed_from": news.observed_from,
                    "since": news.since,
                }
                await insert_ignore(connection, settled_news, row)
            return True


async def remember(connection: Connection, memories: Mapping[PageId, PageMemory]) -> None:
    """Writes what is remembered of pages, under their locks."""
    rows: list[dict[str, Any]] = [
        {
            "page_id": page_id,
            "memory": wire.encode(memory),
            "settles_at": settles_at(memory),
        }
        for page_id, memory in memories.items()
    ]
    await upsert_many(connection, page_memory, rows, key=("page_id",))


_READ = (
    select(page.c.sequence, page_memory.c.memory)
    .select_from(page.outerjoin(page_memory, page_memory.c.page_id == page.c.page_id))
    .where(page.c.page_id == bindparam("of_page"))
)
_DUE = (
    select(page_address)
    .join(page_memory, page_memory.c.page_id == page_address.c.page_id)
    .join(page, page.c.page_id == page_memory.c.page_id)
    .where(page_memory.c.settles_at.is_not(None), page.c.sequence >= page_memory.c.settles_at)
    # Along the index of pages that wait, so that no other page is looked at.
    .order_by(page_memory.c.settles_at)
)
_TAKE = (
    update(page)
    .where(page.c.page_id == bindparam("of_page"), page.c.sequence == bindparam("at_sequence"))
    .values(sequence=page.c.sequence + 1)
)
