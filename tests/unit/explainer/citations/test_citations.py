"""Citations and text fragments."""

from dataclasses import replace

import pytest

from scops.common.contract.errors import PermanentError
from scops.common.contract.ids import sha256_hex
from scops.explainer.citations.citation import cite, fragment_url
from scops.explainer.quotes.spans import quotes_of
from tests.fakes.worlds.explainer import passage_of, version_of
from tests.fakes.worlds.indexed_pages import page_of

URL = "https://docs.example.org/a"
ROUTE = "https://app.example.org/#/plan"
PAGE = page_of(URL, "# Fees 🦉", "Long ago it was free. The fee is 10 euros 𝔞 month. Pay by card.")


def test_citation_finds_its_quote_again() -> None:
    """Offsets, hash and the 32 characters around are those of the version's text."""
    passage = passage_of(PAGE)
    quote = next(q for q in quotes_of(0, passage, version_of(PAGE)) if "fee" in q.text)
    made = cite(1, quote, passage, version_of(PAGE))

    assert "The fee is 10 euros 𝔞 month." == made.quote == PAGE.text[made.start : made.end]
    assert sha256_hex(made.quote.encode()) == made.quote_digest
    assert "Fees 🦉\n\nLong ago it was free. " == made.prefix
    assert " Pay by card." == made.suffix
    assert ("Fees 🦉",) == made.section_path
    assert (passage.version_id, passage.chunk_id) == (made.version_id, made.chunk_id)


def test_quote_that_is_not_the_text_is_refused() -> None:
    """Nothing invented ever leaves."""
    passage = passage_of(PAGE)
    quote = replace(next(iter(quotes_of(0, passage, version_of(PAGE)))), text="The fee is 9 euros.")
    with pytest.raises(PermanentError) as raised:
        cite(1, quote, passage, version_of(PAGE))

    assert "CITATION_MISMATCH" == raised.value.reason


@pytest.mark.parametrize("by_ocr", [True, False])
def test_quote_that_ocr_read_is_marked(by_ocr: bool) -> None:
    """A quote is what its own block is, not what others of its document are."""
    passage, version = passage_of(PAGE), version_of(PAGE)
    quote = next(q for q in quotes_of(0, passage, version) if "fee" in q.text)
    blocks = tuple(
        replace(block, page=2, read_by_ocr=(block.start <= quote.start < block.end) is by_ocr)
        for block in version.blocks
    )
    made = cite(1, quote, passage, replace(version, blocks=blocks))

    assert (2, by_ocr) == (made.page_number, made.read_by_ocr)


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("Well-known, free & easy.", "Well%2Dknown%2C%20free%20%26%20easy."),
        (
            "one two three four five six seven eight nine ten eleven",
            "one%20two%20three%20four%20five,seven%20eight%20nine%20ten%20eleven",
        ),
        ("Is it free?\n\nNo.", "Is%20it%20free%3F,No."),
        ("Größe 𝔞", "Gr%C3%B6%C3%9Fe%20%F0%9D%94%9E"),
    ],
)
def test_fragment_opens_the_quote_in_a_browser(quote: str, expected: str) -> None:
    """Short quotes whole, long ones and those of several blocks by their ends, all encoded."""
    assert f"{URL}#:~:text={expected}" == fragment_url(URL, quote)


def test_text_fragment_follows_a_route() -> None:
    """Browsers take the directive away before an app reads its route."""
    assert f"{ROUTE}:~:text=free%20of%20charge" == fragment_url(ROUTE, "free of charge")
