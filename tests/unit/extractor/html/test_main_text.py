"""The main text of reference pages is complete: nothing that people quote is missing."""

import random
import re
from pathlib import Path

import pytest
from lxml import etree, html

from scops.common.contract.messages.content import BlockKind
from scops.extractor.extraction import Extraction, extract
from scops.extractor.html.main_text import MENU_NAMES_MIN, kept_blocks
from scops.extractor.text.clean_text import RawBlock
from tests.unit.extractor.pages import fetched

MANUAL = Path("/usr/share/doc/postgresql-doc-15/html")
SAMPLE = 40
# Lists of links to other pages are navigation: only some pages keep them.
NAVIGATION = ("navheader", "navfooter", "toc", "index")
COMPLETE_SHARE = 0.97


def _pages() -> list[str]:
    names = sorted(path.stem for path in MANUAL.glob("*.html"))
    indexes = {"bookindex", "index"}
    return random.Random(15).sample([name for name in names if name not in indexes], SAMPLE)


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


def _body(name: str) -> html.HtmlElement:
    body = html.fromstring((MANUAL / f"{name}.html").read_bytes()).find("body")
    assert body is not None
    for part in list(body.iter("div")):
        if isinstance(part, html.HtmlElement) and part.get("class") in NAVIGATION:
            part.drop_tree()
    return body


def _parts(body: html.HtmlElement) -> list[str]:
    """Returns what a page says, without what only links elsewhere."""
    elements = body.iter("p", "pre", "dt", "td", "h2", "h3")
    return [_squeezed(_text(element)) for element in elements if not _linked(element)]


def _linked(element: etree._Element) -> bool:
    anchors = "".join(_text(anchor) for anchor in element.iter("a"))
    return bool(anchors) and _squeezed(anchors) == _squeezed(_text(element))


def _text(element: etree._Element) -> str:
    return "".join(str(part) for part in element.itertext())


def _extract(name: str) -> Extraction:
    return extract((MANUAL / f"{name}.html").read_bytes(), fetched())


@pytest.mark.parametrize("name", _pages() if MANUAL.is_dir() else [])
def test_reference_page_is_complete(name: str) -> None:
    """Paragraphs, code, rows, terms, synopses and warnings of a page are all in its text."""
    text = _squeezed(_extract(name).text)
    expected = _parts(_body(name))
    found = sum(len(part) for part in expected if part in text)

    assert found >= COMPLETE_SHARE * sum(map(len, expected))


@pytest.mark.parametrize("name", ["sql-vacuum", "tutorial-join", "logical-replication", "limits"])
def test_navigation_of_a_reference_page_is_left_out(name: str) -> None:
    """No line of the navigation tables becomes text."""
    lines = set(_extract(name).text.splitlines())

    assert lines.isdisjoint({"Prev", "Next", "Up", "Home", "Prev | Up | Next"})
    assert not [line for line in lines if line.startswith(("Prev |", "Prev "))]


def test_code_of_a_reference_page_is_verbatim() -> None:
    """Every example of a page is one block of code, as it stands on the page."""
    name = "tutorial-join"
    examples = [_text(pre).strip("\n").rstrip() for pre in _body(name).iter("pre")]
    found = _extract(name)
    code = [
        found.text[block.start : block.end]
        for block in found.document.blocks
        if block.kind is BlockKind.CODE
    ]

    assert [re.sub(r" +\n", "\n", example) for example in examples] == code


TITLE = RawBlock(kind=BlockKind.HEADING, text="Privacy notice", level=1)
SENTENCE = RawBlock(kind=BlockKind.PARAGRAPH, text="We keep what you tell us for one year.")
NAMES = [
    RawBlock(kind=BlockKind.PARAGRAPH, text=text)
    for text in ("Legal overview", "Platform terms", "Policies & guidelines", "Privacy")
]


def _kept(*blocks: RawBlock) -> list[str]:
    """Returns the texts kept of blocks that the model takes for main text."""
    return [block.text for block in kept_blocks(blocks, [9.0] * len(blocks))]


def test_names_in_a_row_above_the_main_heading_are_a_menu() -> None:
    """Whatever elements it is made of; what stands before it stays."""
    assert [SENTENCE.text, TITLE.text, SENTENCE.text] == _kept(SENTENCE, *NAMES, TITLE, SENTENCE)


@pytest.mark.parametrize(
    "blocks",
    [
        # Fewer are a kicker, a byline or a place.
        [*NAMES[: MENU_NAMES_MIN - 1], TITLE],
        [TITLE, *NAMES, SENTENCE],
        [*NAMES, SENTENCE, TITLE],
        [*NAMES, RawBlock(kind=BlockKind.HEADING, text="Rights", level=2)],
        [*(RawBlock(kind=BlockKind.PARAGRAPH, text=f"{n} May 2024") for n in range(5)), TITLE],
    ],
)
def test_other_names_are_text(blocks: list[RawBlock]) -> None:
    """Facts and lists of the page read alike, and stand elsewhere."""
    blocks = [*blocks, SENTENCE]

    assert [block.text for block in blocks] == _kept(*blocks)
