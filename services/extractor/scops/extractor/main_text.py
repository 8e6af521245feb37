"""Main text: which blocks of a page are what the page is about.

trafilatura says which words belong to the main text; the blocks come from our own walk, which
keeps their order, headings, rows and code exactly as the page has them. A block is kept when most
of its words stand in trafilatura's text. Where trafilatura leaves most of a page out, as it does
on reference pages of many short blocks, every block outside navigation is kept instead.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import trafilatura
from lxml.html import HtmlElement
from trafilatura.settings import Document, Extractor

from scops.common.messages.content import BlockKind
from scops.extractor.clean_text import RawBlock
from scops.extractor.html_tree import HtmlTree
from scops.extractor.library_faults import LIBRARY_FAULTS

SHINGLE_WORDS = 4
# Share of a block's shingles that must stand in trafilatura's text.
KEPT_SHARE = 0.6
# Below this share of the page's running text trafilatura has missed the main text.
FALLBACK_SHARE = 0.2
LINK_SHARE_MAX = 0.6
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class MainText:
    """The blocks of the main text in document order, and whether trafilatura chose them."""

    blocks: tuple[RawBlock, ...]
    fallback: bool


def main_text(tree: HtmlTree, blocks: Sequence[RawBlock], *, url: str) -> MainText:
    """Returns the blocks of the main text; trafilatura is not asked about a heavy page."""
    running = [_is_running(block) for block in blocks]
    chosen = [False] * len(blocks)
    text = "" if tree.heavy else _trafilatura_text(tree.root, url)
    if text:
        outline = _Outline.of(text)
        chosen = [outline.holds(block) for block in blocks]
        _complete_groups(blocks, chosen)
    if _characters(blocks, chosen) < FALLBACK_SHARE * _characters(blocks, running):
        chosen, fallback = running, True
    else:
        fallback = False
    _choose_headings(blocks, chosen)
    kept = tuple(block for block, keep in zip(blocks, chosen, strict=True) if keep)
    return MainText(kept, fallback)


@dataclass(frozen=True, slots=True)
class _Outline:
    """The words of trafilatura's text, as sets to look blocks up in."""

    lines: frozenset[tuple[str, ...]]
    shingles: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, text: str) -> "_Outline":
        lines = frozenset(tuple(_words(line)) for line in text.splitlines())
        return cls(lines, frozenset(_shingles(_words(text))))

    def holds(self, block: RawBlock) -> bool:
        if block.boilerplate:
            return False
        words = _words(block.text)
        if len(words) < SHINGLE_WORDS:
            return tuple(words) in self.lines
        shingles = _shingles(words)
        found = sum(shingle in self.shingles for shingle in shingles)
        return found >= KEPT_SHARE * len(shingles)


def _trafilatura_text(root: HtmlElement, url: str) -> str:
    options = Extractor(output_format="python", recall=True, comments=False, tables=True, url=url)
    try:
        document = trafilatura.bare_extraction(root, options=options)
    except LIBRARY_FAULTS:
        return ""
    # The output format `python` gives a Document, or None for less than a sentence.
    return (document.text or "") if isinstance(document, Document) else ""


def _complete_groups(blocks: Sequence[RawBlock], chosen: list[bool]) -> None:
    """Keeps the rest of a list, table or section most of which was kept."""
    totals: dict[int, list[int]] = {}
    for block, keep in zip(blocks, chosen, strict=True):
        total = totals.setdefault(block.container, [0, 0])
        total[0] += len(block.text) if keep else 0
        total[1] += len(block.text)
    for index, block in enumerate(blocks):
        kept, all_of_it = totals[block.container]
        if 2 * kept >= all_of_it and _is_running(block):
            chosen[index] = True


def _choose_headings(blocks: Sequence[RawBlock], chosen: list[bool]) -> None:
    """Keeps a heading exactly when something of its section is kept."""
    level_below: int | None = None
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if block.kind is not BlockKind.HEADING:
            if chosen[index]:
                level_below = 7
            continue
        keep = level_below is not None and block.level < level_below and not block.boilerplate
        chosen[index] = keep
        level_below = block.level if keep else None


def _is_running(block: RawBlock) -> bool:
    return not block.boilerplate and block.link_share <= LINK_SHARE_MAX


def _characters(blocks: Sequence[RawBlock], chosen: Sequence[bool]) -> int:
    return sum(len(block.text) for block, keep in zip(blocks, chosen, strict=True) if keep)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _shingles(words: Sequence[str]) -> list[tuple[str, ...]]:
    last = max(len(words) - SHINGLE_WORDS + 1, 1)
    return [tuple(words[at : at + SHINGLE_WORDS]) for at in range(last)]
