"""Moves chunks that no head lists to the history, and deletes only what is there.

Each step repeats without harm and none relies on the one before having finished: copy, then mark
as retiring under the lock of the head, then delete. A text that returns meanwhile either keeps
its object, because the mark is refused, or gets a new incarnation, which no late delete can hit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scops.common.contract import ids
from scops.indexer.objects.prefixes import settle_prefixes
from scops.indexer.ports import Ports, Unlisted


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What one run did, in chunks and pages."""

    retired: int = 0
    deleted: int = 0
    pages_settled: int = 0


async def sweep(ports: Ports) -> Swept:
    """Runs once over everything that is due, within the bounds of the settings."""
    pages = await _settle_stale_pages(ports)
    retired = await _retire_unlisted(ports)
    deleted = await _delete_doomed(ports)
    now = ports.clock.now()
    await ports.rows.forget(
        answered_before=now - timedelta(days=ports.settings.answer_days),
        vectors_max=ports.settings.vector_cache_rows_max,
        limit=ports.settings.sweep_batch_chunks_max * ports.settings.sweep_batches_max,
    )
    return Swept(retired=retired, deleted=deleted, pages_settled=pages)


async def _settle_stale_pages(ports: Ports) -> int:
    pages = await ports.rows.stale_pages(ports.settings.sweep_batch_chunks_max)
    for page_id in pages:
        await settle_prefixes(page_id, ports)
    return len(pages)


async def _retire_unlisted(ports: Ports) -> int:
    before = ports.clock.now() - timedelta(seconds=ports.settings.sweep_age_seconds)
    retired = 0
    for _ in range(ports.settings.sweep_batches_max):
        chunks = await ports.rows.unlisted(before, ports.settings.sweep_batch_chunks_max)
        if not chunks:
            break
        moved = await _retire(chunks, before, ports)
        retired += moved
        if not moved:
            # All of them are in dispute; the next run sees them again.
            break
    return retired


async def _retire(chunks: Sequence[Unlisted], before: datetime, ports: Ports) -> int:
    by_object = {ids.object_id(chunk.chunk_id, chunk.incarnation): chunk for chunk in chunks}
    # A chunk whose handler crashed before inserting it has no object, and needs no copy.
    objects = await ports.store.get(list(by_object))
    copies = [
        replace(
            item,
            observed_from=by_object[item.object_id].interval.begin,
            observed_to=by_object[item.object_id].interval.end,
        )
        for item in objects
    ]
    if copies:
        await ports.store.insert_history(copies)
    return await ports.rows.retire(chunks, before)


async def _delete_doomed(ports: Ports) -> int:
    deleted = 0
    for _ in range(ports.settings.sweep_batches_max):
        chunks = await ports.rows.doomed(ports.settings.sweep_batch_chunks_max)
        if not chunks:
            break
        await ports.store.delete([item for chunk in chunks for item in chunk.object_ids])
        await ports.rows.deleted(chunks)
        deleted += len(chunks)
    return deleted
