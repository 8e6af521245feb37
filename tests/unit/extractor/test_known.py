"""What was asked for with a credential is read whatever it asks crawlers for."""

from dataclasses import replace

import pytest

from scops.common.archive.opening import open_archive
from scops.common.contract.messages.content import PageExtracted, PageKind
from scops.common.scope.contexts import PUBLIC
from scops.extractor.handlers import handle_page_fetched
from scops.extractor.ports import ExtractorPorts
from tests.fakes.extraction import InlineParser
from tests.unit.extractor.pages import ARTICLE, page
from tests.unit.extractor.test_extractor_handlers import CAUSE, _fetched

MINE = "credential-1"


async def kind_of(body: bytes, access_context: str) -> PageKind:
    archive = open_archive("memory://", "main")
    event = replace(await _fetched(archive, body), access_context=access_context)
    ports = ExtractorPorts(archive=archive, parser=InlineParser())
    (output,) = await handle_page_fetched(event, CAUSE, ports)
    assert isinstance(output, PageExtracted)
    return output.kind


@pytest.mark.parametrize(
    ("access_context", "kind"), [(MINE, PageKind.ARTICLE), (PUBLIC, PageKind.NOINDEX)]
)
async def test_what_crawlers_are_asked_binds_no_session(
    access_context: str, kind: PageKind
) -> None:
    """Nearly every page behind a login says `noindex`, to those who index for everybody."""
    body = b"<meta name=robots content=noindex>" + page(f"<h1>Owls</h1>{ARTICLE}")

    assert kind is await kind_of(body, access_context)
