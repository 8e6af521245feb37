"""What of a capture is read: all that its reader saw, unless it was fetched word for word."""

from dataclasses import replace

import pytest

from scops.common.archive.opening import CheckedArchive, open_archive
from scops.common.contract.messages.content import PageExtracted, PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.handlers import handle_page_fetched
from scops.extractor.ports import ExtractorPorts
from tests.fakes.extraction import InlineParser
from tests.unit.extractor.pages import ARTICLE, page
from tests.unit.extractor.test_extractor_handlers import CAUSE, _fetched

NOINDEX = b"<meta name=robots content=noindex>"


async def read(archive: CheckedArchive, event: PageFetched) -> PageExtracted:
    ports = ExtractorPorts(archive=archive, parser=InlineParser())
    (output,) = await handle_page_fetched(event, CAUSE, ports)
    assert isinstance(output, PageExtracted)
    return output


@pytest.mark.parametrize(
    ("captured_by", "kind"), [("", PageKind.NOINDEX), ("user:ann", PageKind.ARTICLE)]
)
async def test_what_crawlers_are_asked_binds_no_reader(captured_by: str, kind: PageKind) -> None:
    """Pages behind a login say `noindex` as a rule; who captured it is passed on."""
    archive = open_archive("memory://", "main")
    event = await _fetched(archive, NOINDEX + page(f"<h1>Owls</h1>{ARTICLE}"))
    output = await read(archive, replace(event, captured_by=captured_by))

    assert (kind, captured_by) == (output.kind, output.captured_by)


async def test_a_capture_of_what_is_fetched_says_so() -> None:
    """Whatever its markup; a page that is fetched again is none."""
    archive = open_archive("memory://", "main")
    event = await _fetched(archive, page(f"<h1>Owls</h1>{ARTICLE}"))
    public = await read(archive, event)
    mine = replace(event, captured_by="user:ann", public_text_digest=public.text.digest)
    other = await _fetched(archive, page(f"<h1>Owls</h1>{ARTICLE}<p>Only when signed in.</p>"))
    changed = replace(mine, body=other.body)
    crawled = replace(mine, captured_by="")

    assert [PageKind.REPEATED, PageKind.ARTICLE, PageKind.ARTICLE] == [
        (await read(archive, one)).kind for one in (mine, changed, crawled)
    ]
