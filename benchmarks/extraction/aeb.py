"""article-extraction-benchmark: reads the archive and scores outputs.

Source: scrapinghub/article-extraction-benchmark, evaluate.py: tokens are runs of word characters,
texts are compared as multisets of 4-grams, counts are normalised a page, precision and recall are
means over the pages for which they are defined.
"""

import gzip
import json
import re
import statistics
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.extraction.sets import Page, members

SHINGLE_TOKENS = 4
_TOKEN = re.compile(r"\w+", re.UNICODE | re.MULTILINE | re.IGNORECASE | re.DOTALL)


def read(data: Path) -> list[Page]:
    """Returns the pages, or none where the archive is not there."""
    archives = sorted(data.glob("article-extraction-benchmark/*.tar.xz")) or sorted(
        data.glob("*aeb*.tar.xz")
    )
    if not archives:
        return []
    bodies: dict[str, bytes] = {}
    truth: dict[str, Any] = {}
    for path, content in members(archives[0]):
        name = Path(path).name
        if name.endswith(".html.gz"):
            bodies[name.removesuffix(".html.gz")] = gzip.decompress(content)
        elif name == "ground-truth.json":
            truth = json.loads(content)
    return [
        Page(
            url=entry.get("url") or "", body=bodies[key], required=(entry.get("articleBody") or "",)
        )
        for key, entry in truth.items()
        if key in bodies
    ]


def score(pages: Sequence[Page], texts: Sequence[str]) -> tuple[float, float]:
    """Returns precision and recall as means over pages."""
    precisions, recalls = [], []
    for page, text in zip(pages, texts, strict=True):
        true, false, missed = _counts(page.required[0], text)
        if true + false > 0:
            precisions.append(true / (true + false))
        if true + missed > 0:
            recalls.append(true / (true + missed))
    return (
        statistics.fmean(precisions) if precisions else 0.0,
        statistics.fmean(recalls) if recalls else 0.0,
    )


def _counts(truth: str, output: str) -> tuple[float, float, float]:
    """Returns shares of true positives, false positives and false negatives of one page."""
    expected, found = _shingles(truth), _shingles(output)
    true = false = missed = 0.0
    for key in set(expected) | set(found):
        true += min(expected[key], found[key])
        false += max(found[key] - expected[key], 0)
        missed += max(expected[key] - found[key], 0)
    total = true + false + missed
    return (true / total, false / total, missed / total) if total else (0.0, 0.0, 0.0)


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    tokens = _TOKEN.findall(text or "")
    count = max(1, len(tokens) - SHINGLE_TOKENS + 1)
    shingles = (tuple(tokens[at : at + SHINGLE_TOKENS]) for at in range(count))
    return Counter(shingle for shingle in shingles if shingle)
