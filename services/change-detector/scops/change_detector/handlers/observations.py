"""The handlers: one observation in, exactly one verdict out.

Effects are idempotent by (fetch_id, pipeline version): a message that comes again finds its
answer recorded and gives the same verdict.
"""

from collections.abc import Sequence
from dataclasses import replace

from scops.change_detector import metrics
from scops.change_detector.handlers.left_blobs import (
    forget_left_blobs,
    forget_left_of_purged,
    is_purged,
    note_left_blobs,
)
from scops.change_detector.manifests.manifest import VersionContent
from scops.change_detector.manifests.versions import write_versions
from scops.change_detector.ports import ChangeDetectorPorts
from scops.change_detector.timeline.algebra import (
    INSTANT_STEP,
    IncomingObservation,
    apply_observation,
    apply_reextraction,
    collides,
)
from scops.change_detector.timeline.records import (
    NotedAddress,
    PageAddress,
    PlacedObservation,
    RecordedVerdict,
    TimelineSnapshot,
)
from scops.change_detector.timeline.runs import (
    Observation,
    ObservationKind,
    TimelineChange,
)
from scops.change_detector.timeline.verdicts import ObservedEvent, VerdictEvent, verdict_event
from scops.common.bus.ports import Cause
from scops.common.contract.errors import InvalidInput, NotYetKnown, PermanentError, TransientError
from scops.common.contract.messages.content import PageExtracted, PageKind
from scops.common.contract.messages.crawl import PageGone, PageUnmodified
from scops.common.contract.service_table import Lane

# Attempts to record an observation while others change the same page.
COMMIT_ATTEMPTS_MAX = 8
# Observations of one page at one instant that are told apart by microseconds.
SAME_INSTANT_MAX = 100


async def handle_page_extracted(
    event: PageExtracted, cause: Cause, ports: ChangeDetectorPorts
) -> Sequence[VerdictEvent]:
    """Records a text; a page that shows no article gets no verdict and keeps its version.

    What was observed before a purge of the page has no effect.

    Raises:
        BlobMissing: the archive lacks the text.
        TransientError: the page kept changing, or a store does not answer.
    """
    await note_left_blobs([event], ports)
    if event.kind is not PageKind.ARTICLE:
        await forget_left_of_purged(event, ports)
        return ()
    chunker = await ports.chunker()
    incoming = text_observation(event, cause, chunking=chunker.chunking)
    return await _answer(event, incoming, version_content(event), ports)


def text_observation(event: PageExtracted, cause: Cause, *, chunking: str) -> IncomingObservation:
    """Returns the observation of a text.

    Args:
        chunking: chunker and embedder at hand.
    """
    return IncomingObservation(
        page_id=event.page_id,
        organisation_id=cause.organisation_id,
        observation=Observation(
            fetch_id=event.fetch_id,
            observed_time=event.observed_time,
            kind=ObservationKind.TEXT,
            text_digest=event.text.digest,
            pipeline_version=event.pipeline_version,
        ),
        chunking=chunking,
        reextracted=event.reextracted,
        canonical_url=event.canonical_url,
        patient=cause.lane is Lane.BULK,
    )


def version_content(event: PageExtracted) -> VersionContent:
    """Returns what a version of an extracted page is made of."""
    return VersionContent(
        text=event.text,
        document=event.document,
        pipeline_version=event.pipeline_version,
        title=event.title,
        language=event.language,
        stated=event.stated,
        captured_by=event.captured_by,
        body=event.body,
    )


async def handle_page_unmodified(
    event: PageUnmodified, cause: Cause, ports: ChangeDetectorPorts
) -> Sequence[VerdictEvent]:
    """Records that the text of an earlier fetch was seen again.

    Raises:
        NotYetKnown: the fetch that it confirms has no observation yet.
        InvalidInput: the fetch that it confirms showed no text.
    """
    confirmed = await ports.timelines.observation(event.confirmed_fetch_id)
    if confirmed is None and await is_purged(event, ports):
        return ()
    if confirmed is None:
        raise NotYetKnown(
            f"Recording the 304 of fetch {event.fetch_id}: the fetch it confirms, "
            f"{event.confirmed_fetch_id}, has no observation yet; its text may be on the way.",
            fetch_id=event.confirmed_fetch_id,
        )
    if confirmed.kind is not ObservationKind.TEXT:
        raise InvalidInput(
            f"Recording the 304 of fetch {event.fetch_id}: the fetch it confirms, "
            f"{event.confirmed_fetch_id}, found the page gone. Fetch it without validators.",
            reason="CONFIRMS_NO_TEXT",
        )
    incoming = IncomingObservation(
        page_id=event.page_id,
        organisation_id=cause.organisation_id,
        observation=replace(
            confirmed,
            fetch_id=event.fetch_id,
            observed_time=event.observed_time,
            unmodified=True,
        ),
        canonical_url=event.canonical_url,
    )
    return await _answer(event, incoming, None, ports)


