"""Looks through a Weaviate index, and finds what an unclean stop has made unfindable.

Weaviate flushes its vector index later than its objects: after a kill, the last objects of a
batch can be there by id and missing from the vector index for ever, and inserting the identical
object again is skipped (measured with 1.35.2). Hence the look through the vector index itself.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from weaviate import WeaviateAsyncClient
from weaviate.classes.query import MetadataQuery

from scops.common.contract.ids import ChunkId, EmbeddingKey, ObjectId, PageId
from scops.libraries.index.ports import ChunkObject, FloatArray, StoreQuery
from scops.libraries.index.upkeep import Recall, StoredChunk
from scops.libraries.index.weaviate import recall
from scops.libraries.index.weaviate.chunk_store import WeaviateChunkStore
from scops.libraries.index.weaviate.objects import INTERVAL_PROPERTIES, interval_of
from scops.libraries.index.weaviate.probe import SAME_DISTANCE_MAX

SCAN_BATCH = 500
SCANNED_PROPERTIES = ["chunk_id", "page_id", "url_prefixes"]
# A chunk must be among this many nearest to its own vector, unless all of them equal it.
SELF_HITS = 10
PROBES_AT_ONCE = 8


class MaintainedWeaviateStore(WeaviateChunkStore):
    """Implements the maintained store port on Weaviate."""

    async def scan(self, *, history: bool) -> AsyncIterator[Sequence[StoredChunk]]:
        await self._opened()
        properties = _properties(history)
        after: Any = None
        while True:

            async def work(client: WeaviateAsyncClient, after: Any = after) -> Any:
                return await self.side(client, history).query.fetch_objects(
                    limit=SCAN_BATCH, after=after, return_properties=properties
                )

            found = (await self.connection.query(work)).objects
            if not found:
                return
            yield [_stored(one) for one in found]
            after = found[-1].uuid

    async def look_up(
        self, object_ids: Sequence[ObjectId], *, history: bool
    ) -> Sequence[StoredChunk]:
        await self._opened()
        properties = _properties(history)
        stored: list[StoredChunk] = []
        for batch in self._batches(list(dict.fromkeys(object_ids))):

            async def work(client: WeaviateAsyncClient, batch: Sequence[ObjectId] = batch) -> Any:
                return await self.side(client, history).query.fetch_objects_by_ids(
                    batch, limit=len(batch), return_properties=properties
                )

            stored += map(_stored, (await self.connection.query(work)).objects)
        return stored

    async def vectors(self, object_ids: Sequence[ObjectId]) -> Mapping[EmbeddingKey, FloatArray]:
        sides = [await self.read(object_ids, history=history) for history in (False, True)]
        return {item.embedding_key: item.vector for side in sides for item in side}

    async def recall(self, query: StoreQuery, *, slice_key: str) -> Recall | None:
        await self._opened()
        live, history = await self.count()
        objects = live if query.as_of is None else live + history
        cutoff = self._settings.weaviate_flat_search_cutoff
        prefix = recall.page_prefix(slice_key, objects, cutoff=cutoff)
        return await self.connection.query(
            lambda client: recall.recall(
                client,
                self._names,
                query,
                page_prefix=prefix,
            )
        )

    async def unfindable(self, objects: Sequence[ChunkObject]) -> frozenset[ObjectId]:
        await self._opened()
        lost: set[ObjectId] = set()
        for batch in self._batches(objects):
            lost |= await self.lost(batch)
        gate = asyncio.Semaphore(PROBES_AT_ONCE)

        async def probe(item: ChunkObject) -> None:
            async with gate:
                if not await self._finds_itself(item):
                    lost.add(item.object_id)

        await asyncio.gather(*(probe(item) for item in objects if item.object_id not in lost))
        return frozenset(lost)

    async def _finds_itself(self, item: ChunkObject) -> bool:
        """Returns whether the graph leads to an object; without a filter, which would bypass it."""

        async def work(client: WeaviateAsyncClient) -> Any:
            return await self.side(client, False).query.near_vector(
                item.vector.tolist(),
                limit=SELF_HITS,
                return_metadata=MetadataQuery(distance=True),
                return_properties=[],
            )

        found = (await self.connection.query(work)).objects
        return any(ObjectId(str(one.uuid)) == item.object_id for one in found) or (
            len(found) == SELF_HITS and found[-1].metadata.distance <= SAME_DISTANCE_MAX
        )


def _properties(history: bool) -> list[str]:
    return SCANNED_PROPERTIES + (INTERVAL_PROPERTIES if history else [])


def _stored(found: Any) -> StoredChunk:
    begin, end = interval_of(found.properties)
    return StoredChunk(
        object_id=ObjectId(str(found.uuid)),
        chunk_id=ChunkId(found.properties["chunk_id"]),
        page_id=PageId(found.properties["page_id"]),
        url_prefixes=tuple(found.properties["url_prefixes"]),
        observed_from=begin,
        observed_to=end,
    )
