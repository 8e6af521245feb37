"""Texts of the pages of a frame: what is plain of them is recorded in one transaction.

The manifests are made side by side and put into the archive together; nothing is written before
but what is written again without harm.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from scops.change_detector import metrics
from scops.change_detector.handlers.left_blobs import note_left_blobs
from scops.change_detector.handlers.observations import (
    address_of,
    text_observation,
    version_content,
)
from scops.change_detector.manifests.versions import (
    MadeVersion,
    make_versions,
    store_versions,
)
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.timeline.algebra import (
    IncomingObservation,
    apply_observation,
    collides,
)
from scops.change_detector.timeline.records import PlacedObservation, TimelineSnapshot
from scops.change_detector.timeline.runs import TimelineChange
from scops.change_detector.timeline.verdicts import VerdictEvent, verdict_event
from scops.common.bus.ports import Cause
from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import FetchId
from scops.common.contract.messages.content import PageExtracted, PageKind
from scops.common.processes.turns import working_for
from scops.common.scope.urls import host_key

# A longer text takes its turn alone: the others of its frame would wait for it.
TEXT_BYTES_MAX = 64 * 1024
# Of a frame; the manifests of so much text take about a second.
TEXT_BYTES_TOGETHER_MAX = 512 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plain:
    """An extracted page whose observation is placed, and the new versions that it needs."""

    event: PageExtracted
    incoming: IncomingObservation
    change: TimelineChange
    made: tuple[MadeVersion, ...]


async def handle_pages_extracted(
    events: Sequence[tuple[PageExtracted, Cause]], ports: ChangeDetectorPorts
) -> Sequence[Sequence[VerdictEvent] | None]:
    """Records the texts of pages, as `handle_page_extracted` each.

    Left out are pages that show no article, long texts, fetches that are recorded already, pages
    that were ever purged, two observations at one instant, and whatever cannot be made.
    """
    chosen = _short_articles(events)
    if not chosen:
        return [None] * len(events)
    await note_left_blobs([event for event, _ in chosen], ports)
    chunking = (await ports.chunker()).chunking
    coming = [text_observation(event, cause, chunking=chunking) for event, cause in chosen]
    snapshots = await ports.timelines.read_many(coming)
    hands = asyncio.Semaphore(ports.settings.concurrency)
    found = await asyncio.gather(
        *(
            _made(event, incoming, snapshot, hands, ports)
            for (event, _), incoming, snapshot in zip(chosen, coming, snapshots, strict=True)
        )
    )
    verdicts = await _recorded([one for one in found if one is not None], ports)
    metrics.count_verdicts(list(verdicts.values()))
    return [
        (verdicts[event.fetch_id],) if event.fetch_id in verdicts else None for event, _ in events
    ]


def _short_articles(
    events: Sequence[tuple[PageExtracted, Cause]],
) -> list[tuple[PageExtracted, Cause]]:
    chosen, size = [], 0
    for event, cause in events:
        length = event.text.size
        is_short = length <= TEXT_BYTES_MAX and size + length <= TEXT_BYTES_TOGETHER_MAX
        if event.kind is PageKind.ARTICLE and is_short:
            size += length
            chosen.append((event, cause))
    return chosen


async def _made(
    event: PageExtracted,
    incoming: IncomingObservation,
    snapshot: TimelineSnapshot,
    hands: asyncio.Semaphore,
    ports: ChangeDetectorPorts,
) -> _Plain | None:
    is_recorded = snapshot.known is not None or snapshot.purged_before is not None
    if is_recorded or collides(incoming.observation, snapshot.context):
        return None
    change = apply_observation(incoming, snapshot.context)
    # Child processes are shared out between sites.
    with working_for(host_key(event.canonical_url)):
        async with hands:
            # Others have the event loop between two pages.
            await asyncio.sleep(0)
            try:
                made = await make_versions(
                    incoming, change, version_content(event), snapshot.context, ports
                )
            except ScopsError:
                # What is wrong with it shows where it is handled alone.
                return None
    return _Plain(event=event, incoming=incoming, change=change, made=made)


async def _recorded(
    pages: Sequence[_Plain], ports: ChangeDetectorPorts
) -> dict[FetchId, VerdictEvent]:
    """Returns verdicts by fetch; none of a page that has changed meanwhile."""
    if not pages:
        return {}
    written = iter(
        await store_versions([new for one in pages for new in one.made], ports, patient=True)
    )
    placed = [
        PlacedObservation(
            incoming=one.incoming,
            change=one.change,
            versions=tuple(next(written) for _ in one.made),
            noted=address_of(one.event, one.incoming, ports),
        )
        for one in pages
    ]
    verdicts: dict[FetchId, VerdictEvent] = {}
    answers = await ports.timelines.commit(placed)
    for page, recording, answer in zip(pages, placed, answers, strict=True):
        if answer is not None:
            metrics.count_versions(recording.versions)
            verdicts[page.event.fetch_id] = verdict_event(page.event, answer)
    return verdicts
