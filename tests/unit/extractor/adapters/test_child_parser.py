"""Parsing in child processes: a body that breaks its process fails with the parser's reasons."""

import pytest

from scops.extractor.adapters.child_parser import ChildParser
from scops.extractor.ports import PackedExtraction, ParseFailed
from tests.unit.extractor.pages import ARTICLE, fetched, page
from tests.unit.extractor.pools import MEBIBYTE, parsing

GOOD = page(ARTICLE)
# Takes seconds on any machine.
SLOW = b"<p>owl vole</p>" * 800_000


async def _parse_good(parser: ChildParser) -> PackedExtraction:
    return await parser.parse(GOOD, fetched())


async def test_timeout_names_its_reason_and_its_setting() -> None:
    """A body beyond its time fails; the next page is parsed."""
    async with parsing(page_seconds=0.5) as parser:
        with pytest.raises(ParseFailed, match="SCOPS_EXTRACTOR_PAGE_SECONDS") as failed:
            await parser.parse(SLOW, fetched())

        assert "PARSER_TIMEOUT" == failed.value.reason
        assert (await _parse_good(parser)).text


async def test_body_beyond_the_memory_fails_alone() -> None:
    """Address space is bounded; the next page is parsed."""
    async with parsing(memory_bytes=256 * MEBIBYTE) as parser:
        with pytest.raises(ParseFailed) as failed:
            await parser.parse(b"<p>owl</p>" * 1_500_000, fetched())
        good = await _parse_good(parser)

        assert failed.value.reason in ("PARSER_OUT_OF_MEMORY", "PARSER_CRASHED")
        assert good.text
