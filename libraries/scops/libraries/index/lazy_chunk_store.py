"""The chunk store that the settings name, opened once the embedder is known."""

from collections.abc import Awaitable, Callable, Sequence

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import ObjectId, PageId
from scops.libraries.embedder.port import Embedder
from scops.libraries.index.opening import open_chunk_store
from scops.libraries.index.ports import ChunkObject, StoreHit, StoreQuery
from scops.libraries.index.upkeep import MaintainedStore, Recall


class LazyChunkStore:
    """Implements the chunk store port: a store belongs to one embedder, so that loads first."""

    def __init__(self, common: CommonSettings, embedder: Callable[[], Awaitable[Embedder]]) -> None:
        self._common = common
        self._embedder = embedder
        self._store: MaintainedStore | None = None

    async def insert(self, objects: Sequence[ChunkObject]) -> None:
        await (await self.opened()).insert(objects)

    async def insert_history(self, objects: Sequence[ChunkObject]) -> None:
        await (await self.opened()).insert_history(objects)

    async def delete(self, object_ids: Sequence[ObjectId]) -> None:
        await (await self.opened()).delete(object_ids)

    async def remove(self, object_ids: Sequence[ObjectId], *, history: bool) -> None:
        await (await self.opened()).remove(object_ids, history=history)

    async def set_prefixes(self, page_id: PageId, url_prefixes: tuple[str, ...]) -> None:
        await (await self.opened()).set_prefixes(page_id, url_prefixes)

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        return await (await self.opened()).search(query)

    async def get(self, object_ids: Sequence[ObjectId]) -> list[ChunkObject]:
        return await (await self.opened()).get(object_ids)

    async def recall(self, query: StoreQuery, *, slice_key: str) -> Recall | None:
        return await (await self.opened()).recall(query, slice_key=slice_key)

    async def count(self) -> tuple[int, int]:
        return await (await self.opened()).count()

    async def problem(self) -> str | None:
        """Returns why the store cannot be used, and what to do; None when it can."""
        try:
            await (await self.opened()).open()
        except ScopsError as error:
            return error.message
        return None

    async def close(self) -> None:
        """Closes the store, if it was opened."""
        if self._store is not None:
            await self._store.close()

    async def opened(self) -> MaintainedStore:
        """Returns the store itself, which connects at its first call."""
        embedder = await self._embedder()
        if self._store is None:
            self._store = open_chunk_store(
                self._common,
                embedder_id=embedder.embedder_id,
                dimensions=embedder.dimensions,
            )
        return self._store
