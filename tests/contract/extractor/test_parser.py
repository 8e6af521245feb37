"""The contract of `Parser`, held by the parsing processes and by the parser of the simulation."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from scops.common.contract import wire
from scops.common.contract.messages.content import Document, PageKind
from scops.extractor.extraction import TEXT_CHARACTERS_MAX, extract, pack
from scops.extractor.ports import Parser
from tests.fakes.extraction import InlineParser
from tests.unit.extractor.pages import ARTICLE, OBSERVED, fetched, page
from tests.unit.extractor.pools import parsing


@pytest.fixture(params=["processes", "inline"])
async def parser(request: pytest.FixtureRequest) -> AsyncIterator[Parser]:
    if request.param == "inline":
        yield InlineParser()
        return
    async with parsing(processes=2) as children:
        yield children


async def test_result_is_that_of_the_pure_function(parser: Parser) -> None:
    """A parser adds nothing to the extraction and takes nothing from it."""
    everything = fetched(
        charset="windows-1252",
        last_modified_time=OBSERVED,
        content_language="de",
        robots_tag="nofollow",
    )
    body = page(f"<h1>Käuzchen</h1>{ARTICLE}<a href='/x'>x</a>", attributes="")
    body = body.decode().encode("cp1252")

    assert await parser.parse(body, everything) == pack(extract(body, everything))


async def test_bodies_do_not_influence_each_other(parser: Parser) -> None:
    """Whatever was parsed before or at the same time, a body gives the same bytes."""
    bodies = [page(f"<p>Owl number {number} hunts.</p>{ARTICLE}") for number in range(6)]
    alone = [await parser.parse(body, fetched()) for body in bodies]
    together = await asyncio.gather(*(parser.parse(body, fetched()) for body in bodies))

    assert alone == list(together)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", PageKind.EMPTY),
        (b"\xff\xfe", PageKind.EMPTY),
        (b"%PDF-1.7", PageKind.UNSUPPORTED),
        (b"<div>" * 5_000 + b"The owl at the bottom.", PageKind.ARTICLE),
        (b"<p>" + b"a" * 300_000, PageKind.ARTICLE),
        ("<p>\U0001f989 \u202eowl\u200b</p>".encode(), PageKind.ARTICLE),
    ],
)
async def test_odd_body_has_a_kind(parser: Parser, body: bytes, kind: PageKind) -> None:
    """A body that is not what it should be is a result, not an error."""
    assert (await parser.parse(body, fetched())).kind is kind


async def test_text_is_cut_at_the_limit(parser: Parser) -> None:
    """A text beyond the bound is cut and flagged."""
    long = f"<p>{'owl ' * (TEXT_CHARACTERS_MAX // 4 + 1)}</p>"
    packed = await parser.parse(page(long), fetched())

    assert len(packed.text.decode()) <= TEXT_CHARACTERS_MAX
    assert "truncated" in packed.head.flags
    assert wire.decode(Document, packed.document).flags == packed.head.flags
