"""What each fetch left in the archive, so that retention and purges find all of it."""

from collections.abc import Sequence

from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.timeline.records import LeftBlobs
from scops.common.contract.ids import PageId
from scops.common.contract.messages.content import PageExtracted
from scops.common.contract.messages.crawl import PageUnmodified


async def note_left_blobs(events: Sequence[PageExtracted], ports: ChangeDetectorPorts) -> None:
    """Notes body, text, document and links of fetches, also of those that show no article."""
    await ports.purges.note_left([_left_by(event) for event in events])


def _left_by(event: PageExtracted) -> LeftBlobs:
    refs = (event.body, event.text, event.document, event.links)
    return LeftBlobs(
        fetch_id=event.fetch_id,
        page_id=event.page_id,
        observed_time=event.observed_time,
        digests=frozenset(ref.digest for ref in refs if ref is not None and ref.digest),
    )


async def forget_left_of_purged(event: PageExtracted, ports: ChangeDetectorPorts) -> None:
    """Lets the archive drop what an event has left there where a purge covers it."""
    if await is_purged(event, ports):
        await forget_left_blobs(event.page_id, ports)


async def is_purged(event: PageExtracted | PageUnmodified, ports: ChangeDetectorPorts) -> bool:
    """Returns whether a purge of the page covers an event."""
    before = await ports.purges.purged_before(event.page_id)
    return before is not None and event.observed_time < before


async def forget_left_blobs(page_id: PageId, ports: ChangeDetectorPorts) -> None:
    """Lets the archive drop what a late event of a purged page has left there."""
    before = await ports.purges.purged_before(page_id)
    if before is not None:
        await ports.purges.forget_left(page_id, before=before, now=ports.clock.now())
