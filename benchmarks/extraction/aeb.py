"""article-extraction-benchmark: reads pages in its layout, packed or not, and scores outputs.

Source: scrapinghub/article-extraction-benchmark, evaluate.py: tokens are runs of word characters,
texts are compared as multisets of 4-grams, counts are normalised a page, precision and recall are
means over the pages for which they are defined.
"""

import gzip
import json
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.extraction.sets import Counts, Page, members

SHINGLE_TOKENS = 4
FOLDER = "article-extraction-benchmark"
GROUND_TRUTH = "ground-truth.json"
_TOKEN = re.compile(r"\w+", re.UNICODE | re.MULTILINE | re.IGNORECASE | re.DOTALL)


def read(folder: Path) -> list[Page]:
    """Returns the pages of a folder in this layout, or none where it is another's."""
    bodies: dict[str, bytes] = {}
    truth: dict[str, Any] = {}
    for path, content in _files(folder):
        name = Path(path).name
        if name.endswith(".html.gz"):
            bodies[name.removesuffix(".html.gz")] = gzip.decompress(content)
        elif name == GROUND_TRUTH:
            truth = json.loads(content)
    return [
        Page(
            url=entry.get("url") or "", body=bodies[key], required=(entry.get("articleBody") or "",)
        )
        for key, entry in truth.items()
        if key in bodies
    ]


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    if (folder / GROUND_TRUTH).is_file():
        for path in (folder / GROUND_TRUTH, *sorted(folder.glob("html/*.html.gz"))):
            yield path.name, path.read_bytes()
        return
    pattern = "*.tar.xz" if folder.name == FOLDER else "*aeb*.tar.xz"
    for archive in sorted(folder.glob(pattern))[:1]:
        yield from members(archive)


def counts(page: Page, text: str) -> Counts:
    """Returns shares of true positives, false positives and false negatives of one page."""
    expected, found = _shingles(page.required[0]), _shingles(text)
    true = false = missed = 0.0
    for key in set(expected) | set(found):
        true += min(expected[key], found[key])
        false += max(found[key] - expected[key], 0)
        missed += max(expected[key] - found[key], 0)
    total = true + false + missed
    return Counts(true / total, false / total, missed / total) if total else Counts(0.0, 0.0, 0.0)


def scored(pages: Sequence[Counts]) -> tuple[float, float]:
    """Returns precision and recall as means over the pages for which they are defined."""
    precisions = [one.true / (one.true + one.false) for one in pages if one.true + one.false > 0]
    recalls = [one.true / (one.true + one.missed) for one in pages if one.true + one.missed > 0]
    return (
        statistics.fmean(precisions) if precisions else 0.0,
        statistics.fmean(recalls) if recalls else 0.0,
    )


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    tokens = _TOKEN.findall(text or "")
    count = max(1, len(tokens) - SHINGLE_TOKENS + 1)
    shingles = (tuple(tokens[at : at + SHINGLE_TOKENS]) for at in range(count))
    return Counter(shingle for shingle in shingles if shingle)
