"""Blocks of plain text and Markdown."""

from scops.common.messages.content import BlockKind
from scops.extractor.plain_text import markdown_blocks, plain_blocks
from tests.unit.extractor.pages import shown

PARAGRAPH, HEADING, ITEM = BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST_ITEM
ROW, CODE, QUOTE = BlockKind.TABLE_ROW, BlockKind.CODE, BlockKind.QUOTE


def test_paragraphs_end_at_empty_lines() -> None:
    """Lines of a paragraph flow together, whatever ends them."""
    assert shown(plain_blocks("one\r\ntwo\r\n \t\r\n\r\nthree\n")) == [
        (PARAGRAPH, "one two"),
        (PARAGRAPH, "three"),
    ]


def test_laid_out_text_keeps_its_lines() -> None:
    """Columns and diagrams are kept as they stand; an indented paragraph is none."""
    table = "name     size\ntawny    38 cm"

    assert shown(plain_blocks(f"   indented\n   paragraph\n\n{table}")) == [
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

    assert shown(markdown_blocks(text)) == [
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
    levels = [block.level for block in markdown_blocks("# a\n\nb\n=\n\nc\n-\n\n###### d\n\n#e")]

    assert levels == [1, 1, 2, 6, 0]


def test_unclosed_code_ends_with_the_text() -> None:
    """A fence that is never closed loses nothing."""
    assert shown(markdown_blocks("```\na\n\nb")) == [(CODE, "a\n\nb")]
