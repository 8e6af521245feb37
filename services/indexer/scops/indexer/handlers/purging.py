"""Purges: pages lose versions for good, with their chunks, vectors and wordings.

Rows go first, so that no question finds what is purged, and no verdict of before brings it back.
What is under way while a page is marked may still put chunks into the store; the page is gone
over again when nothing that began before can be under way any more.
"""

from collections.abc import Sequence
from datetime import timedelta

from scops.common.bus.ports import Cause
from scops.common.contract import ids
from scops.common.contract.errors import BlobMissing
from scops.common.contract.ids import ChunkId, PageId
from scops.common.contract.messages.purge import PurgeApplied, PurgeCount, VersionsPurged
from scops.common.db.batches import batches
from scops.indexer.objects.chunk_objects import OBJECTS_AT_ONCE
from scops.indexer.ports import IndexerPorts

OWNER = "index"
# Longer than a handler that was given up by the bus can go on.
UNDER_WAY = timedelta(minutes=3)
PAGES_AT_ONCE = 100


async def handle_versions_purged(
    event: VersionsPurged, cause: Cause, ports: IndexerPorts
) -> Sequence[PurgeApplied]:
    """Forgets versions of pages, and erases what only they listed."""
    chunks = 0
    for page in event.pages:
        through, now = page.purged_through_time, ports.clock.now()
        await ports.rows.purge(page.page_id, through, now=now)
        chunks += await erase_purged(page.page_id, ports)
    await _scrub(ports)
    applied = PurgeApplied(
        purge_id=event.purge_id,
        attempt=event.attempt,
        batch=event.batch,
        owner=OWNER,
        counts=(PurgeCount(kind="chunks", count=chunks),),
        applied_time=ports.clock.now(),
    )
    return (applied,)


async def erase_purged(page_id: PageId, ports: IndexerPorts) -> int:
    """Erases the chunks of a page that no version which is left lists; returns how many."""
    kept: set[ChunkId] = set()
    for ref in await ports.rows.kept_manifests(page_id):
        try:
            manifest = await ports.manifests.get(ref)
        except BlobMissing:
            # Its version goes as well; the next event says so.
            continue
        kept.update(chunk.chunk_id for chunk in manifest.chunks)
    gone = await ports.rows.retire_purged(page_id, kept, now=ports.clock.now())
    objects = [
        ids.object_id(chunk_id, incarnation)
        for chunk_id, newest in sorted(gone.items())
        for incarnation in range(newest + 1)
    ]
    for batch in batches(objects, OBJECTS_AT_ONCE):
        await ports.rows.forget_vectors(sorted(await ports.store.embedding_keys(batch)))
        await ports.store.erase(batch)
    return len(gone)


async def settle_purges(ports: IndexerPorts) -> int:
    """Goes over purged pages again once nothing of before is under way; returns how many."""
    noted_before = ports.clock.now() - UNDER_WAY
    pages = await ports.rows.unsettled_purges(noted_before, PAGES_AT_ONCE)
    for page_id in pages:
        await erase_purged(page_id, ports)
        await ports.rows.note_settled(page_id)
    if pages:
        await _scrub(ports)
    return len(pages)


async def _scrub(ports: IndexerPorts) -> None:
    await ports.store.scrub()
    await ports.rows.scrub()
