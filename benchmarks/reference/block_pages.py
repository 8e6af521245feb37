"""Reads pages that say which of their blocks are main text, for the model to be fitted on."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.extraction import aeb, evaldata
from benchmarks.extraction.rows import NO_URL
from benchmarks.extraction.sets import Page
from benchmarks.reference.block_model import FitPage, Floats, measured
from benchmarks.shared.json_lines import json_lines
from benchmarks.shared.splits import site_of
from scops.extractor.html.main_text import written_blocks
from scops.extractor.text.clean_text import RawBlock

OTHERS_PAGES_MAX = 150
ROWS_A_FILE = 3
RECORDED_SHARE_MIN = 0.8
_LINK_TARGET = re.compile(r"\]\((?:[^()\s]|\([^)]*\))*(?:\s+\"[^\"]*\")?\)")
# A shorter block may be part of a longer string by chance.
PART_CHARACTERS_MIN = 20


def pages_of_strings(folder: Path) -> list[FitPage]:
    """Returns the pages of a set that names strings which must, and must not, be main text."""
    found = (
        _judged(page, lambda block, page=page: _label(evaldata.normalised(block.text), page))
        for page in evaldata.read(folder)
    )
    return [page for page in found if page is not None]


def pages_of_texts(folder: Path) -> list[FitPage]:
    """Returns the pages of a set that holds the one true text of each."""
    found = (_judged(page, Recorded.of(page.required[0]).label) for page in aeb.read(folder))
    return [page for page in found if page is not None]


def _judged(page: Page, label: Callable[[RawBlock], float]) -> FitPage | None:
    found = measured(page.body, page.url or NO_URL)
    if found is None:
        return None
    blocks, features = found
    return FitPage(
        site=site_of(page.url),
        blocks=blocks,
        features=features,
        labels=np.array([label(block) for block in written_blocks(blocks)]),
        judged=page,
    )


def _label(text: str, page: Page) -> float:
    """Returns 1, 0 or NaN by the strings that the block holds, or is a part of."""
    marks = {
        kind
        for kind, strings in ((1.0, page.required), (0.0, page.forbidden))
        for string in strings
        if string in text or (len(text) >= PART_CHARACTERS_MIN and text in string)
    }
    return marks.pop() if len(marks) == 1 else float("nan")


def pages_of_terms(folder: Path | None) -> Iterator[FitPage]:
    for file in sorted(folder.glob("*.jsonl.xz")) if folder is not None else []:
        for row in islice(json_lines(file), ROWS_A_FILE):
            recorded = Recorded.of(row["text0"])
            found = measured(row["html0"].encode(), NO_URL)
            if found is not None:
                yield _known(found, file.stem, recorded.label)


def pages_of_manual(folder: Path | None) -> Iterator[FitPage]:
    pages = sorted(folder.glob("*.html")) if folder is not None else []
    for file in pages[:: max(len(pages) // OTHERS_PAGES_MAX, 1)]:
        found = measured(file.read_bytes(), NO_URL)
        if found is not None:
            yield _known(found, file.stem, lambda block: float(not block.boilerplate))


class Recorded(NamedTuple):
    """The words of a recorded text, and its runs of four of them."""

    text: str
    shingles: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, markdown: str) -> "Recorded":
        """Reads a text in Markdown; targets of links are no words of it."""
        words = _words(_LINK_TARGET.sub("]", markdown.replace("\\", "")))
        return cls(f" {' '.join(words)} ", frozenset(_shingles(words)))

    def label(self, block: RawBlock) -> float:
        """Returns 1, 0 or NaN: a few words may stand in a text by chance."""
        words = _words(block.text)
        shingles = _shingles(words)
        if not shingles:
            return float("nan") if f" {' '.join(words)} " in self.text else 0.0
        share = sum(map(self.shingles.__contains__, shingles)) / len(shingles)
        if share >= RECORDED_SHARE_MIN:
            return 1.0
        return 0.0 if share <= 1 - RECORDED_SHARE_MIN else float("nan")


def _known(
    found: tuple[tuple[RawBlock, ...], Floats], site: str, label: Callable[[RawBlock], float]
) -> FitPage:
    blocks, features = found
    labels = np.array([label(block) for block in written_blocks(blocks)])
    return FitPage(site=site, blocks=blocks, features=features, labels=labels)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _shingles(words: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(words, words[1:], words[2:], words[3:], strict=False))
