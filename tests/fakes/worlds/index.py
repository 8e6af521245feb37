"""The indexer with its real rows, store and archive in memory, and verdicts to feed it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scops.change_detector.chunking.fingerprints import fingerprint
from scops.common.archive.opening import open_archive
from scops.common.bus.ports import Cause
from scops.common.contract import ids, wire
from scops.common.contract.errors import PermanentError
from scops.common.contract.ids import (
    ChunkId,
    EmbeddingKey,
    EventId,
    ObjectId,
    PageId,
    ScopeId,
)
from scops.common.contract.messages.change import (
    Manifest,
    ManifestChunk,
    VersionAdded,
    VersionClosed,
    VersionRestored,
    VersionRow,
    VersionUnchanged,
)
from scops.common.contract.messages.index import VersionIndexed
from scops.common.contract.messages.types import (
    BodyRef,
    ChangeSummary,
    OrderKey,
    RuleKind,
    Scope,
    ScopeRule,
)
from scops.common.contract.service_table import Lane
from scops.common.db.address import Address
from scops.common.db.database import Database, Effect
from scops.common.scope.filter import ScopeFilter, compile_filter
from scops.indexer.adapters.sql_index_rows import SqlIndexRows
from scops.indexer.adapters.sql_inventory import SqlInventory
from scops.indexer.adapters.tables import metadata
from scops.indexer.handlers.verdicts import (
    handle_version_added,
    handle_version_closed,
    handle_version_restored,
    handle_version_unchanged,
)
from scops.indexer.ports import Answer, IndexerPorts
from scops.indexer.settings import IndexerSettings
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.indexer.upkeep.sweeper import SweepResult, sweep
from scops.libraries.index.manifest_reader import ManifestReader
from scops.libraries.index.ports import (
    ChunkObject,
    ChunkStore,
    FloatArray,
    Head,
    StoreHit,
    StoreQuery,
)
from scops.libraries.index.rows.head_reader import SqlHeadReader
from scops.libraries.index.rows.mirror_reader import SqlMirrorReader
from scops.libraries.index.sqlite.upkeep import MaintainedSqliteStore
from scops.libraries.mentions.rules import RuleExtractor
from tests.fakes.clock import ManualClock
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.verdicts import PAGE, added, at, ended

HANDLERS: dict[type[Any], Callable[[Any, Cause, IndexerPorts], Awaitable[Sequence[Answer]]]] = {
    VersionAdded: handle_version_added,
    VersionUnchanged: handle_version_unchanged,
    VersionRestored: handle_version_restored,
    VersionClosed: handle_version_closed,
}


async def _no_effect(name: str) -> None:
    return None


@dataclass
class EmbedderVectors:
    """Implements the indexer's vectors port by calling the embedder at once."""

    embedder: HashingEmbedder

    async def embedder_id(self) -> str:
        return self.embedder.embedder_id

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> FloatArray:
        return await self.embedder.embed(texts)


@dataclass
class WatchedStore:
    """A store that awaits `effect` before and after each write, and passes everything on."""

    store: ChunkStore
    effect: Effect

    async def insert(self, objects: Sequence[ChunkObject]) -> None:
        await self._around("insert", self.store.insert(objects))

    async def insert_history(self, objects: Sequence[ChunkObject]) -> None:
        await self._around("insert_history", self.store.insert_history(objects))

    async def delete(self, object_ids: Sequence[ObjectId]) -> None:
        await self._around("delete", self.store.delete(object_ids))

    async def remove(self, object_ids: Sequence[ObjectId], *, history: bool) -> None:
        await self._around("remove", self.store.remove(object_ids, history=history))

    async def embedding_keys(self, object_ids: Sequence[ObjectId]) -> frozenset[EmbeddingKey]:
        return await self.store.embedding_keys(object_ids)

    async def erase(self, object_ids: Sequence[ObjectId]) -> None:
        await self._around("erase", self.store.erase(object_ids))

    async def scrub(self) -> None:
        await self.store.scrub()

    async def set_prefixes(self, page_id: PageId, url_prefixes: tuple[str, ...]) -> None:
        await self._around("set_prefixes", self.store.set_prefixes(page_id, url_prefixes))

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        return await self.store.search(query)

    async def get(self, object_ids: Sequence[ObjectId]) -> list[ChunkObject]:
        return await self.store.get(object_ids)

    async def count(self) -> tuple[int, int]:
        return await self.store.count()

    async def _around(self, name: str, work: Any) -> None:
        try:
            await self.effect(f"store.{name}.begin")
        except BaseException:
            work.close()
            raise
        await work
        await self.effect(f"store.{name}.end")


