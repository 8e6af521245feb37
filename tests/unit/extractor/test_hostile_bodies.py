"""Bodies made to hurt, parsed as they are in service: each stands alone, the next one is fine."""

from collections.abc import Callable

import pytest

from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.extraction import extract
from scops.extractor.ports import ParseFailed
from tests.fakes.files.pdf import inflating_pdf, multiplying_pdf
from tests.unit.extractor.pages import ARTICLE, SENTENCES, fetched, page, texts
from tests.unit.extractor.pools import MEBIBYTE, parsing

PDF = fetched(media_type="application/pdf")
BOMBS: dict[str, tuple[Callable[[], bytes], PageFetched]] = {
    "pdf that inflates": (lambda: inflating_pdf(192), PDF),
    "pdf that draws itself": (lambda: multiplying_pdf(8, 10), PDF),
    "page of attributes": (lambda: b"<p " + b"a=b " * 4_000_000 + b">owl</p>", fetched()),
}


@pytest.mark.parametrize("name", BOMBS)
async def test_bomb_ends_within_its_bounds(name: str) -> None:
    """What fills memory or takes for ever is ended, and the next page is parsed."""
    make, about = BOMBS[name]
    reason = ""
    async with parsing(memory_bytes=384 * MEBIBYTE, page_seconds=4.0) as parser:
        try:
            await parser.parse(make(), about)
        except ParseFailed as failed:
            reason = failed.reason
        good = await parser.parse(page(ARTICLE), fetched())

    assert reason in ("", "PARSER_TIMEOUT", "PARSER_OUT_OF_MEMORY", "PARSER_CRASHED")
    assert good.text.decode() == "\n\n".join(SENTENCES)


async def test_an_element_of_many_attributes_costs_no_more_than_its_text() -> None:
    """Its attributes are left out; what it and its neighbours say stays."""
    attributes = " ".join(f"a{number}=1" for number in range(100_000))
    body = f"<h1>Owls</h1><p {attributes}>The owl hunts at night.</p><p>It sleeps by day.</p>"
    async with parsing(page_seconds=5.0) as parser:
        found = await parser.parse(body.encode(), fetched())

    assert b"The owl hunts at night.\n\nIt sleeps by day." in found.text


async def test_million_elements_are_parsed_in_service() -> None:
    """A million nodes fit the memory and time of a process; the text is cut, and says so."""
    async with parsing(page_seconds=60.0) as parser:
        found = await parser.parse(b"<p>owl" * 1_000_000, fetched())

    assert found.kind is PageKind.ARTICLE
    assert found.text.startswith(b"owl\n\nowl")
    assert set(found.head.flags) == {"truncated", "fallback"}


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        (page(ARTICLE).decode().encode("utf-16"), ""),
        (page(ARTICLE).decode().encode("utf-16"), "utf-8"),
        (page(ARTICLE).decode().encode("utf-16-le"), "utf-16-le"),
        (page(ARTICLE), "no-such-charset"),
        (page(ARTICLE, head='<meta charset="utf-16">'), ""),
        (page(ARTICLE).replace(b"owl", b"o\x00wl"), ""),
    ],
    ids=["mark", "mark against http", "http", "unknown", "meta of another", "nul"],
)
def test_broken_encoding_keeps_the_text(body: bytes, charset: str) -> None:
    """A wrong or missing declaration loses no sentence that can be read."""
    assert texts(extract(body, fetched(charset=charset))) == list(SENTENCES)


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.8, 0.95])
def test_page_cut_anywhere_keeps_what_came(cut: float) -> None:
    """A body that ends in the middle of a tag or a character gives the text before it."""
    paragraphs = "".join(
        f"<p>{sentence} Käuzchen № {at}</p>" for at in range(10) for sentence in SENTENCES
    )
    body = page(f"<main><h1>Owls</h1>{paragraphs}</main>")
    found = extract(body[: int(cut * len(body))], fetched())
    whole = extract(body, fetched())

    assert found.kind is PageKind.ARTICLE
    assert whole.text.startswith(found.text[:-100])
    assert len(found.text) > 0.8 * cut * len(whole.text)


@pytest.mark.parametrize(
    "body",
    [
        b"<" * 500_000,
        b"<a" * 300_000,
        b"</p>" * 300_000,
        b"<!--" + b"-" * 500_000,
        b"<p style='" + b"color:" * 100_000 + b"'>owl",
        b"<style>" + b"@a{" * 100_000 + b"</style><p>owl",
        b"<style>" + b".a{display:none}" * 20_000 + b"</style><p class=a>owl",
        b"<title>" + b"owl " * 200_000,
        b"<script type='application/ld+json'>" + b"[" * 200_000 + b"</script><p>owl",
        b"<table>" * 200 + b"<p>owl",
        b"<p>" + b"&amp;" * 300_000,
        b"<p>" + "क्षि".encode() * 100_000,
        b"<p>" + b"ignore all " * 50_000,
        b"<p>" + b"404 " * 100_000,
        b"<p>" + b"1.1.2020 " * 50_000,
    ],
    ids=lambda body: body[:12].decode("ascii", "replace"),
)
async def test_odd_body_takes_no_more_than_its_time(body: bytes) -> None:
    """No pattern and no library is drawn into work that grows faster than its input."""
    async with parsing(page_seconds=20.0) as parser:
        found = await parser.parse(body, fetched())

    assert found.kind in (PageKind.ARTICLE, PageKind.EMPTY, PageKind.SOFT_404)
