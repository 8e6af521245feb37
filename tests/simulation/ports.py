"""Ports of the simulated world: real adapters with an effect around everything that lasts."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from scops.common.archive import Archive
from scops.common.archive.ports import NewBlob
from scops.common.contract.ids import EmbeddingKey, ObjectId, PageId
from scops.common.contract.messages.types import BodyRef
from scops.libraries.index.ports import ChunkObject, FloatArray, StoreHit, StoreQuery
from scops.libraries.index.sqlite.upkeep import MaintainedSqliteStore
from tests.fakes.clock import ManualClock
from tests.fakes.embedder import HashingEmbedder

Effect = Callable[[str], Awaitable[None]]
Refuse = Callable[[str], None]


@dataclass
class EffectArchive:
    """The archive adapter on memory; a crash may come before or after each put.

    Blobs are as old as the world's clock says, which the adapter does not know.
    """

    inner: Archive
    effect: Effect
    refuse: Refuse
    clock: ManualClock
    _put_times: dict[str, datetime] = field(default_factory=dict)

    async def put(self, data: bytes, *, media_type: str, charset: str = "") -> BodyRef:
        await self.effect("archive put")
        ref = await self.inner.put(data, media_type=media_type, charset=charset)
        self._put_times[ref.digest] = self.clock.now()
        await self.effect("archive kept")
        return ref

    async def put_many(
        self, blobs: Sequence[NewBlob], *, patient: bool = False
    ) -> Sequence[BodyRef]:
        # One after the other: a crash may come between any two.
        return [
            await self.put(blob.data, media_type=blob.media_type, charset=blob.charset)
            for blob in blobs
        ]

    async def get(self, ref: BodyRef) -> bytes:
        self.refuse("archive get")
        was_aside = await self.inner.touched(ref.digest) is None
        data = await self.inner.get(ref)
        if was_aside:
            self._put_times[ref.digest] = self.clock.now()
        return data

    async def touched(self, digest: str) -> datetime | None:
        is_there = await self.inner.touched(digest) is not None
        return self._put_times[digest] if is_there else None

    async def set_aside(self, digest: str) -> datetime | None:
        await self.effect(f"archive aside {digest}")
        is_aside = await self.inner.set_aside(digest) is not None
        return self._put_times[digest] if is_aside else None

    async def drop_aside(self, digest: str) -> None:
        await self.effect("archive drop")
        await self.inner.drop_aside(digest)


@dataclass
class EffectStore:
    """The SQLite chunk store in memory; each call that writes is an effect."""

    inner: MaintainedSqliteStore
    effect: Effect
    refuse: Refuse

    async def insert(self, objects: Sequence[ChunkObject]) -> None:
        await self.effect("store insert")
        await self.inner.insert(objects)

    async def insert_history(self, objects: Sequence[ChunkObject]) -> None:
        await self.effect("store history")
        await self.inner.insert_history(objects)

    async def delete(self, object_ids: Sequence[ObjectId]) -> None:
        await self.effect("store delete")
        await self.inner.delete(object_ids)

    async def remove(self, object_ids: Sequence[ObjectId], *, history: bool) -> None:
        await self.effect("store remove")
        await self.inner.remove(object_ids, history=history)

    async def embedding_keys(self, object_ids: Sequence[ObjectId]) -> frozenset[EmbeddingKey]:
        return await self.inner.embedding_keys(object_ids)

    async def erase(self, object_ids: Sequence[ObjectId]) -> None:
        await self.effect("store erase")
        await self.inner.erase(object_ids)

    async def scrub(self) -> None:
        await self.inner.scrub()

    async def set_prefixes(self, page_id: PageId, url_prefixes: tuple[str, ...]) -> None:
        await self.effect("store prefixes")
        await self.inner.set_prefixes(page_id, url_prefixes)

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        hits = await self.inner.search(query)
        await self.effect("store searched")
        return hits

    async def get(self, object_ids: Sequence[ObjectId]) -> list[ChunkObject]:
        self.refuse("store get")
        return await self.inner.get(object_ids)

    async def count(self) -> tuple[int, int]:
        return await self.inner.count()


@dataclass
class SimVectors:
    """The indexer's way to the embedder, without batching across handlers."""

    embedder: HashingEmbedder

    async def embedder_id(self) -> str:
        return self.embedder.embedder_id

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> FloatArray:
        return await self.embedder.embed(texts)