async def handle_page_gone(
    event: PageGone, cause: Cause, ports: ChangeDetectorPorts
) -> Sequence[VerdictEvent]:
    """Records that a page is gone or has moved."""
    incoming = IncomingObservation(
        page_id=event.page_id,
        organisation_id=cause.organisation_id,
        observation=Observation(
            fetch_id=event.fetch_id,
            observed_time=event.observed_time,
            kind=ObservationKind.GONE,
            reason=event.reason.value,
            moved_to=event.moved_to,
        ),
        canonical_url=event.canonical_url,
    )
    return await _answer(event, incoming, None, ports)


async def _answer(
    event: ObservedEvent,
    incoming: IncomingObservation,
    content: VersionContent | None,
    ports: ChangeDetectorPorts,
) -> Sequence[VerdictEvent]:
    noted = address_of(event, incoming, ports)
    recorded = await record(incoming, content, ports, noted=noted)
    if recorded is None:
        await forget_left_blobs(event.page_id, ports)
        return ()
    verdicts = (verdict_event(event, recorded),)
    metrics.count_verdicts(verdicts)
    return verdicts


def address_of(
    event: ObservedEvent, incoming: IncomingObservation, ports: ChangeDetectorPorts
) -> NotedAddress:
    """Returns where the page of an event stands, noted now."""
    address = PageAddress(
        page_id=event.page_id,
        organisation_id=incoming.organisation_id,
        access_context=event.access_context,
        canonical_url=event.canonical_url,
    )
    return NotedAddress(address=address, noted_time=ports.clock.now())


async def record(
    incoming: IncomingObservation,
    content: VersionContent | None,
    ports: ChangeDetectorPorts,
    *,
    noted: NotedAddress | None = None,
) -> RecordedVerdict | None:
    """Places an observation; starts again when another one of the page was faster.

    Args:
        noted: where the page stands; None leaves the address that is known.

    Returns:
        None, with nothing recorded, where a purge of the page covers the observation.

    Raises:
        BlobMissing: the archive lacks a text or a manifest.
        TransientError: the page kept changing, or a store does not answer.
    """
    # The manifests are made outside of the transaction, from a timeline of a known sequence.
    for _ in range(COMMIT_ATTEMPTS_MAX):
        alone, snapshot = await _read_alone(incoming, ports)
        purged_before = snapshot.purged_before
        if purged_before is not None and incoming.observation.observed_time < purged_before:
            return None
        if snapshot.recorded is not None:
            return snapshot.recorded
        change = _change(alone, snapshot)
        versions = await write_versions(alone, change, content, snapshot.context, ports)
        placed = PlacedObservation(incoming=alone, change=change, versions=versions, noted=noted)
        (recorded,) = await ports.timelines.commit([placed])
        if recorded is not None:
            metrics.count_versions(versions)
            return recorded
        metrics.CONTENDED.inc()
    raise TransientError(
        f"Recording fetch {incoming.observation.fetch_id}: page {incoming.page_id} changed in "
        f"each of {COMMIT_ATTEMPTS_MAX} attempts; the message is retried.",
        reason="PAGE_CONTENDED",
    )


def _change(incoming: IncomingObservation, snapshot: TimelineSnapshot) -> TimelineChange:
    if snapshot.known is None:
        return apply_observation(incoming, snapshot.context)
    if snapshot.known.kind is not incoming.observation.kind:
        raise PermanentError(
            f"Recording fetch {snapshot.known.fetch_id} again: it was {snapshot.known.kind}, now "
            f"it is {incoming.observation.kind}. One fetch has one outcome; the producer erred.",
            reason="FETCH_CONTRADICTS",
        )
    at = snapshot.known.observed_time
    observation = replace(incoming.observation, observed_time=at)
    return apply_reextraction(replace(incoming, observation=observation), snapshot.context)


async def _read_alone(
    incoming: IncomingObservation, ports: ChangeDetectorPorts
) -> tuple[IncomingObservation, TimelineSnapshot]:
    """Reads the context, moving on by microseconds from an instant that is taken."""
    for _ in range(SAME_INSTANT_MAX):
        snapshot = await ports.timelines.read(incoming)
        is_settled = snapshot.recorded is not None or snapshot.known is not None
        if is_settled or not collides(incoming.observation, snapshot.context):
            return incoming, snapshot
        moved_on = incoming.observation.observed_time + INSTANT_STEP
        observation = replace(incoming.observation, observed_time=moved_on)
        incoming = replace(incoming, observation=observation)
    raise PermanentError(
        f"Recording fetch {incoming.observation.fetch_id}: page {incoming.page_id} has more than "
        f"{SAME_INSTANT_MAX} different observations at one instant.",
        reason="INSTANT_CROWDED",
    )
