"""The handler: what is stored before what is published."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scops.common.archive import groups
from scops.common.archive.opening import CheckedArchive, open_archive
from scops.common.bus.ports import Cause
from scops.common.contract import wire
from scops.common.contract.errors import BlobMissing
from scops.common.contract.ids import EventId, FetchId, PageId, sha256_hex
from scops.common.contract.messages.content import (
    Document,
    ExtractionFailed,
    LinkList,
    PageExtracted,
    PageKind,
)
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef
from scops.common.contract.service_table import BY_TYPE, Lane, Role
from scops.extractor.handlers import handle_page_fetched
from scops.extractor.pipeline import PIPELINE_VERSION
from scops.extractor.ports import ExtractorPorts, PackedExtraction, ParseFailed
from tests.fakes.extraction import InlineParser
from tests.unit.extractor.pages import ARTICLE, OBSERVED, SENTENCES, URL, page

CAUSE = Cause(
    event_id=EventId("cause"),
    organisation_id="main",
    lane=Lane.BULK,
    published_time=datetime(2026, 3, 1, 12, 1, tzinfo=UTC),
)


class FailingParser:
    """A parser that every body breaks."""

    async def parse(self, body: bytes, fetched: PageFetched) -> PackedExtraction:
        raise ParseFailed("Parsing took too long.", reason="PARSER_TIMEOUT")


def _event(body: BodyRef) -> PageFetched:
    return PageFetched(
        page_id=PageId("page"),
        fetch_id=FetchId("fetch"),
        access_context="public",
        url=URL,
        canonical_url=URL,
        observed_time=OBSERVED,
        body=body,
        attempt=1,
    )


async def _fetched(archive: CheckedArchive, body: bytes) -> PageFetched:
    return _event(await archive.put(body, media_type="text/html"))


async def _extracted(archive: CheckedArchive, body: bytes) -> PageExtracted:
    event = await _fetched(archive, body)
    (output,) = await handle_page_fetched(
        event, CAUSE, ExtractorPorts(archive=archive, parser=InlineParser())
    )
    assert isinstance(output, PageExtracted)
    return output


async def test_extracted_page_points_to_what_is_stored() -> None:
    """Text, document and links are in the archive under the digests that are published."""
    archive = open_archive("memory://", "main")
    output = await _extracted(archive, page(f"<h1>Owls</h1>{ARTICLE}<a href='/x'>x</a>"))
    text = await archive.get(output.text)
    document = wire.decode(Document, await archive.get(output.document))
    links = wire.decode(LinkList, await archive.get(output.links))

    assert output.text.digest == sha256_hex(text)
    assert (output.text.media_type, output.text.charset) == ("text/plain", "utf-8")
    assert SENTENCES[0] in text.decode()
    assert document.stated == output.stated
    assert [link.url for link in links.links] == ["https://docs.example.org/x"]


async def test_message_carries_no_words_of_the_page() -> None:
    """A stream keeps what it has delivered for a while; what is purged must not be among it."""
    archive = open_archive("memory://", "main")
    body = page(f"<title>Quillfeather</title><h1>Quillfeather</h1>{ARTICLE}")
    output = await _extracted(archive, body)
    document = wire.decode(Document, await archive.get(output.document))

    assert "Quillfeather" in document.title
    assert b"Quillfeather" not in wire.encode(output)
    assert SENTENCES[0].encode() not in wire.encode(output)


async def test_extracted_page_carries_the_fetch() -> None:
    """Ids, context, URL and observation are those of the fetch."""
    archive = open_archive("memory://", "main")
    output = await _extracted(archive, page(ARTICLE))

    assert (output.page_id, output.fetch_id, output.access_context) == ("page", "fetch", "public")
    assert (output.canonical_url, output.observed_time) == (URL, OBSERVED)
    assert output.pipeline_version == PIPELINE_VERSION
    assert not output.reextracted


async def test_redelivered_fetch_repeats_its_output() -> None:
    """Handling a message twice publishes the same twice."""
    archive = open_archive("memory://", "main")
    first = await _extracted(archive, page(ARTICLE))
    second = await _extracted(archive, page(ARTICLE))

    assert first == second


async def test_page_of_another_kind_is_published_as_such() -> None:
    """What is no article is still an extraction, with its kind."""
    archive = open_archive("memory://", "main")
    output = await _extracted(archive, b"")

    assert (output.kind, output.text.size) == (PageKind.EMPTY, 0)


async def test_body_that_cannot_be_parsed_is_recorded() -> None:
    """A parse failure is a fact with a reason, the same when redelivered."""
    archive = open_archive("memory://", "main")
    event = await _fetched(archive, page(ARTICLE))
    ports = ExtractorPorts(archive=archive, parser=FailingParser())

    assert await handle_page_fetched(event, CAUSE, ports) == (
        ExtractionFailed(
            page_id=PageId("page"),
            fetch_id=FetchId("fetch"),
            reason="PARSER_TIMEOUT",
            detail="Parsing took too long.",
            failed_time=CAUSE.published_time,
        ),
    )


async def test_missing_body_goes_to_the_dead_letters() -> None:
    """Without its body a fetch cannot be handled, now or later."""
    ports = ExtractorPorts(archive=open_archive("memory://", "main"), parser=InlineParser())

    with pytest.raises(BlobMissing):
        await handle_page_fetched(_event(BodyRef(digest="0" * 64)), CAUSE, ports)


def test_outputs_are_the_extractors_to_publish() -> None:
    """The service table names the extractor as producer of what it returns."""
    for message in (PageExtracted, ExtractionFailed):
        assert BY_TYPE[message].producers == (Role.EXTRACTOR,)


@pytest.mark.parametrize(("lane", "waits"), [(Lane.BULK, True), (Lane.NOW, False)])
async def test_texts_of_crawls_wait_for_company(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lane: Lane, waits: bool
) -> None:
    """Those of pages that a person waits for never do."""
    for name in ("LINGER_SECONDS", "LINGER_SECONDS_MAX"):
        monkeypatch.setattr(groups, name, 2.0)
    archive = open_archive(f"file://{tmp_path}", "main")
    event = await _fetched(archive, page(ARTICLE))
    ports = ExtractorPorts(archive=archive, parser=InlineParser())
    # What is loaded at the first page is there from then on.
    await handle_page_fetched(event, replace(CAUSE, lane=Lane.NOW), ports)
    started = time.monotonic()
    await handle_page_fetched(event, replace(CAUSE, lane=lane), ports)
    waited = time.monotonic() - started >= 2.0
    archive.close()

    assert waits == waited
