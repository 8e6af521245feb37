"""Compares the store with heads, manifests and chunk rows, and mends what differs.

It runs beside the indexer, as a part of it: rows are read again before anything is written, and
what is written is what the indexer itself would have written. A second run finds nothing.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from datetime import datetime

from scops.common.contract.ids import ChunkId, ObjectId, PageId
from scops.common.db.batches import batches
from scops.common.observe.log import get_logger
from scops.common.runtime.tasks import cancel_all
from scops.common.scope.urls import url_prefixes
from scops.indexer.objects.chunk_objects import chunk_spans
from scops.indexer.objects.prefixes import settle_prefixes
from scops.indexer.upkeep.comparing import (
    has_its_key,
    has_vector,
    holds,
    is_orphan,
    is_owed_nothing,
    page_prefixes,
    should_be,
    should_be_history,
    still,
)
from scops.indexer.upkeep.inventory import ChunkRow, MaintenanceTools, PageInventory
from scops.indexer.upkeep.restoring import (
    ChunkSources,
    chunk_sources,
    current_manifest,
    restore_objects,
)
from scops.libraries.index.ports import ChunkObject
from scops.libraries.index.upkeep import StoredChunk

PAGES_A_BATCH = 20
# While one batch waits for the store, others are looked at in the rows and the archive.
BATCHES_AT_ONCE = 4
# Those of several pages are written together, in the store's own batches.
OBJECTS_AT_ONCE = 200
# Of what the graph of the vectors leads to, each after some objects were replaced in it.
GRAPH_ROUNDS_MAX = 20
NO_FAULTS = frozenset(
    ("pages", "chunks", "history", "mentions_other", "dropped", "unrestorable", "mended")
)
log = get_logger("indexer")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileReport:
    """What a run looked at, what it found, and what it could mend.

    Attributes:
        pages, chunks, history: looked at: heads, live objects and historical ones.
        unlisted: chunks that a head's manifest lists and no row knows as listed.
        missing: live chunks without an object.
        unfindable: objects that a search for their own vector does not find.
        wrong: objects with another vector, key or access context than they should have.
        misplaced: pages whose objects carry the prefixes of another URL.
        history_missing: retired chunks of kept versions without a copy in the history.
        history_narrow: copies whose interval does not hold the chunk's.
        orphans: objects without a row, or of an incarnation that was deleted.
        mentions_other: live objects whose mentions the configured extractor did not read, or that
            have none: no fault, a rebuild reads them anew.
        dropped: chunks without an object that no kept version lists: no fault, nothing is owed.
        unrestorable: faults of the above whose manifest or text the archive lacks; the log names
            their pages. Another run mends none of them.
        mended: faults of the above that are gone; in a dry run none.
    """

    pages: int = 0
    chunks: int = 0
    history: int = 0
    unlisted: int = 0
    missing: int = 0
    unfindable: int = 0
    wrong: int = 0
    misplaced: int = 0
    history_missing: int = 0
    history_narrow: int = 0
    orphans: int = 0
    mentions_other: int = 0
    dropped: int = 0
    unrestorable: int = 0
    mended: int = 0

    @property
    def faults(self) -> int:
        """How many faults were found."""
        counts = asdict(self)
        return sum(counts[name] for name in counts if name not in NO_FAULTS)

    @property
    def left(self) -> int:
        """How many faults are still there."""
        return self.faults - self.mended


async def reconcile(
    tools: MaintenanceTools,
    *,
    since: datetime | None = None,
    dry_run: bool = False,
    serving: bool = True,
    filling: bool = False,
) -> ReconcileReport:
    """Looks through the index and mends it.

    Args:
        since: only pages that a verdict was applied to since then, and no orphans.
        dry_run: only count.
        serving: the store is the one that serves; otherwise rows are left alone.
        filling: what is missing was hardly ever written, and is inserted without a deletion
            first; a torn object of an earlier attempt is left to the next run.

    Raises:
        StoreUnavailable: the store, the database or the archive does not answer; what was
            mended until then stays so.
    """
    run = _Reconciliation(tools, dry_run=dry_run, serving=serving, filling=filling)
    await run.check_batches(_batches(tools, since), run.check_pages)
    for _ in range(GRAPH_ROUNDS_MAX):
        if not run.replaced:
            break
        run.replaced = 0
        await run.check_batches(_batches(tools, since), run.check_graph)
    else:
        log.warning("graph_still_torn", hint="scops rebuild makes a new one")
    if since is None:
        for history in (False, True):
            async for batch in tools.store.scan(history=history):
                await run.check_objects(batch, history=history)
    return ReconcileReport(**run.counts)


async def _batches(
    tools: MaintenanceTools, since: datetime | None
) -> AsyncIterator[Sequence[PageId]]:
    if since is not None:
        applied = await tools.inventory.applied_since(since)
        for batch in batches(applied, PAGES_A_BATCH):
            yield batch
        return
    after = PageId("")
    while batch := await tools.inventory.pages(after=after, limit=PAGES_A_BATCH):
        yield batch
        after = batch[-1]


class _Reconciliation:
    """One run, with its counts.

    Attributes:
        replaced: objects that were removed and inserted again since it was set to 0. A graph
            that a kill has torn may lead to others no more after that.
    """

    def __init__(
        self, tools: MaintenanceTools, *, dry_run: bool, serving: bool, filling: bool
    ) -> None:
        self.counts: Counter[str] = Counter()
        self.replaced = 0
        self._tools = tools
        self._dry_run = dry_run
        self._serving = serving
        self._filling = filling

    async def check_batches(
        self,
        batches: AsyncIterator[Sequence[PageId]],
        check: Callable[[Sequence[PageInventory]], Awaitable[None]],
    ) -> None:
        """Compares some batches of pages at once with the store, until there are no more."""
        turn = asyncio.Lock()

        async def check_on() -> None:
            while True:
                async with turn:
                    page_ids = await anext(batches, None)
                if page_ids is None:
                    return
                await check(await self._tools.inventory.look(page_ids))

        checking = [asyncio.create_task(check_on()) for _ in range(BATCHES_AT_ONCE)]
        try:
            await asyncio.gather(*checking)
        finally:
            await cancel_all(checking)

    async def check_pages(self, pages: Sequence[PageInventory]) -> None:
        """Compares what rows say of some pages with the store."""
        self.counts["pages"] += len(pages)
        await self._check_live(pages)
        await self._check_history(pages)
        if self._serving:
            for page in pages:
                await self._check_listed(page)

    async def check_graph(self, pages: Sequence[PageInventory]) -> None:
        """Inserts again, as they are, live objects that a search for their vector does not find."""
        rows = [row.object_id for page in pages for row in page.chunks if should_be(row)]
        stored = await self._tools.store.get(rows)
        held = {item.object_id: item for item in stored if item.vector.size}
        lost = await self._tools.store.unfindable(list(held.values()))
        self.counts["unfindable"] += len(lost)
        await self._insert([held[object_id] for object_id in sorted(lost)], lost)

    async def check_objects(self, batch: Sequence[StoredChunk], *, history: bool) -> None:
        """Finds objects that no row stands for."""
        rows = await self._tools.inventory.chunk_rows([item.chunk_id for item in batch])
        orphans = [
            item.object_id
            for item in batch
            if is_orphan(item, rows.get(item.chunk_id), history=history)
        ]
        self.counts["orphans"] += len(orphans)
        if orphans and not self._dry_run:
            # A row is there before its object and stays; what has none now never gets one.
            await self._tools.store.remove(orphans, history=history)
            self.counts["mended"] += len(orphans)

    async def _check_live(self, pages: Sequence[PageInventory]) -> None:
        rows = {row.object_id: row for page in pages for row in page.chunks if should_be(row)}
        held = {item.object_id: item for item in await self._tools.store.get(list(rows))}
        wrong = await self._wrong(held, {page.page_id: page for page in pages})
        extractor_id = self._tools.ports.mentions.extractor_id
        self.counts["mentions_other"] += sum(
            item.mentions is None or item.mentions.extractor_id != extractor_id
            for item in held.values()
        )
        sound = [item for object_id, item in held.items() if object_id not in wrong]
        lost = await self._tools.store.unfindable(sound) if sound else frozenset()
        missing = rows.keys() - held.keys()
        sources = {}
        for page in pages:
            if mine := [row for row in page.chunks if row.object_id in missing | wrong | lost]:
                sources[page.page_id] = await self._sources(page, mine)
        owed = {key for key, row in rows.items() if not is_owed_nothing(row, sources)}
        missing, wrong, lost = missing & owed, wrong & owed, lost & owed
        for name, found in (
            ("chunks", rows),
            ("missing", missing),
            ("wrong", wrong),
            ("unfindable", lost),
        ):
            self.counts[name] += len(found)
        if not self._dry_run:
            await self._restore(pages, sources, absent=missing, damaged=wrong | lost)
        prefixes = {page.page_id: page_prefixes(page) for page in pages}
        misplaced = {
            item.page_id for item in held.values() if item.url_prefixes != prefixes[item.page_id]
        }
        for page in pages:
            if page.page_id in misplaced:
                await self._replace_prefixes(page)

    async def _wrong(
        self, held: Mapping[ObjectId, ChunkObject], pages: Mapping[PageId, PageInventory]
    ) -> set[ObjectId]:
        """Returns objects that are not what their key and page say; prefixes are no part of it."""
        vectors = await self._tools.inventory.vectors(
            [item.embedding_key for item in held.values()]
        )
        embedder_id = await self._tools.ports.vectors.embedder_id()
        return {
            object_id
            for object_id, item in held.items()
            if not has_its_key(item, embedder_id)
            or item.access_context != pages[item.page_id].head.access_context
            or not has_vector(item, vectors.get(item.embedding_key))
        }

    async def _sources(self, page: PageInventory, rows: Sequence[ChunkRow]) -> ChunkSources:
        """Returns what faulty chunks can be made of, and counts those that nothing can mend."""
        sources = await chunk_sources(page, rows, self._tools.ports)
        self.counts["dropped"] += len(sources.dropped)
        self.counts["unrestorable"] += len(sources.unreadable)
        return sources

    async def _restore(
        self,
        pages: Sequence[PageInventory],
        sources: Mapping[PageId, ChunkSources],
        *,
        absent: Set[ObjectId],
        damaged: Set[ObjectId],
    ) -> None:
        """Inserts what pages lack or hold damaged, objects of several pages together."""
        faulty = absent | damaged
        # The identical object inserted again would be skipped, with its fault.
        doubtful = damaged if self._filling else faulty
        objects: list[ChunkObject] = []
        for page in pages:
            mine = [row for row in page.chunks if row.object_id in faulty and should_be(row)]
            if mine:
                texts = sources[page.page_id].texts
                objects += await restore_objects(page, mine, texts, self._tools)
            if len(objects) >= OBJECTS_AT_ONCE:
                await self._insert(objects, doubtful)
                objects = []
        await self._insert(objects, doubtful)

    async def _insert(self, objects: Sequence[ChunkObject], doubtful: Set[ObjectId]) -> None:
        """Inserts what rows still want, after a deletion where something may be there."""
        now = await self._tools.inventory.chunk_rows([item.chunk_id for item in objects])
        wanted = [item for item in objects if still(item, now)]
        if not wanted:
            return
        store = self._tools.store
        stale = [item.object_id for item in wanted if item.object_id in doubtful]
        await store.remove(stale, history=False)
        await store.insert(wanted)
        self.replaced += len(stale)
        after = await self._tools.inventory.chunk_rows([item.chunk_id for item in wanted])
        swept = [item.object_id for item in wanted if not still(item, after)]
        if swept:
            await store.remove(swept, history=False)
        self.counts["mended"] += len(wanted)

    async def _replace_prefixes(self, page: PageInventory) -> None:
        self.counts["misplaced"] += 1
        if self._dry_run:
            return
        if self._serving:
            await settle_prefixes(page.page_id, self._tools.ports)
        else:
            prefixes = url_prefixes(page.head.canonical_url)
            await self._tools.store.set_prefixes(page.page_id, prefixes)
        self.counts["mended"] += 1

    async def _check_history(self, pages: Sequence[PageInventory]) -> None:
        for page in pages:
            rows = {row.object_id: row for row in page.chunks if should_be_history(row)}
            if not rows:
                continue
            found = await self._tools.store.look_up(list(rows), history=True)
            held = {item.object_id: item for item in found}
            missing = [row for object_id, row in rows.items() if object_id not in held]
            narrow = [rows[key] for key, item in held.items() if not holds(item, rows[key])]
            self.counts["history"] += len(rows)
            if missing or narrow:
                await self._restore_history(page, missing, narrow)
            if any(item.url_prefixes != page_prefixes(page) for item in found):
                await self._replace_prefixes(page)

    async def _restore_history(
        self, page: PageInventory, missing: Sequence[ChunkRow], narrow: Sequence[ChunkRow]
    ) -> None:
        sources = await self._sources(page, [*missing, *narrow])
        for name, rows in (("history_missing", missing), ("history_narrow", narrow)):
            self.counts[name] += sum(row.chunk_id not in sources.dropped for row in rows)
        if sources.texts and not self._dry_run:
            objects = await restore_objects(page, [*missing, *narrow], sources.texts, self._tools)
            await self._tools.store.insert_history(objects)
            self.counts["mended"] += len(objects)

    async def _check_listed(self, page: PageInventory) -> None:
        """Finds what a head's manifest lists and the rows do not."""
        manifest = await current_manifest(page, self._tools.ports)
        if manifest is None:
            return
        listed = tuple(dict.fromkeys(chunk.chunk_id for chunk in manifest.chunks))
        known = {row.chunk_id for row in page.chunks if row.listed and row.is_live}
        lacking = [chunk_id for chunk_id in listed if chunk_id not in known]
        self.counts["unlisted"] += len(lacking)
        if lacking and not self._dry_run:
            await self._relist(page, listed, frozenset(lacking))

    async def _relist(
        self, page: PageInventory, listed: tuple[ChunkId, ...], lacking: frozenset[ChunkId]
    ) -> None:
        ports, inventory = self._tools.ports, self._tools.inventory
        manifest = await current_manifest(page, ports)
        row = next((row for row in page.versions if row.version_id == page.head.version_id), None)
        if manifest is None or row is None:
            return
        spans = [span for span in chunk_spans({row: manifest}) if span.chunk_id in lacking]
        claims = await ports.rows.claim(page.page_id, spans, now=ports.clock.now())
        rows = await inventory.chunk_rows(sorted(lacking))
        sources = await self._sources(page, list(rows.values()))
        await self._tools.store.insert(
            await restore_objects(page, list(rows.values()), sources.texts, self._tools)
        )
        moved = await inventory.relist(
            page.page_id, page.head.order_key, listed, claims, now=ports.clock.now()
        )
        self.counts["mended"] += len(lacking) if moved else 0
