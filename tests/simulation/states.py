"""The databases of a world, shared by the worlds of one test, one after the other.

SQLAlchemy compiles a statement once an engine, which costs more than running it: worlds that come
one after the other find everything compiled, and everything empty.
"""

from scops.change_detector.adapters import tables as change_tables
from scops.common.db import Database
from scops.fetcher.adapters.sql import tables as fetcher_tables
from scops.gateway.adapters.sql import tables as gateway_tables
from scops.indexer.adapters import tables as index_tables
from tests.simulation.stage import Stage

METADATA = {
    "fetcher": fetcher_tables.metadata,
    "change": change_tables.metadata,
    "index": index_tables.metadata,
    "gateway": gateway_tables.metadata,
}


class States:
    """Three services' state in memory; `enter` before each world."""

    def __init__(self) -> None:
        self._stage: Stage | None = None
        self._made = False
        self.databases = {
            name: Database("sqlite://", name=name, effect=self._effect) for name in METADATA
        }

    async def enter(self, stage: Stage) -> None:
        """Empties every table and lets the effects of a stage apply."""
        for name, database in self.databases.items():
            metadata = METADATA[name]
            async with database.transaction() as connection:
                if not self._made:
                    await connection.run_sync(metadata.create_all)
                for table in reversed(metadata.sorted_tables):
                    await connection.execute(table.delete())
        self._made = True
        self._stage = stage

    def leave(self) -> None:
        """Ends the effects of the last stage."""
        self._stage = None

    async def close(self) -> None:
        for database in self.databases.values():
            await database.close()

    async def _effect(self, name: str) -> None:
        if self._stage is not None:
            await self._stage.effect(name)
