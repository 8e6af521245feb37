"""The chunk store on Weaviate: filtered HNSW for vectors, BM25 for words, in one collection.

The collections are reached through aliases, so that a rebuilt generation takes over under running
services. Objects are written in bounded batches, of which few are under way at once.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from weaviate import WeaviateAsyncClient
from weaviate.exceptions import UnexpectedStatusCodeError, WeaviateInsertManyAllFailedError

from scops.common.config.settings import WeaviateSettings
from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.contract.ids import EmbeddingKey, ObjectId, PageId
from scops.libraries.index.ports import ChunkObject, FloatArray, StoreHit, StoreQuery
from scops.libraries.index.weaviate import probe, schema, search
from scops.libraries.index.weaviate.connection import WeaviateConnection
from scops.libraries.index.weaviate.faults import raise_refused
from scops.libraries.index.weaviate.filters import of_pages
from scops.libraries.index.weaviate.inserting import InsertGroups, VerifiedInserts
from scops.libraries.index.weaviate.languages import HeldLanguages
from scops.libraries.index.weaviate.objects import (
    INTERVAL_PROPERTIES,
    LANGUAGE,
    OBJECT_PROPERTIES,
    chunk_object,
    data_object,
    interval_of,
    interval_properties,
)
from scops.libraries.index.weaviate.schema import Owner
from scops.libraries.index.words.language import PLAIN

T = TypeVar("T")

PAGE_OBJECTS_MAX = search.RESULTS_MAX
# Chunk objects in one batch to Weaviate.
BATCH_OBJECTS_MAX = 200
WIDEN_ATTEMPTS_MAX = 5
NOT_FOUND = 404
# An id that no chunk has: deleting it is a write that changes nothing.
NOBODYS_ID = ObjectId("00000000-0000-4000-8000-000000000000")


class WeaviateChunkStore:
    """Implements the chunk store port; see there for the contract.

    Args:
        names: collections to use instead of what the owner's aliases point at.
    """

    def __init__(
        self,
        settings: WeaviateSettings,
        owner: Owner,
        *,
        connection: WeaviateConnection | None = None,
        names: schema.Names | None = None,
    ) -> None:
        self.connection = connection or WeaviateConnection(settings)
        self.owner = owner
        self._settings = settings
        self._names = names or owner.aliases
        self._is_checked = names is not None
        self._languages = HeldLanguages()
        self._inserts = InsertGroups(VerifiedInserts(self).insert, objects_max=BATCH_OBJECTS_MAX)

    @property
    def interruptions(self) -> int:
        """How often Weaviate was away and answered again."""
        return self.connection.interruptions

    async def open(self) -> None:
        """Checks that Weaviate answers and has an index of ours.

        Raises:
            StoreUnavailable: Weaviate does not answer, or nothing was provisioned yet.
            PermanentError: the index belongs to another embedder, or has another format.
        """
        await self.connection.query(lambda client: schema.check(client, self.owner))
        self._is_checked = True

    async def ping(self) -> None:
        """Asks for a sign of life.

        Raises:
            StoreUnavailable: Weaviate does not answer.
        """
        await self.connection.ping()

    async def check_write(self) -> None:
        await self._opened()
        await self.connection.write(partial(self._delete_one, NOBODYS_ID, False))

    async def insert(self, objects: Sequence[ChunkObject]) -> None:
        self._check_dimensions(objects)
        await self._opened()
        for batch in self._batches(_unique(objects)):
            await self._inserts.add(batch)

    async def insert_history(self, objects: Sequence[ChunkObject]) -> None:
        self._check_dimensions(objects)
        await self._opened()
        for batch in self._batches(objects):
            # One after the other: a batch may hold an object twice, with other intervals.
            for item in await self.insert_absent(_unique(batch), history=True):
                await self._widen(item)
            for item in _repeated(batch):
                await self._widen(item)

    async def delete(self, object_ids: Sequence[ObjectId]) -> None:
        await self.remove(object_ids, history=False)

    async def remove(self, object_ids: Sequence[ObjectId], *, history: bool) -> None:
        """Removes live or historical objects; one that is not there changes nothing."""
        await self._opened()
        for batch in self._batches(list(dict.fromkeys(object_ids))):
            # By key, not by filter: after an unclean stop an object may be missing from the
            # index of ids, so that a filter deletes nothing, and stay where it is for ever.
            await asyncio.gather(
                *(
                    self.connection.write(partial(self._delete_one, object_id, history))
                    for object_id in batch
                )
            )

    async def embedding_keys(self, object_ids: Sequence[ObjectId]) -> frozenset[EmbeddingKey]:
        found = [await self.read(object_ids, history=history) for history in (False, True)]
        return frozenset(item.embedding_key for side in found for item in side)

    async def erase(self, object_ids: Sequence[ObjectId]) -> None:
        async def names(client: WeaviateAsyncClient) -> list[str]:
            numbers = await schema.generations(client, self.owner)
            each = [self.owner.generation(number) for number in numbers]
            return [name for pair in each for name in (pair.live, pair.history)]

        collections = await self.connection.query(names)
        for batch in self._batches(list(dict.fromkeys(object_ids))):
            for name in collections:
                await asyncio.gather(
                    *(
                        self.connection.write(partial(_erase_one, name, object_id))
                        for object_id in batch
                    )
                )

    async def scrub(self) -> None:
        """Does nothing: Weaviate lets go of deleted objects when it compacts its segments."""

    async def set_prefixes(self, page_id: PageId, url_prefixes: tuple[str, ...]) -> None:
        await self._opened()
        for history in (False, True):
            found = await self._prefixes_of(page_id, history)
            await asyncio.gather(
                *(
                    self._update(object_id, {"url_prefixes": list(url_prefixes)}, history)
                    for object_id, prefixes in found
                    if prefixes != url_prefixes
                )
            )

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        await self._opened()
        vector = asyncio.ensure_future(self._checked_vector(query))
        try:
            return await self.connection.query(
                partial(self._search, query=replace(query, vector=vector))
            )
        finally:
            vector.cancel()

    async def _search(self, client: WeaviateAsyncClient, query: StoreQuery) -> list[StoreHit]:
        languages = await self._languages.main(client, self._names.live)
        return await search.search(client, self._names, query, languages)

    async def get(self, object_ids: Sequence[ObjectId]) -> list[ChunkObject]:
        return await self.read(object_ids, history=False)

    async def read(self, object_ids: Sequence[ObjectId], *, history: bool) -> list[ChunkObject]:
        """Returns the live or historical objects with these ids; absent ones are left out."""
        await self._opened()
        properties = OBJECT_PROPERTIES + (INTERVAL_PROPERTIES if history else [])
        objects: list[ChunkObject] = []
        for batch in self._batches(list(dict.fromkeys(object_ids))):

            async def work(client: WeaviateAsyncClient, batch: Sequence[ObjectId] = batch) -> Any:
                return await self.side(client, history).query.fetch_objects_by_ids(
                    batch, limit=len(batch), include_vector=True, return_properties=properties
                )

            objects += map(chunk_object, (await self.connection.query(work)).objects)
        return objects

    async def count(self) -> tuple[int, int]:
        await self._opened()

        async def work(client: WeaviateAsyncClient) -> tuple[int, int]:
            live, history = await asyncio.gather(
                *(
                    self.side(client, side).aggregate.over_all(total_count=True)
                    for side in (False, True)
                )
            )
            return live.total_count or 0, history.total_count or 0

        return await self.connection.query(work)

    async def close(self) -> None:
        """Closes the connection."""
        await self.connection.close()

    def side(self, client: WeaviateAsyncClient, history: bool) -> Any:
        """Returns the live or the historical collection."""
        return client.collections.get(self._names.of(history=history))

    async def _opened(self) -> None:
        # Without the check, a missing alias would be an error in Weaviate's words.
        if not self._is_checked:
            await self.open()

    async def _delete_one(
        self, object_id: ObjectId, history: bool, client: WeaviateAsyncClient
    ) -> None:
        await self.side(client, history).data.delete_by_id(object_id)

    async def insert_absent(
        self, batch: Sequence[ChunkObject], *, history: bool
    ) -> list[ChunkObject]:
        """Inserts what is not there; returns what was there already, as it was given.

        Args:
            batch: each object once.
        """
        present = await self._present([item.object_id for item in batch], history)
        absent = [item for item in batch if item.object_id not in present]
        if absent:
            rows = [data_object(item, history=history) for item in absent]
            raise_refused(await self.connection.write(partial(self._send, rows, history)))
            for row in () if history else rows:
                self._languages.note(row.properties.get(LANGUAGE, PLAIN))
        return [item for item in batch if item.object_id in present]

    async def _send(
        self, rows: Sequence[Any], history: bool, client: WeaviateAsyncClient
    ) -> list[str]:
        """Sends a batch; returns what Weaviate said of the objects that it did not take."""
        try:
            done = await self.side(client, history).data.insert_many(rows)
        except WeaviateInsertManyAllFailedError as error:
            return [error.message] * len(rows)
        return [error.message for _, error in sorted(done.errors.items())]

    async def _present(self, object_ids: Sequence[ObjectId], history: bool) -> set[ObjectId]:
        async def work(client: WeaviateAsyncClient) -> Any:
            return await self.side(client, history).query.fetch_objects_by_ids(
                object_ids, limit=len(object_ids), return_properties=[]
            )

        answer = await self.connection.query(work)
        return {ObjectId(str(found.uuid)) for found in answer.objects}

    async def lost(self, batch: Sequence[ChunkObject]) -> set[ObjectId]:
        """Returns which live objects a filtered search by vector or by BM25 does not find.

        Args:
            batch: as they are stored, at most a batch of them.
        """
        whole = [item for item in batch if item.vector.size]
        if not whole:
            return set(_ids(batch))
        found = await self.connection.query(
            lambda client: probe.findable(self.side(client, False), whole)
        )
        return set(_ids(batch)) - found

    async def _widen(self, item: ChunkObject) -> None:
        """Lets the interval of a history object grow; looks again, for others widen it as well."""
        for _ in range(WIDEN_ATTEMPTS_MAX):
            found = await self._interval(item.object_id)
            begin, end = interval_properties(item.observed_from, item.observed_to).values()
            wanted = (min(begin, found[0]), max(end, found[1]))
            if wanted == found:
                return
            await self._update(item.object_id, interval_properties(*wanted), True)
        raise StoreUnavailable(
            f"The interval of chunk object {item.object_id} was changed by others "
            f"{WIDEN_ATTEMPTS_MAX} times meanwhile; the work is retried.",
            reason="INDEX_CONTESTED",
        )

    async def _interval(self, object_id: ObjectId) -> tuple[datetime, datetime]:
        async def work(client: WeaviateAsyncClient) -> Any:
            return await self.side(client, True).query.fetch_object_by_id(
                object_id, return_properties=INTERVAL_PROPERTIES
            )

        found = await self.connection.query(work)
        begin, end = interval_properties(*interval_of(found.properties)).values()
        return begin, end

    async def _prefixes_of(
        self, page_id: PageId, history: bool
    ) -> list[tuple[ObjectId, tuple[str, ...]]]:
        async def work(client: WeaviateAsyncClient) -> Any:
            return await self.side(client, history).query.fetch_objects(
                filters=of_pages([page_id]),
                limit=PAGE_OBJECTS_MAX,
                return_properties=["url_prefixes"],
            )

        found = (await self.connection.query(work)).objects
        return [
            (ObjectId(str(one.uuid)), tuple(one.properties.get("url_prefixes") or ()))
            for one in found
        ]

    async def _update(self, object_id: ObjectId, properties: dict[str, Any], history: bool) -> None:
        """Changes properties of an object; one that was deleted meanwhile stays deleted."""

        async def work(client: WeaviateAsyncClient) -> None:
            try:
                await self.side(client, history).data.update(object_id, properties=properties)
            except UnexpectedStatusCodeError as error:
                if error.status_code != NOT_FOUND:
                    raise

        await self.connection.write(work)

    def _batches(self, values: Sequence[T]) -> Iterator[Sequence[T]]:
        step = BATCH_OBJECTS_MAX
        for start in range(0, len(values), step):
            yield values[start : start + step]

    def _check_dimensions(self, objects: Sequence[ChunkObject]) -> None:
        for item in objects:
            self._check_vector(item.vector)

    async def _checked_vector(self, query: StoreQuery) -> FloatArray:
        vector = await query.known_vector()
        self._check_vector(vector)
        return vector

    def _check_vector(self, vector: FloatArray) -> None:
        if vector.shape != (self.owner.dimensions,):
            raise PermanentError(
                f"The index holds vectors of {self.owner.embedder_id} with "
                f"{self.owner.dimensions} dimensions; one of shape {vector.shape} came. Configure "
                "the embedder that the index was built with.",
                reason="VECTOR_DIMENSIONS",
            )


async def _erase_one(name: str, object_id: ObjectId, client: WeaviateAsyncClient) -> None:
    await client.collections.get(name).data.delete_by_id(object_id)


def _ids(objects: Sequence[ChunkObject]) -> list[ObjectId]:
    return [item.object_id for item in objects]


def _unique(objects: Sequence[ChunkObject]) -> list[ChunkObject]:
    first: dict[ObjectId, ChunkObject] = {}
    for item in objects:
        first.setdefault(item.object_id, item)
    return list(first.values())


def _repeated(objects: Sequence[ChunkObject]) -> list[ChunkObject]:
    seen: set[ObjectId] = set()
    repeated = []
    for item in objects:
        if item.object_id in seen:
            repeated.append(item)
        seen.add(item.object_id)
    return repeated
