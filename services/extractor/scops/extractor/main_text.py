"""Main text: which blocks of a page are what the page is about.

Two extractors from libraries say which words belong to the main text: trafilatura, and resiliparse
for its recall. The blocks come from our own walk, which keeps their order, headings, rows and code
exactly as the page has them. What of each block the two kept, its neighbours and its wording are
weighed by a linear model (`block_weights`). A page that is too large for this keeps every block
outside navigation.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import trafilatura
from lxml.html import HtmlElement
from resiliparse.extract.html2text import extract_plain_text
from trafilatura.settings import Document, Extractor

from scops.common.messages.content import BlockKind
from scops.extractor.block_features import (
    LOW_COVERAGE,
    Shares,
    block_features,
    coverage,
    is_running,
)
from scops.extractor.block_weights import HEADING_THRESHOLD, THRESHOLD, score
from scops.extractor.clean_text import RawBlock
from scops.extractor.html_tree import HtmlTree
from scops.extractor.library_faults import LIBRARY_FAULTS

SHINGLE_WORDS = 4
# Lists, tables and code read as one piece: the rest follows the larger half.
_GROUPED = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.CODE})
_LEVEL_OF_TEXT = 7
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class MainText:
    """The blocks of the main text in document order.

    Attributes:
        fallback: trafilatura found little of it or was not asked.
    """

    blocks: tuple[RawBlock, ...]
    fallback: bool


def main_text(tree: HtmlTree, blocks: Sequence[RawBlock], *, url: str) -> MainText:
    """Returns the blocks of the main text; of a heavy page, all that are no navigation."""
    if tree.heavy:
        chosen, scores, fallback = [is_running(block) for block in blocks], None, True
    else:
        first = _shares(blocks, _trafilatura_text(tree.root, url))
        second = _shares(blocks, _resiliparse_text(tree))
        features = block_features(blocks, Shares(first=first, second=second))
        scores = [score(entry) for entry in features]
        chosen = [entry >= THRESHOLD for entry in scores]
        fallback = coverage(blocks, first) < LOW_COVERAGE
    _complete_groups(blocks, chosen)
    _choose_headings(blocks, chosen, scores)
    kept = tuple(block for block, keep in zip(blocks, chosen, strict=True) if keep)
    return MainText(kept, fallback)


def _trafilatura_text(root: HtmlElement, url: str) -> str:
    # Fast: the comparison with readability and justext costs a third more and adds nothing to
    # what the model makes of it. Recall would stop at the first candidate.
    options = Extractor(output_format="python", fast=True, comments=False, tables=True, url=url)
    try:
        document = trafilatura.bare_extraction(root, options=options)
    except LIBRARY_FAULTS:
        return ""
    # The output format `python` gives a Document, or None for less than a sentence.
    return (document.text or "") if isinstance(document, Document) else ""


def _resiliparse_text(tree: HtmlTree) -> str:
    if tree.depth_exceeded:
        return ""
    try:
        return str(
            extract_plain_text(
                tree.source, main_content=True, alt_texts=False, list_bullets=False, comments=False
            )
        )
    except LIBRARY_FAULTS:
        return ""


def _shares(blocks: Sequence[RawBlock], text: str) -> list[float]:
    """Returns how much of each block's words stand in a text, in their order."""
    lines = frozenset(tuple(_words(line)) for line in text.splitlines())
    shingles = frozenset(_shingles(_words(text)))
    return [_share(_words(block.text), lines, shingles) for block in blocks]


def _share(
    words: Sequence[str],
    lines: frozenset[tuple[str, ...]],
    shingles: frozenset[tuple[str, ...]],
) -> float:
    if len(words) < SHINGLE_WORDS:
        return float(tuple(words) in lines)
    own = _shingles(words)
    return sum(shingle in shingles for shingle in own) / len(own)


def _complete_groups(blocks: Sequence[RawBlock], chosen: list[bool]) -> None:
    """Keeps the rest of a list, table or code most of which was kept."""
    totals: dict[int, list[int]] = {}
    for block, keep in zip(blocks, chosen, strict=True):
        total = totals.setdefault(block.container, [0, 0])
        total[0] += len(block.text) if keep else 0
        total[1] += len(block.text)
    for index, block in enumerate(blocks):
        kept, all_of_it = totals[block.container]
        if 2 * kept >= all_of_it and block.kind in _GROUPED and is_running(block):
            chosen[index] = True


def _choose_headings(
    blocks: Sequence[RawBlock], chosen: list[bool], scores: Sequence[float] | None
) -> None:
    """Keeps a heading only when something of its section is kept."""
    level_below: int | None = None
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if block.kind is not BlockKind.HEADING:
            if chosen[index]:
                level_below = _LEVEL_OF_TEXT
            continue
        keep = level_below is not None and block.level < level_below and not block.boilerplate
        if scores is not None:
            keep = keep and scores[index] >= HEADING_THRESHOLD
        chosen[index] = keep
        level_below = block.level if keep else None


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _shingles(words: Sequence[str]) -> list[tuple[str, ...]]:
    last = max(len(words) - SHINGLE_WORDS + 1, 1)
    return [tuple(words[at : at + SHINGLE_WORDS]) for at in range(last)]
