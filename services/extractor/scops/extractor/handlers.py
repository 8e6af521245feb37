"""What the extractor does with a fetched page."""

from collections.abc import Sequence

from scops.common.archive.ports import NewBlob
from scops.common.bus.ports import Cause
from scops.common.contract.messages.content import ExtractionFailed, PageExtracted, PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.service_table import Lane
from scops.common.processes.turns import leave_turn
from scops.extractor.metrics import FAILURES, count_page
from scops.extractor.ports import ExtractorPorts, PackedExtraction, ParseFailed
from scops.extractor.text.injection import trust_tier

TEXT_MEDIA_TYPE = "text/plain"
MESSAGE_MEDIA_TYPE = "application/x-protobuf"


async def handle_page_fetched(
    event: PageFetched, cause: Cause, ports: ExtractorPorts
) -> Sequence[PageExtracted | ExtractionFailed]:
    """Extracts a body and stores text, document and links before it publishes them.

    Args:
        cause: of the event; its publication time dates a failure.

    Raises:
        BlobMissing: the archive lacks the body.
        StoreUnavailable: the archive does not answer.
    """
    body = await ports.archive.get(event.body)
    try:
        extraction = await ports.parser.parse(body, event)
    except ParseFailed as error:
        FAILURES.labels(reason=error.reason).inc()
        return (_failed(event, cause, error),)
    count_page(extraction.kind, extraction.head.flags)
    # What a crawl stores may wait for others to be stored with, and these for their turn.
    patient = cause.lane is Lane.BULK
    leave_turn()
    return (await _stored(event, extraction, ports, patient=patient),)


async def _stored(
    event: PageFetched, extraction: PackedExtraction, ports: ExtractorPorts, *, patient: bool
) -> PageExtracted:
    head = extraction.head
    text, document, links = await ports.archive.put_many(
        [
            NewBlob(data=extraction.text, media_type=TEXT_MEDIA_TYPE, charset="utf-8"),
            NewBlob(data=extraction.document, media_type=MESSAGE_MEDIA_TYPE),
            NewBlob(data=extraction.links, media_type=MESSAGE_MEDIA_TYPE),
        ],
        patient=patient,
    )
    repeats = event.captured_by and text.digest == event.public_text_digest
    return PageExtracted(
        page_id=event.page_id,
        fetch_id=event.fetch_id,
        access_context=event.access_context,
        canonical_url=event.canonical_url,
        observed_time=event.observed_time,
        kind=PageKind.REPEATED if repeats else extraction.kind,
        text=text,
        document=document,
        links=links,
        language=head.language,
        stated=head.stated,
        pipeline_version=extraction.pipeline_version,
        flags=head.flags,
        extractor=head.extractor,
        trust=trust_tier(head),
        body=event.body,
        captured_by=event.captured_by or event.came_by,
    )


def _failed(event: PageFetched, cause: Cause, error: ParseFailed) -> ExtractionFailed:
    return ExtractionFailed(
        page_id=event.page_id,
        fetch_id=event.fetch_id,
        reason=error.reason,
        detail=error.message,
        # Taken from the cause, so that a redelivery says the same.
        failed_time=cause.published_time,
    )
