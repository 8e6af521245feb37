"""Clean text: unseen characters, white space, and the place of each block."""

import pytest

from scops.common.contract.messages.content import BlockKind
from scops.extractor.text.clean_text import (
    PATHS_CHARACTERS_MAX,
    SECTION_CHARACTERS_MAX,
    RawBlock,
    assemble,
    code_text,
    flow_text,
)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\u200bb\u2060c\ufeffd", "abcd"),
        ("\u202eevil\u202c \u2066x\u2069", "evil x"),
        ("so\u00adft", "soft"),
        ("a\u00a0\u2003b\u2028c", "a b c"),
        ("e\u0301", "é"),
        ("\U000e0041tag", "tag"),
        ("nul\x00\x07", "nul"),
        ("\ud800lone", "lone"),
        ("  \n ", ""),
    ],
)
def test_flow_text_shows_what_is_seen(raw: str, clean: str) -> None:
    """Unseen characters go, white space becomes one space, the rest is NFC."""
    assert flow_text(raw) == clean


def test_code_text_keeps_indentation_and_inner_lines() -> None:
    """Only line ends and surrounding empty lines are trimmed."""
    assert code_text("\n\n  a\t= 1  \n\n  b\r\n\n") == "  a\t= 1\n\n  b"


def test_lists_and_rows_are_joined_tight() -> None:
    """Items of a list stand on lines of their own, other blocks apart."""
    item, row = BlockKind.LIST_ITEM, BlockKind.TABLE_ROW
    raw = [RawBlock(kind=kind, text=text) for kind, text in ((item, "a"), (item, "b"), (row, "c"))]

    assert assemble(raw, characters_max=100).text == "a\nb\n\nc"


@pytest.mark.parametrize("limit", range(9))
def test_assembled_text_keeps_its_limit(limit: int) -> None:
    """At any limit the blocks tile the text, and what is missing is said."""
    raw = [RawBlock(kind=BlockKind.PARAGRAPH, text=text) for text in ("abc", "def")]
    clean = assemble(raw, characters_max=limit)

    assert clean.text == "abc\n\ndef"[:limit].rstrip()
    assert clean.truncated == (limit < 8)
    assert (clean.blocks[-1].end if clean.blocks else 0) == len(clean.text)


def test_section_paths_are_no_longer_than_a_text() -> None:
    """Long headings above many small blocks make no document of many times their length."""
    headings = [
        RawBlock(kind=BlockKind.HEADING, text="h" * 300, level=level) for level in range(1, 7)
    ]
    rows = [RawBlock(kind=BlockKind.TABLE_ROW, text="a") for _ in range(3_000)]
    blocks = assemble([*headings, *rows], characters_max=1_000_000).blocks
    characters = [sum(map(len, block.section_path)) for block in blocks]

    assert 6 * SECTION_CHARACTERS_MAX == characters[6]
    assert PATHS_CHARACTERS_MAX - characters[6] < sum(characters) <= PATHS_CHARACTERS_MAX
    assert () == blocks[-1].section_path
