"""Purges: what was observed of pages before an instant is dropped, its blobs included.

Marks come first: a page's rows are dropped in the transaction that notes what may not come back,
then the index is told, and blobs that nobody else refers to are deleted. Each step repeats
without harm, and says the same again.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.timeline.records import DroppedCounts, PurgeBatch
from scops.common.bus.ports import Cause
from scops.common.contract.messages.purge import (
    PagesPurged,
    PurgeApplied,
    PurgeCount,
    PurgeCountsRequest,
    PurgeCountsResponse,
    PurgedPage,
    VersionsPurged,
)
from scops.common.contract.messages.types import BodyRef

ROWS_OWNER = "change-detector"
ARCHIVE_OWNER = "archive"
# Blobs that are looked at in one round.
BLOBS_AT_ONCE = 500

Report = Callable[[PurgeApplied, str], Awaitable[None]]


async def handle_pages_purged(
    event: PagesPurged, cause: Cause, ports: ChangeDetectorPorts
) -> Sequence[VersionsPurged | PurgeApplied]:
    """Drops what was observed of pages, and tells the index up to where."""
    batch = PurgeBatch(purge_id=event.purge_id, attempt=event.attempt, number=event.batch)
    organisation_id = cause.organisation_id
    pages: list[PurgedPage] = []
    for page_id in event.page_ids:
        through = await ports.purges.purge(
            page_id,
            batch,
            organisation_id=organisation_id,
            before=event.before_time,
            now=ports.clock.now(),
        )
        if through is not None:
            pages.append(PurgedPage(page_id=page_id, purged_through_time=through))
    counts = await ports.purges.complete(
        batch, event.body_digests, organisation_id=organisation_id, before=event.before_time
    )
    told = VersionsPurged(
        purge_id=event.purge_id, attempt=event.attempt, batch=event.batch, pages=tuple(pages)
    )
    kinds = {"versions": counts.versions, "observations": counts.observations}
    return told, _report(batch, ROWS_OWNER, kinds, ports)


async def answer_purge_counts(
    request: PurgeCountsRequest, ports: ChangeDetectorPorts
) -> PurgeCountsResponse:
    """Returns how much a purge of some pages would drop here."""
    counts = await ports.purges.counts(request.page_ids, before=request.before_time)
    return PurgeCountsResponse(counts=_counts(counts))


async def collect_purged(ports: ChangeDetectorPorts, report: Report) -> None:
    """Deletes blobs that purges wait for, and reports batches that wait for none.

    A blob that somebody put after the purge's mark may be on its way into a version: it is left
    alone as long as any other garbage.
    """
    after = ""
    while waiting := await ports.purges.waiting_blobs(after=after, limit=BLOBS_AT_ONCE):
        for digest, before in waiting:
            await _collect(digest, before, ports)
        after = waiting[-1][0]
    gone = await ports.purges.gone_batches()
    if gone:
        await ports.purges.scrub()
    for batch, organisation_id, counts in gone:
        await report(_archive_report(batch, counts, ports), organisation_id)
        await ports.purges.forget_batch(batch)


async def _collect(digest: str, before: datetime, ports: ChangeDetectorPorts) -> None:
    if await ports.retention.referred(digest):
        await ports.retention.settled(digest)
        return
    unsettled = ports.clock.now() - timedelta(hours=ports.settings.garbage_hours)
    old = max(before, unsettled)
    touched = await ports.archive.touched(digest)
    if touched is not None and touched > old:
        return
    # Somebody may put it, or refer to it, at this very moment: out of the way it shows whether.
    put_time = await ports.archive.set_aside(digest)
    if (put_time is not None and put_time > old) or await ports.retention.referred(digest):
        # Who reads it has it back.
        await ports.archive.get(BodyRef(digest=digest))
        return
    await ports.archive.drop_aside(digest)
    await ports.retention.settled(digest)


def _archive_report(
    batch: PurgeBatch, counts: DroppedCounts, ports: ChangeDetectorPorts
) -> PurgeApplied:
    return _report(batch, ARCHIVE_OWNER, {"blobs": counts.blobs}, ports)


def _report(
    batch: PurgeBatch, owner: str, counts: dict[str, int], ports: ChangeDetectorPorts
) -> PurgeApplied:
    return PurgeApplied(
        purge_id=batch.purge_id,
        attempt=batch.attempt,
        batch=batch.number,
        owner=owner,
        counts=_counts(counts),
        applied_time=ports.clock.now(),
    )


def _counts(counts: dict[str, int]) -> tuple[PurgeCount, ...]:
    return tuple(PurgeCount(kind=kind, count=count) for kind, count in counts.items())