@dataclass
class IndexWorld:
    """One index, the pages that are observed, and everything the indexer answered.

    Attributes:
        effect: awaited around every commit and every write to the store; tests stop, reorder
            and crash handlers there.
    """

    address: str | Address = "sqlite://"
    settings: IndexerSettings = field(default_factory=IndexerSettings.load)
    effect: Effect = _no_effect
    clock: ManualClock = field(default_factory=ManualClock)
    embedder: HashingEmbedder = field(default_factory=HashingEmbedder)

    def __post_init__(self) -> None:
        async def effect(name: str) -> None:
            await self.effect(name)

        self.archive = open_archive("memory://", "main")
        self.database = Database(self.address, name="indexer", effect=effect)
        self.plain_store = MaintainedSqliteStore(
            None,
            embedder_id=self.embedder.embedder_id,
            dimensions=self.embedder.dimensions,
            inline=True,
        )
        self.heads = SqlHeadReader(self.database)
        self.mirrors = SqlMirrorReader(self.database)
        self.store = WatchedStore(self.plain_store, effect)
        self.ports = self.new_ports(self.database)
        self.rows = self.ports.rows
        self._events = 0

    def new_ports(self, database: Database) -> IndexerPorts:
        """Returns the ports of another process on the same index."""
        return IndexerPorts(
            archive=self.archive,
            manifests=ManifestReader(self.archive),
            vectors=EmbedderVectors(self.embedder),
            mentions=RuleExtractor(),
            rows=SqlIndexRows(database),
            store=self.store,
            clock=self.clock,
            settings=self.settings,
        )

    @classmethod
    async def create(cls, **options: Any) -> "IndexWorld":
        """Builds a world with its tables."""
        world = cls(**options)
        async with world.database.transaction() as connection:
            await connection.run_sync(metadata.create_all)
        return world

    async def lose(self, digest: str) -> None:
        """Takes a blob out of the archive, as damage does."""
        await self.archive.set_aside(digest)
        await self.archive.drop_aside(digest)

    @property
    def tools(self) -> MaintenanceTools:
        """What reconcile and rebuild need, on the store that serves."""
        return MaintenanceTools(
            ports=self.ports, inventory=SqlInventory(self.database), store=self.plain_store
        )

    async def close(self) -> None:
        await self.plain_store.close()
        await self.database.close()

    async def version(
        self,
        *texts: str,
        day: float,
        until: float | None = None,
        revision: int = 0,
        row_revision: int = 1,
        first_day: float | None = None,
        page: PageId = PAGE,
        embedder_id: str | None = None,
    ) -> VersionRow:
        """Stores text and manifest of a version, one chunk a text, and returns its row."""
        clean_text = "\n".join(texts)
        key = OrderKey(observed_from=at(day), revision=revision)
        body = await self.archive.put(clean_text.encode(), media_type="text/plain")
        manifest = Manifest(
            page_id=page,
            version_id=ids.version_id(page, key.observed_from, revision),
            order_key=key,
            text=body,
            document=body,
            embedder_id=embedder_id or self.embedder.embedder_id,
            summary=ChangeSummary(),
            chunks=tuple(self._chunks(texts, page, embedder_id or self.embedder.embedder_id)),
        )
        blob = await self.archive.put(wire.encode(manifest), media_type="application/x-manifest")
        return VersionRow(
            version_id=manifest.version_id,
            order_key=key,
            manifest=blob,
            observed_to=None if until is None else at(until),
            row_revision=row_revision,
            first_observed_time=None if first_day is None else at(first_day),
        )

    def _chunks(self, texts: Sequence[str], page: PageId, embedder_id: str) -> list[ManifestChunk]:
        chunks: list[ManifestChunk] = []
        start = 0
        for number, text in enumerate(texts):
            key = ids.embedding_key(embedder_id, ids.embedded_text("Tea", text))
            chunk = ManifestChunk(
                chunk_id=ids.chunk_id(page, "Tea", text, texts[:number].count(text)),
                start=start,
                end=start + len(text),
                header="Tea",
                embedding_key=key,
                simhash=fingerprint(text),
            )
            chunks.append(chunk)
            start += len(text) + 1
        return chunks

    async def handle(
        self,
        message: Any,
        *,
        event_id: str | None = None,
        lane: Lane = Lane.BULK,
        ports: IndexerPorts | None = None,
    ) -> Answer:
        """Delivers a verdict; the same event_id makes it a redelivery."""
        self._events += 1
        cause = Cause(
            event_id=EventId(event_id or f"event-{self._events}"),
            organisation_id="main",
            lane=lane,
            published_time=self.clock.now(),
        )
        (answer,) = await HANDLERS[type(message)](message, cause, ports or self.ports)
        return answer

    async def indexed(self, message: Any, *, event_id: str | None = None) -> VersionIndexed:
        """Delivers a verdict that is expected to be applied."""
        answer = await self.handle(message, event_id=event_id)
        assert isinstance(answer, VersionIndexed), answer
        return answer

    async def show(
        self, *texts: str, day: float, after: VersionRow | None = None, page: PageId = PAGE
    ) -> VersionRow:
        """Indexes a version, which ends the one before it; returns its row."""
        row = await self.version(*texts, day=day, page=page)
        others = (ended(after, day),) if after else ()
        await self.indexed(added(row, *others, day=day, page=page))
        return row

    async def serve_from(self, store: MaintainedSqliteStore) -> None:
        """Takes another store, before anything is indexed."""
        await self.plain_store.close()
        self.plain_store = store
        self.ports = replace(self.ports, store=store)

    async def sweep_later(self) -> SweepResult:
        """Lets the sweeper run once everything unlisted is old enough."""
        self.clock.advance(self.settings.sweep_age_seconds + 1)
        return await sweep(self.ports)

    async def head(self, page: PageId = PAGE) -> Head:
        return (await self.heads.heads([page]))[page]

    async def search(
        self, text: str, *, day: float | None = None, scope_filter: ScopeFilter | None = None
    ) -> list[str]:
        """Answers as the retriever does: hits that the standing manifests list, as texts."""
        (vector,) = await HashingEmbedder().embed([text])
        query = StoreQuery(
            text=text,
            vector=vector,
            scope_filter=scope_filter or prefix_filter("docs.example.org"),
            limit=100,
            as_of=None if day is None else at(day),
        )
        hits = await self.plain_store.search(query)
        listed = await self._listed([hit.page_id for hit in hits], day)
        return [hit.text for hit in hits if hit.chunk_id in listed]

    async def _listed(self, pages: Sequence[PageId], day: float | None) -> set[ChunkId]:
        manifests: list[BodyRef | None]
        if day is None:
            manifests = [head.manifest for head in (await self.heads.heads(pages)).values()]
        else:
            rows = await self.heads.standing(pages, at(day))
            manifests = [row.manifest for row in rows.values()]
        reader = ManifestReader(self.archive)
        return {
            chunk.chunk_id
            for ref in manifests
            if ref is not None
            for chunk in (await reader.get(ref)).chunks
        }

    async def check(self, *pages: PageId) -> None:
        """Checks invariant 2 on some pages.

        Raises:
            PermanentError: a chunk that a head lists is not in the store, live and once, with
                the vector of its embedding key.
        """
        for page in pages or (PAGE,):
            found = await self.heads.heads([page])
            if page not in found or found[page].manifest is None:
                continue
            manifest = await ManifestReader(self.archive).get(_present(found[page].manifest))
            data = (await self.archive.get(manifest.text)).decode()
            await self._check_chunks(page, manifest, data)

    async def _check_chunks(self, page: PageId, manifest: Manifest, text: str) -> None:
        claims = await self.live_incarnations(page)
        for chunk in manifest.chunks:
            object_id = ids.object_id(chunk.chunk_id, claims.get(chunk.chunk_id, 0))
            objects = await self.plain_store.get([object_id])
            wanted = text[chunk.start : chunk.end]
            (vector,) = await HashingEmbedder().embed([ids.embedded_text(chunk.header, wanted)])
            if len(objects) != 1 or not np.array_equal(objects[0].vector, vector):
                raise PermanentError(f"Chunk {wanted!r} of {page} is not in the store as listed.")

    async def live_incarnations(self, page: PageId = PAGE) -> dict[ChunkId, int]:
        """Returns the incarnation of each live chunk of a page."""
        chunk = metadata.tables["chunk"]
        statement = chunk.select().where(chunk.c.page_id == page, chunk.c.state == "live")
        async with self.database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        return {ChunkId(row.chunk_id): row.incarnation for row in rows}


def prefix_filter(prefix: str) -> ScopeFilter:
    """Compiles a scope over one prefix."""
    rule = ScopeRule(kind=RuleKind.PREFIX, pattern=prefix)
    return compile_filter([Scope(scope_id=ScopeId("scope"), rules=(rule,))])


def _present(ref: BodyRef | None) -> BodyRef:
    assert ref is not None
    return ref
