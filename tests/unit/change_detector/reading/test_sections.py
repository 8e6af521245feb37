"""Where the sections of a text lie, and which one a reader means."""

import pytest

from scops.change_detector.reading.sections import (
    HEADING_CHARACTERS_MAX,
    SECTIONS_MAX,
    listed,
    section_named,
    sections_of,
)
from scops.common.contract.messages.change import TextSection
from scops.common.contract.messages.content import Block, BlockKind

LINES = [
    (0, "Before all"),
    (1, "Home"),
    (0, "Hello."),
    (2, "Price"),
    (0, "Free."),
    (1, "Work"),
    (2, "Price"),
    (0, "Ten euros."),
    (0, "A month."),
    (1, "End"),
]
TEXT = "\n".join(line for _, line in LINES)


def blocks() -> list[Block]:
    found: list[Block] = []
    above: list[tuple[int, str]] = []
    start = 0
    for level, line in LINES:
        above = [one for one in above if not level or one[0] < level]
        kind = BlockKind.HEADING if level else BlockKind.PARAGRAPH
        path = tuple(name for _, name in above)
        end = start + len(line)
        found.append(Block(kind=kind, start=start, end=end, section_path=path, level=level))
        above += [(level, line)] if level else []
        start = end + 1
    return found


SECTIONS = tuple(sections_of(TEXT, blocks()))


def said(section: TextSection | None) -> str:
    return TEXT[section.start : section.end].strip() if section else "none"


def test_sections_follow_each_other_and_are_the_whole_text() -> None:
    """Each begins with its heading."""
    paths = [(), ("Home",), ("Home", "Price"), ("Work",), ("Work", "Price"), ("End",)]

    assert paths == [section.path for section in SECTIONS]
    assert TEXT == "".join(TEXT[section.start : section.end] for section in SECTIONS)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (("Home",), "Home\nHello.\nPrice\nFree."),
        (("price",), "Price\nFree."),
        (("Work", " PRICE"), "Price\nTen euros.\nA month."),
        (("Work",), "Work\nPrice\nTen euros.\nA month."),
        (("End",), "End"),
        (("Price", "Work"), "none"),
        (("Pric",), "none"),
    ],
)
def test_a_section_is_named_by_its_last_headings(wanted: tuple[str, ...], text: str) -> None:
    """It holds what lies below it; of several of one name it is the first."""
    assert text == said(section_named(SECTIONS, wanted))


def test_as_many_sections_are_listed_as_a_reply_holds() -> None:
    """By number and by length."""
    short = [TextSection(path=("a",)) for _ in range(2 * SECTIONS_MAX)]
    long = [TextSection(path=("a" * (HEADING_CHARACTERS_MAX // 3),)) for _ in range(5)]

    assert (SECTIONS_MAX, 3) == (len(list(listed(short))), len(list(listed(long))))
