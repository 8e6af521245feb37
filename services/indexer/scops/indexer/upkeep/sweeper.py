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
from scops.indexer.ports import IndexerPorts, UnlistedChunk

# Chunks that one step moves, and steps of one kind in one run; the next run goes on.
CHUNKS_AT_ONCE = 200
STEPS_MAX = 50
# Answers to verdicts are kept longer than a message can be delivered again.
ANSWER_DAYS = 8
# A chunk that comes back after its row went begins with incarnation 1 again: no delete of its
# earlier objects may be on the way then. Thirty days is as long as a dead letter is kept.
DROPPED_CHUNK_DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """What one run did, in chunks and pages."""

    retired: int = 0
    deleted: int = 0
    pages_settled: int = 0


async def sweep(ports: IndexerPorts) -> SweepResult:
    """Runs once over everything that is due, within the bounds below."""
    pages = await _settle_stale_pages(ports)
    retired = await _retire_unlisted(ports)
    deleted = await _delete_doomed(ports)
    now = ports.clock.now()
    await ports.rows.forget(
        answered_before=now - timedelta(days=ANSWER_DAYS),
        vectors_max=ports.settings.vector_cache_rows_max,
        limit=CHUNKS_AT_ONCE * STEPS_MAX,
    )
    await ports.rows.forget_chunks(
        dropped_before=now - timedelta(days=DROPPED_CHUNK_DAYS), limit=CHUNKS_AT_ONCE * STEPS_MAX
    )
    return SweepResult(retired=retired, deleted=deleted, pages_settled=pages)


async def _settle_stale_pages(ports: IndexerPorts) -> int:
    pages = await ports.rows.stale_pages(CHUNKS_AT_ONCE)
    for page_id in pages:
        await settle_prefixes(page_id, ports)
    return len(pages)


async def _retire_unlisted(ports: IndexerPorts) -> int:
    before = ports.clock.now() - timedelta(seconds=ports.settings.sweep_age_seconds)
    retired = 0
    for _ in range(STEPS_MAX):
        chunks = await ports.rows.unlisted(before, CHUNKS_AT_ONCE)
        if not chunks:
            break
        moved = await _retire(chunks, before, ports)
        retired += moved
        if not moved:
            # All of them are in dispute; the next run sees them again.
            break
    return retired


async def _retire(chunks: Sequence[UnlistedChunk], before: datetime, ports: IndexerPorts) -> int:
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


async def _delete_doomed(ports: IndexerPorts) -> int:
    deleted = 0
    for _ in range(STEPS_MAX):
        chunks = await ports.rows.due_deletions(CHUNKS_AT_ONCE)
        if not chunks:
            break
        await ports.store.delete([item for chunk in chunks for item in chunk.object_ids])
        await ports.rows.note_deleted(chunks)
        deleted += len(chunks)
    return deleted
