"""Blocks of plain text and Markdown."""

from scops.common.contract.messages.content import BlockKind
from scops.extractor.text.charset import DecodedBody
from scops.extractor.text.clean_text import RawBlock
from scops.extractor.text.plain_text import read_markdown, read_plain
from tests.unit.extractor.pages import fetched, shown

PARAGRAPH, HEADING, ITEM = BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST_ITEM
ROW, CODE, QUOTE = BlockKind.TABLE_ROW, BlockKind.CODE, BlockKind.QUOTE


def _decoded(text: str) -> DecodedBody:
    return DecodedBody(text=text, encoding="utf-8", replacement_share=0.0)


def _plain_blocks(text: str) -> list[RawBlock]:
    return list(read_plain(_decoded(text), fetched()).blocks)


def _markdown_blocks(text: str) -> list[RawBlock]:
    return list(read_markdown(_decoded(text), fetched()).blocks)


def test_paragraphs_end_at_empty_lines() -> None:
    """Lines of a paragraph flow together, whatever ends them."""
    assert shown(_plain_blocks("one\r\ntwo\r\n \t\r\n\r\nthree\n")) == [
        (PARAGRAPH, "one two"),
        (PARAGRAPH, "three"),
    ]


def test_laid_out_text_keeps_its_lines() -> None:
    """Columns and diagrams are kept as they stand; an indented paragraph is none."""
    table = "name     size\ntawny    38 cm"

    assert shown(_plain_blocks(f"   indented\n   paragraph\n\n{table}")) == [
        (PARAGRAPH, "indented paragraph"),
        (CODE, table),
    ]


def test_markdown_blocks() -> None:
    """Each kind of Markdown block is read."""
    text = """Owls
====
They hunt
at night.
## Food ##
* vole
  and mouse
2. frog

> Hoo,
> it said.

| Name | Size |
|------|-----:|
| Tawny | 38 |
```sh
ls  -l

# no heading
```
Sub
---
end"""

    assert shown(_markdown_blocks(text)) == [
        (HEADING, "Owls"),
        (PARAGRAPH, "They hunt at night."),
        (HEADING, "Food"),
        (ITEM, "vole and mouse"),
        (ITEM, "frog"),
        (QUOTE, "Hoo, it said."),
        (ROW, "Name | Size"),
        (ROW, "Tawny | 38"),
        (CODE, "ls  -l\n\n# no heading"),
        (HEADING, "Sub"),
        (PARAGRAPH, "end"),
    ]


def test_markdown_levels_are_kept() -> None:
    """Hashes and underlines give levels."""
    levels = [block.level for block in _markdown_blocks("# a\n\nb\n=\n\nc\n-\n\n###### d\n\n#e")]

    assert levels == [1, 1, 2, 6, 0]


def test_unclosed_code_ends_with_the_text() -> None:
    """A fence that is never closed loses nothing."""
    assert shown(_markdown_blocks("```\na\n\nb")) == [(CODE, "a\n\nb")]


def test_markdown_inline_marks_are_no_text() -> None:
    """What a reader of the rendered text sees is the text."""
    assert shown(_markdown_blocks("A **tawny** [owl](/owl) `hoots`.")) == [
        (PARAGRAPH, "A tawny owl hoots.")
    ]


def test_markdown_links_and_title_are_read() -> None:
    """A front matter names the page, and links are followed like those of a page."""
    reading = read_markdown(_decoded("---\ntitle: Owls\n---\nSee the [owl](/owl)."), fetched())

    assert (reading.title, [link.url for link in reading.links]) == (
        "Owls",
        ["https://docs.example.org/owl"],
    )
