"""Searches the index of the data folder, opened once the embedder is known."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from scops.common.embedder.port import Embedder
from scops.common.errors import ScopsError
from scops.common.index.opening import open_chunk_store
from scops.common.index.ports import StoreHit, StoreQuery
from scops.common.index.sqlite_chunk_store import SqliteChunkStore


class IndexPassages:
    """Implements `PassageSearch`: a store belongs to one embedder, so that one loads first."""

    def __init__(self, data_dir: Path, embedder: Callable[[], Awaitable[Embedder]]) -> None:
        self._data_dir = data_dir
        self._embedder = embedder
        self._store: SqliteChunkStore | None = None

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        return await (await self._opened()).search(query)

    async def problem(self) -> str | None:
        """Returns why the index cannot be searched, and what to do; None when it can."""
        try:
            await (await self._opened()).open()
        except ScopsError as error:
            return error.message
        return None

    async def close(self) -> None:
        """Closes the store, if it was opened."""
        if self._store is not None:
            await self._store.close()

    async def _opened(self) -> SqliteChunkStore:
        embedder = await self._embedder()
        if self._store is None:
            self._store = open_chunk_store(
                self._data_dir,
                embedder_id=embedder.embedder_id,
                dimensions=embedder.dimensions,
            )
        return self._store
