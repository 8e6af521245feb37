"""The indexer with its real rows and archive in memory, and its chunks in a real Weaviate."""

import asyncio
from dataclasses import dataclass, field, replace

from scops.common.config.settings import CommonSettings
from scops.common.contract import ids
from scops.common.contract.errors import TransientError
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import VersionAdded
from scops.indexer.adapters.sql_inventory import SqlInventory
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.libraries.index.ports import ChunkObject, StoreHit, StoreQuery
from scops.libraries.index.weaviate.opening import open_store, provision
from scops.libraries.index.weaviate.upkeep import MaintainedWeaviateStore
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.servers.weaviate import WeaviateServer
from tests.fakes.verdicts import added
from tests.fakes.worlds.index import IndexWorld, prefix_filter

HOST = "docs.example.org"
RETRY_SECONDS = 0.5
ATTEMPTS_MAX = 120
CHUNKS_PER_PAGE = 40
SELF_HITS = 3
SAME = 1e-4


@dataclass
class WeaviateWorld:
    """One index in Weaviate, and pages of known texts in it."""

    index: IndexWorld
    common: CommonSettings
    store: MaintainedWeaviateStore
    retries: int = 0
    texts: dict[str, PageId] = field(default_factory=dict)

    @classmethod
    async def on(cls, server: WeaviateServer) -> "WeaviateWorld":
        """Provisions an index on a server."""
        common = server.common()
        embedder_id, dimensions = HashingEmbedder.embedder_id, HashingEmbedder.dimensions
        await provision(common, embedder_id=embedder_id, dimensions=dimensions)
        store = open_store(common, embedder_id=embedder_id, dimensions=dimensions)
        index = await IndexWorld.create()
        index.ports = replace(index.ports, store=store)
        return cls(index=index, common=common, store=store)

    @property
    def tools(self) -> MaintenanceTools:
        """What reconcile and rebuild need."""
        inventory = SqlInventory(self.index.database)
        return MaintenanceTools(ports=self.index.ports, inventory=inventory, store=self.store)

    async def close(self) -> None:
        await self.store.close()
        await self.index.close()

    async def index_page(self, number: int) -> None:
        """Indexes a page; a failed delivery is repeated, as the bus does."""
        page = PageId(f"page-{number}")
        texts = [_text(number, chunk) for chunk in range(CHUNKS_PER_PAGE)]
        version = await self.index.version(*texts, day=1, page=page)
        verdict = added(version, day=1, page=page)
        await self._deliver(verdict, event_id=f"event-of-{page}")
        self.texts |= dict.fromkeys(texts, page)

    async def lost(self) -> dict[str, int]:
        """Returns how many of the indexed chunks are not found, by way: id, BM25 and vector."""
        objects = await self.live_objects()
        by_text = {item.text: item for item in objects}
        found = [item for text in self.texts if (item := by_text.get(text)) is not None]
        gate = asyncio.Semaphore(8)

        async def ways(item: ChunkObject) -> tuple[bool, bool]:
            async with gate:
                return await self._is_worded(item), await self._is_near(item)

        seen = await asyncio.gather(*(ways(item) for item in found))
        return {
            "id": len(self.texts) - len(found),
            "bm25": sum(not worded for worded, _ in seen),
            "vector": sum(not near for _, near in seen),
        }

    async def live_objects(self) -> list[ChunkObject]:
        """Returns the objects that the rows name."""
        objects: list[ChunkObject] = []
        for page in await self.tools.inventory.pages(after=PageId(""), limit=10_000):
            (inventory,) = await self.tools.inventory.look([page])
            objects += await self.store.get([row.object_id for row in inventory.chunks])
        return objects

    async def _deliver(self, verdict: VersionAdded, *, event_id: str) -> None:
        last = ""
        for _ in range(ATTEMPTS_MAX):
            try:
                await self.index.indexed(verdict, event_id=event_id)
            except TransientError as error:
                self.retries += 1
                last = error.message
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return
        raise AssertionError(f"{event_id} was never applied: {last}")

    async def _is_worded(self, item: ChunkObject) -> bool:
        hits = await self._search(item, text=item.text.split()[0], limit=SELF_HITS)
        return any(hit.chunk_id == item.chunk_id and hit.bm25 is not None for hit in hits)

    async def _is_near(self, item: ChunkObject) -> bool:
        hits = await self._search(item, text="", limit=SELF_HITS)
        # Texts of the same words have the same vector.
        same = [hit for hit in hits if hit.similarity >= 1 - SAME]
        return item.chunk_id in {hit.chunk_id for hit in hits} or len(same) == SELF_HITS

    async def _search(self, item: ChunkObject, *, text: str, limit: int) -> list[StoreHit]:
        (vector,) = await HashingEmbedder().embed([ids.embedded_text(item.header, item.text)])
        query = StoreQuery(text=text, vector=vector, scope_filter=prefix_filter(HOST), limit=limit)
        return await self.store.search(query)


def _text(page: int, chunk: int) -> str:
    """Returns a text whose first word is in no other."""
    words = [f"w{(page * 7919 + chunk * 104729 + place * 1299709) % 5000}" for place in range(20)]
    return " ".join([f"tok{page}x{chunk}", *words])
