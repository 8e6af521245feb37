"""Lets go of versions that are not kept any more: their rows, and what only they list.

Rows go first, so that no question finds a version without its chunks. The manifests stand in the
archive for a day more; where one is gone already, reconcile finds what it listed.
"""

from collections.abc import Sequence

from scops.common.bus.ports import Cause
from scops.common.contract import ids
from scops.common.contract.errors import BlobMissing
from scops.common.contract.ids import ChunkId
from scops.common.contract.messages.change import VersionsDropped
from scops.common.contract.messages.types import BodyRef
from scops.common.db.batches import batches
from scops.indexer import metrics
from scops.indexer.objects.chunk_objects import OBJECTS_AT_ONCE
from scops.indexer.ports import IndexerPorts


async def handle_versions_dropped(
    event: VersionsDropped, cause: Cause, ports: IndexerPorts
) -> Sequence[object]:
    """Forgets versions, and deletes the history of chunks that no other version lists."""
    dropped = [version.version_id for version in event.versions]
    kept = await ports.rows.drop_versions(event.page_id, dropped)
    standing = {version.version_id for version in kept}
    gone = await _chunks_of(
        [item.manifest for item in event.versions if item.version_id not in standing], ports
    )
    left = await _chunks_of([version.manifest for version in kept], ports)
    unlisted = sorted(gone - left)
    incarnations = await ports.rows.incarnations(unlisted)
    objects = [
        ids.object_id(chunk_id, incarnation)
        for chunk_id, newest in incarnations.items()
        for incarnation in range(newest + 1)
    ]
    for batch in batches(objects, OBJECTS_AT_ONCE):
        await ports.store.remove(batch, history=True)
    await ports.rows.note_dropped(unlisted, now=ports.clock.now())
    metrics.DROPPED.inc(len(unlisted))
    return ()


async def _chunks_of(manifests: Sequence[BodyRef], ports: IndexerPorts) -> set[ChunkId]:
    found: set[ChunkId] = set()
    for ref in manifests:
        try:
            manifest = await ports.manifests.get(ref)
        except BlobMissing:
            continue
        found.update(chunk.chunk_id for chunk in manifest.chunks)
    return found
