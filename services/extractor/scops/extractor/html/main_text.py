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
from typing import NamedTuple

import trafilatura
from lxml import etree
from lxml.html import HtmlElement
from resiliparse.extract.html2text import extract_plain_text
from trafilatura.settings import Document, Extractor

from scops.common.contract.messages.content import BlockKind
from scops.extractor.html.block_features import (
    LOW_COVERAGE,
    BlockFeatures,
    Shares,
    block_features,
    coverage,
    is_running,
)
from scops.extractor.html.block_weights import HEADING_THRESHOLD, THRESHOLD, score
from scops.extractor.html.images import keep_images
from scops.extractor.html.names import PLAIN_TAGS
from scops.extractor.html.tree import HtmlTree
from scops.extractor.html.word_shares import WordShares
from scops.extractor.library_faults import LIBRARY_FAULTS
from scops.extractor.text.clean_text import RawBlock

TRAFILATURA, RESILIPARSE, WALK = "trafilatura", "resiliparse", "walk"
# Lists, tables and code read as one piece: the rest follows the larger half.
_GROUPED = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.CODE})
_LEVEL_OF_TEXT = 7
# So many names in a row, right above the main heading, are a menu, whatever it is made of.
MENU_NAMES_MIN = 4
NAME_CHARACTERS_MAX = 40
_NAMED = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
# What sentences, dates and bylines have, and names of pages do not.
_NO_NAME = re.compile(r"[\d.!?:;,]")


@dataclass(frozen=True, slots=True)
class MainText:
    """The blocks of the main text in document order.

    Attributes:
        extractor: whose word counted.
    """

    blocks: tuple[RawBlock, ...]
    extractor: str

    @property
    def fallback(self) -> bool:
        """Whether trafilatura found little of it or was not asked."""
        return self.extractor != TRAFILATURA


class MeasuredBlocks(NamedTuple):
    """What the model is asked about each block, and whose word counts on the page."""

    features: list[BlockFeatures]
    extractor: str


def main_text(tree: HtmlTree, blocks: Sequence[RawBlock], *, url: str) -> MainText:
    """Returns the blocks of the main text; of a heavy page, all that are no navigation.

    Args:
        tree: without what is not seen and what is no text of the page; it loses its plain
            elements, such as `span`.
        blocks: of the tree before the latter was taken out.
    """
    if tree.heavy:
        return MainText(kept_blocks(blocks, None), WALK)
    features, extractor = measured_blocks(tree, written_blocks(blocks), url=url)
    return MainText(kept_blocks(blocks, [score(entry) for entry in features]), extractor)


def written_blocks(blocks: Sequence[RawBlock]) -> list[RawBlock]:
    """Returns the blocks that a reader sees as text."""
    return [block for block in blocks if block.kind is not BlockKind.IMAGE]


def measured_blocks(tree: HtmlTree, blocks: Sequence[RawBlock], *, url: str) -> MeasuredBlocks:
    """Asks both extractors and returns the features of the written blocks of a page.

    Args:
        blocks: the written blocks of the tree, in document order.
        url: of the page; trafilatura resolves links against it.
    """
    shares = WordShares([block.text for block in blocks])
    first = shares.of(_trafilatura_text(tree.root, url))
    second = shares.of(_resiliparse_text(tree))
    features = list(block_features(blocks, Shares(first=first, second=second)))
    return MeasuredBlocks(
        features, RESILIPARSE if coverage(blocks, first) < LOW_COVERAGE else TRAFILATURA
    )


def kept_blocks(
    blocks: Sequence[RawBlock],
    scores: Sequence[float] | None,
    *,
    threshold: float = THRESHOLD,
    heading_threshold: float = HEADING_THRESHOLD,
) -> tuple[RawBlock, ...]:
    """Returns the blocks of the main text.

    Args:
        scores: log odds of each written block; None keeps all that are no navigation.
        threshold: from which a block is kept.
        heading_threshold: from which a heading above a kept block is.
    """
    written = written_blocks(blocks)
    if scores is None:
        text_chosen = [is_running(block) for block in written]
    else:
        text_chosen = [entry >= threshold for entry in scores]
    _complete_groups(written, text_chosen)
    good = None if scores is None else [entry >= heading_threshold for entry in scores]
    _choose_headings(written, text_chosen, good)
    _leave_out_menus(written, text_chosen)
    marks = iter(text_chosen)
    chosen = [block.kind is not BlockKind.IMAGE and next(marks) for block in blocks]
    keep_images(blocks, chosen)
    return tuple(block for block, keep in zip(blocks, chosen, strict=True) if keep)


def _trafilatura_text(root: HtmlElement, url: str) -> str:
    # Fast: the comparison with readability and justext costs a third more and adds nothing to
    # what the model makes of it. Recall would stop at the first candidate.
    options = Extractor(output_format="python", fast=True, comments=False, tables=True, url=url)
    # Neither `recall` nor `precision`, and not the `balanced` that measures the page again and
    # extracts a second time where it found little: that is what resiliparse is asked for.
    options.focus = "first"
    # It weighs each element several times, and takes most of these out itself in the end.
    etree.strip_tags(root, *PLAIN_TAGS)
    try:
        document = trafilatura.bare_extraction(root, options=options)
    except LIBRARY_FAULTS:
        return ""
    # The output format `python` gives a Document, or None for less than a sentence.
    return (document.text or "") if isinstance(document, Document) else ""


def _resiliparse_text(tree: HtmlTree) -> str:
    # Its parser has no bound on nesting.
    if tree.depth_exceeded:
        return ""
    try:
        return extract_plain_text(
            tree.source, main_content=True, alt_texts=False, list_bullets=False, comments=False
        )
    except LIBRARY_FAULTS:
        return ""


def _leave_out_menus(blocks: Sequence[RawBlock], chosen: list[bool]) -> None:
    """Leaves out names in a row right above a heading of the first level."""
    names: list[int] = []
    for index, block in enumerate(blocks):
        if not chosen[index]:
            continue
        if _is_name(block):
            names.append(index)
            continue
        if block.kind is BlockKind.HEADING and block.level == 1 and len(names) >= MENU_NAMES_MIN:
            for place in names:
                chosen[place] = False
        names.clear()


def _is_name(block: RawBlock) -> bool:
    return (
        block.kind in _NAMED
        and len(block.text) <= NAME_CHARACTERS_MAX
        and _NO_NAME.search(block.text) is None
    )


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
    blocks: Sequence[RawBlock], chosen: list[bool], good: Sequence[bool] | None
) -> None:
    """Keeps a heading only when it is good enough and something of its section is kept."""
    level_below: int | None = None
    for index in range(len(blocks) - 1, -1, -1):
        block = blocks[index]
        if block.kind is not BlockKind.HEADING:
            if chosen[index]:
                level_below = _LEVEL_OF_TEXT
            continue
        keep = level_below is not None and block.level < level_below and not block.boilerplate
        chosen[index] = keep and (good is None or good[index])
        level_below = block.level if chosen[index] else None
