"""Lets go of old versions: tombstones first, then whoever holds a part, then the blobs.

A version goes when its run ended longer ago than every scope that holds its page keeps versions,
unless a pin keeps it. What stands is kept, and so is a page that no scope holds. Each step repeats
without harm: rows are marked, the news is published from the rows, and a blob is deleted when no
kept version refers to it and nobody put it for a day.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import timedelta
from itertools import groupby

from scops.change_detector import metrics
from scops.change_detector.handlers.queries import named_version
from scops.change_detector.manifests.bodies import load_head
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.timeline.records import EXPIRED, Dropped, PageAddress, Pin
from scops.change_detector.timeline.verdicts import VerdictEvent
from scops.common.bus.ports import Cause
from scops.common.contract.errors import BlobMissing, InvalidInput
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import (
    DroppedVersion,
    PinRequest,
    PinResponse,
    VersionsDropped,
)
from scops.common.contract.messages.explanation import PageCited
from scops.common.contract.messages.types import Scope
from scops.common.observe.log import get_logger
from scops.common.scope.contexts import holds

log = get_logger(__name__)
# Longer than a message waits to be handled: see `outbox.INBOX_DAYS`.
ASIDE = timedelta(days=8)
CITED = "cited"
NOTE_CHARACTERS_MAX = 200
PIN_DAYS_MAX = 36_500
# Pages, versions or blobs that are handled at once.
BATCH = 200

Tell = Callable[[VersionsDropped, str], Awaitable[None]]


def retention_days(address: PageAddress, scopes: Iterable[Scope]) -> int:
    """Returns how long ended versions of a page are kept: the longest of its scopes; 0 for good."""
    days = [
        scope.retention_days
        for scope in scopes
        if scope.organisation_id == address.organisation_id
        and holds(scope, address.canonical_url, address.access_context)
    ]
    return max(days) if days and all(days) else 0


async def retain(ports: ChangeDetectorPorts, tell: Tell) -> None:
    """Goes once over every page, tells what went, and collects what is left of it."""
    await _describe(ports)
    await _expire(ports)
    await _tell(ports, tell)
    await _collect(ports)


async def answer_pin(request: PinRequest, ports: ChangeDetectorPorts) -> PinResponse:
    """Keeps a version whatever its age, or lets go of it.

    Raises:
        InvalidInput: the days are negative or too many, or the note is too long.
        NotFound: the page has no such version, or it is not kept any more.
    """
    if not 0 <= request.days <= PIN_DAYS_MAX or len(request.note) > NOTE_CHARACTERS_MAX:
        raise InvalidInput(
            f"A pin lasts 1 to {PIN_DAYS_MAX} days, or 0 for the default, and its note has at "
            f"most {NOTE_CHARACTERS_MAX} characters.",
            reason="PIN_INVALID",
        )
    version = await named_version(request.page_id, request.version, ports)
    if request.unpin:
        await ports.retention.unpin(version.version_id)
        return PinResponse(version_id=version.version_id)
    days = request.days or ports.settings.pin_days
    until = ports.clock.now() + timedelta(days=days)
    await ports.retention.pin(
        Pin(
            version_id=version.version_id,
            page_id=request.page_id,
            until=until,
            note=request.note,
        )
    )
    return PinResponse(version_id=version.version_id, until_time=until)


async def handle_page_cited(
    event: PageCited, cause: Cause, ports: ChangeDetectorPorts
) -> Sequence[VerdictEvent]:
    """Keeps what an answer cited, as long as a pin lasts by default: the citation can be read."""
    until = event.to_time + timedelta(days=ports.settings.pin_days)
    await ports.retention.pin_cited(
        [
            Pin(version_id=cited.version_id, page_id=cited.page_id, until=until, note=CITED)
            for cited in event.pages
            if cited.version_id
        ]
    )
    return ()


async def _describe(ports: ChangeDetectorPorts) -> None:
    """Fills in the documents of versions that an older release wrote."""
    while versions := await ports.retention.undescribed(limit=BATCH):
        for version in versions:
            try:
                digest = (await load_head(ports.archive, version.manifest)).document.digest
            except BlobMissing:
                # There is nothing left to describe, and the row must not be asked about for ever.
                digest = version.manifest.digest
            await ports.retention.describe(version.version_id, digest)


async def _expire(ports: ChangeDetectorPorts) -> None:
    scopes, now, after = ports.scopes.all(), ports.clock.now(), PageId("")
    if not any(scope.retention_days for scope in scopes):
        return
    if not ports.scopes.is_whole(now):
        # The scope that keeps a version longest may be the one that is missing.
        log.warning("retention_waits_for_scopes", scopes=len(scopes))
        return
    while pages := await ports.retention.addresses(after=after, limit=BATCH):
        for address in pages:
            if days := retention_days(address, scopes):
                count = await ports.retention.drop(
                    address.page_id,
                    ended_before=now - timedelta(days=days),
                    reason=EXPIRED,
                    now=now,
                )
                metrics.DROPPED.inc(count)
        after = pages[-1].page_id


async def _tell(ports: ChangeDetectorPorts, tell: Tell) -> None:
    while untold := await ports.retention.untold(limit=BATCH):
        for (_, organisation_id), versions in groupby(
            untold, key=lambda item: (item.page_id, item.organisation_id)
        ):
            await tell(_news(list(versions)), organisation_id)
        await ports.retention.told(untold, now=ports.clock.now())


def _news(dropped: Sequence[Dropped]) -> VersionsDropped:
    return VersionsDropped(
        page_id=dropped[0].page_id,
        versions=tuple(
            DroppedVersion(version_id=item.version_id, manifest=item.manifest) for item in dropped
        ),
        reason=dropped[0].reason,
        dropped_time=dropped[0].dropped_time,
    )


async def _collect(ports: ChangeDetectorPorts) -> None:
    untouched_since = ports.clock.now() - timedelta(hours=ports.settings.garbage_hours)
    for digest in await ports.retention.garbage(noted_before=untouched_since, limit=BATCH):
        touched = await ports.archive.touched(digest)
        if touched is not None and touched > untouched_since:
            continue
        if touched is None or await ports.retention.referred(digest):
            await ports.retention.settled(digest)
            continue
        # Somebody may put it at this very moment, or have put it for a version that is under way:
        # where it goes first, a get still finds it, and what is put again is another.
        await ports.retention.set_aside(digest, now=ports.clock.now())
        await ports.archive.set_aside(digest)
        metrics.COLLECTED.inc()
    await _drop_aside(ports)


async def _drop_aside(ports: ChangeDetectorPorts) -> None:
    """Deletes what was set aside so long ago that whoever put it before has referred to it."""
    now = ports.clock.now()
    for digest in await ports.retention.aside(before=now - ASIDE, limit=BATCH):
        if await ports.retention.referred(digest):
            await ports.retention.settled(digest)
            continue
        await ports.archive.drop_aside(digest)
        if await ports.archive.touched(digest) is None:
            await ports.retention.settled(digest)
        else:
            await ports.retention.note_again(digest, now=now)
