"""What of a version's text is read: all, or the section under a heading."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from scops.change_detector.manifests.bodies import PackedVersion
from scops.change_detector.strategies.port import ChangeStrategy
from scops.change_detector.strategies.vectors import MADE
from scops.common.contract import wire
from scops.common.contract.messages.change import (
    ReadVersionRequest,
    ReadVersionResponse,
    TextSection,
)
from scops.common.contract.messages.content import Block, BlockKind
from scops.common.processes.tasks import Parts

# Sections that are listed, and code points of all their headings: a reply holds 512 KiB.
SECTIONS_MAX, HEADING_CHARACTERS_MAX = 500, 40_000
NO_SECTION = b"no section"


def fill_text(
    version: PackedVersion,
    request: ReadVersionRequest,
    answer: ReadVersionResponse,
    characters_max: int,
    _: ChangeStrategy,
) -> Parts:
    """Returns an encoded answer with the text, or `NO_SECTION`, and the sections there are.

    Args:
        answer: what it says beside the text.
        characters_max: of the text.
    """
    body = version.body.opened()
    text, document = body.text, body.document
    sections = tuple(sections_of(text, document.blocks))
    wanted = TextSection(start=0, end=len(text))
    if request.section:
        found = section_named(sections, request.section)
        if found is None:
            shown = replace(answer, sections=tuple(listed(sections)))
            return (MADE, NO_SECTION, wire.encode(shown))
        wanted = found
    start = min(max(request.start, wanted.start), wanted.end)
    end = min(start + characters_max, wanted.end)
    filled = replace(
        answer,
        title=document.title,
        language=document.language,
        text=text[start:end],
        start=start,
        end=end,
        wanted_end=wanted.end,
        sections=tuple(listed(sections)),
    )
    return (MADE, b"", wire.encode(filled))


def sections_of(text: str, blocks: Sequence[Block]) -> Iterator[TextSection]:
    """Yields the runs of blocks under one path; each reaches to where the next one begins.

    A heading begins the section that it is the heading of.
    """
    runs = [(path, next(run).start) for path, run in groupby(blocks, key=lambda b: _path(text, b))]
    ends = [*(start for _, start in runs[1:]), len(text)]
    for (path, start), end in zip(runs, ends, strict=True):
        yield TextSection(path=path, start=start, end=end)


def _path(text: str, block: Block) -> tuple[str, ...]:
    if block.kind is not BlockKind.HEADING:
        return block.section_path
    return (*block.section_path, " ".join(text[block.start : block.end].split()))


def section_named(sections: Sequence[TextSection], wanted: Sequence[str]) -> TextSection | None:
    """Returns the first section whose path ends with some headings, with what lies below it."""
    names = tuple(_folded(name) for name in wanted)
    for number, section in enumerate(sections):
        path = tuple(_folded(name) for name in section.path)
        depth = _depth(path, names)
        if depth:
            end = section.end
            for later in sections[number + 1 :]:
                if tuple(_folded(name) for name in later.path[:depth]) != path[:depth]:
                    break
                end = later.end
            return replace(section, path=section.path[:depth], end=end)
    return None


def listed(sections: Sequence[TextSection]) -> Iterator[TextSection]:
    """Yields the first sections, as many as a reply has room for."""
    room = HEADING_CHARACTERS_MAX
    for section in sections[:SECTIONS_MAX]:
        room -= sum(map(len, section.path))
        if room < 0:
            return
        yield section


def _depth(path: Sequence[str], names: Sequence[str]) -> int:
    """Returns how many headings of a path lead to the wanted ones; 0 where they are not in it."""
    ends = range(len(names), len(path) + 1)
    return next((end for end in ends if tuple(path[end - len(names) : end]) == names), 0)


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
