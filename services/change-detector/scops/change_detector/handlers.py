"""The handlers: one observation in, exactly one verdict out.

Effects are idempotent by (fetch_id, pipeline version): a message that comes again finds its
answer recorded and gives the same verdict.
"""

from collections.abc import Sequence
from dataclasses import replace

from scops.change_detector import metrics
from scops.change_detector.manifests.manifest import Content
from scops.change_detector.manifests.versions import write_versions
from scops.change_detector.ports import Ports
from scops.change_detector.timeline.algebra import INSTANT_STEP, Sighting, collides, place, reread
from scops.change_detector.timeline.records import PageAddress, Reading, Recorded
from scops.change_detector.timeline.stays import Observation, StayKind, TimelineChange, VerdictKind
from scops.change_detector.timeline.verdicts import ObservedEvent, VerdictEvent, verdict_event
from scops.common.bus.ports import Cause
from scops.common.contract.errors import InvalidInput, NotYetKnown, PermanentError, TransientError
from scops.common.contract.messages.content import PageExtracted, PageKind
from scops.common.contract.messages.crawl import PageGone, PageUnmodified


async def handle_page_extracted(
    event: PageExtracted, cause: Cause, ports: Ports
) -> Sequence[VerdictEvent]:
    """Records a text; a page that shows no article gets no verdict and keeps its version.

    Raises:
        BlobMissing: the archive lacks the text.
        TransientError: the page kept changing, or a store does not answer.
    """
    if event.kind is not PageKind.ARTICLE:
        return ()
    chunker = await ports.chunker()
    sighting = Sighting(
        page_id=event.page_id,
        organisation_id=cause.organisation_id,
        observation=Observation(
            fetch_id=event.fetch_id,
            observed_time=event.observed_time,
            kind=StayKind.TEXT,
            text_digest=event.text.digest,
            pipeline_version=event.pipeline_version,
        ),
        chunking=chunker.chunking,
        reextracted=event.reextracted,
        canonical_url=event.canonical_url,
    )
    content = Content(
        text=event.text,
        document=event.document,
        pipeline_version=event.pipeline_version,
        title=event.title,
        language=event.language,
        stated=event.stated,
    )
    return await _answer(event, sighting, content, ports)


async def handle_page_unmodified(
    event: PageUnmodified, cause: Cause, ports: Ports
) -> Sequence[VerdictEvent]:
    """Records that the text of an earlier fetch was seen again.

    Raises:
        NotYetKnown: the fetch that it confirms has no observation yet.
        InvalidInput: the fetch that it confirms showed no text.
    """
    confirmed = await ports.timelines.observation(event.confirmed_fetch_id)
    if confirmed is None:
        raise NotYetKnown(
            f"Recording the 304 of fetch {event.fetch_id}: the fetch it confirms, "
            f"{event.confirmed_fetch_id}, has no observation yet; its text may be on the way.",
            fetch_id=event.confirmed_fetch_id,
        )
    if confirmed.kind is not StayKind.TEXT:
        raise InvalidInput(
            f"Recording the 304 of fetch {event.fetch_id}: the fetch it confirms, "
            f"{event.confirmed_fetch_id}, found the page gone. Fetch it without validators.",
            reason="CONFIRMS_NO_TEXT",
        )
    sighting = Sighting(
        page_id=event.page_id,
        organisation_id=cause.organisation_id,
        observation=replace(confirmed, fetch_id=event.fetch_id, observed_time=event.observed_time),
        canonical_url=event.canonical_url,
    )
    return await _answer(event, sighting, None, ports)


async def handle_page_gone(event: PageGone, cause: Cause, ports: Ports) -> Sequence[VerdictEvent]:
    """Records that a page is gone or has moved."""
    sighting = Sighting(
        page_id=event.page_id,
        organisation_id=cause.organisation_id,
        observation=Observation(
            fetch_id=event.fetch_id,
            observed_time=event.observed_time,
            kind=StayKind.GONE,
            reason=event.reason.value,
            moved_to=event.moved_to,
        ),
        canonical_url=event.canonical_url,
    )
    return await _answer(event, sighting, None, ports)


async def _answer(
    event: ObservedEvent, sighting: Sighting, content: Content | None, ports: Ports
) -> Sequence[VerdictEvent]:
    recorded = await record(sighting, content, ports)
    if recorded.kind is not VerdictKind.UNCHANGED:
        # Only what is news is ever listed by scope; an unchanged page costs no write here.
        await ports.addresses.note(
            PageAddress(
                page_id=event.page_id,
                organisation_id=sighting.organisation_id,
                access_context=event.access_context,
                canonical_url=event.canonical_url,
            )
        )
    verdicts = (verdict_event(event, recorded),)
    metrics.count_verdicts(verdicts)
    return verdicts


async def record(sighting: Sighting, content: Content | None, ports: Ports) -> Recorded:
    """Places an observation; starts again when another one of the page was faster.

    Raises:
        BlobMissing: the archive lacks a text or a manifest.
        TransientError: the page kept changing, or a store does not answer.
    """
    # The manifests are made outside of the transaction, from a timeline of a known sequence.
    for _ in range(ports.settings.commit_attempts_max):
        alone, reading = await _read_alone(sighting, ports)
        if reading.recorded is not None:
            return reading.recorded
        change = _change(alone, reading)
        versions = await write_versions(alone, change, content, reading.around, ports)
        recorded = await ports.timelines.commit(alone, change, versions)
        if recorded is not None:
            for version in versions:
                metrics.count_chunks(version.summary)
                metrics.LEFT_OUT.inc(version.left_out_blocks)
            return recorded
        metrics.CONTENDED.inc()
    raise TransientError(
        f"Recording fetch {sighting.observation.fetch_id}: page {sighting.page_id} changed in "
        f"each of {ports.settings.commit_attempts_max} attempts; the message is retried.",
        reason="PAGE_CONTENDED",
    )


def _change(sighting: Sighting, reading: Reading) -> TimelineChange:
    if reading.known is None:
        return place(sighting, reading.around)
    if reading.known.kind is not sighting.observation.kind:
        raise PermanentError(
            f"Recording fetch {reading.known.fetch_id} again: it was {reading.known.kind}, now "
            f"it is {sighting.observation.kind}. One fetch has one outcome; the producer erred.",
            reason="FETCH_CONTRADICTS",
        )
    at = reading.known.observed_time
    observation = replace(sighting.observation, observed_time=at)
    return reread(replace(sighting, observation=observation), reading.around)


async def _read_alone(sighting: Sighting, ports: Ports) -> tuple[Sighting, Reading]:
    """Reads the neighbourhood, moving on by microseconds from an instant that is taken."""
    for _ in range(ports.settings.same_instant_max):
        reading = await ports.timelines.read(sighting)
        is_settled = reading.recorded is not None or reading.known is not None
        if is_settled or not collides(sighting.observation, reading.around):
            return sighting, reading
        moved_on = sighting.observation.observed_time + INSTANT_STEP
        observation = replace(sighting.observation, observed_time=moved_on)
        sighting = replace(sighting, observation=observation)
    raise PermanentError(
        f"Recording fetch {sighting.observation.fetch_id}: page {sighting.page_id} has more than "
        f"{ports.settings.same_instant_max} different observations at one instant.",
        reason="INSTANT_CROWDED",
    )
