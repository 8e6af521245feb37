"""trafilatura-eval: reads the archive and scores outputs, of both halves apart.

Source: adbar/trafilatura, tests/eval_common.py (`norm`, `count_item`) at the commit that
SOURCE.txt of the data names.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.extraction.rows import EXTRACTORS, Output
from benchmarks.extraction.sets import Page, members
from benchmarks.shared.figures import f1_of
from benchmarks.shared.splits import DEVELOPMENT, HELD_OUT, half_of_site

FOLDERS = ("cache", "eval")


def read(data: Path) -> list[Page]:
    """Returns the pages, or none where the archive is not there."""
    archives = sorted(data.glob("trafilatura-eval/*.tar.xz")) or sorted(
        data.glob("*trafilatura*.tar.xz")
    )
    if not archives:
        return []
    files: dict[str, bytes] = {}
    entries: dict[str, Any] = {}
    for path, content in members(archives[0]):
        folder, name = Path(path).parent.name, Path(path).name
        if name == "evaldata.json":
            entries = json.loads(content)
        elif folder in FOLDERS:
            files[f"{folder}/{name}"] = content
    pages = []
    for url, entry in entries.items():
        bodies = [files.get(f"{folder}/{entry['file']}") for folder in FOLDERS]
        body = next((body for body in bodies if body is not None), None)
        if body is not None:
            pages.append(_page(url, entry, body))
    return pages


def _page(url: str, entry: dict[str, Any], body: bytes) -> Page:
    return Page(
        url=url,
        body=body,
        required=tuple(map(normalised, entry["with"])),
        forbidden=tuple(map(normalised, entry["without"])),
        published=entry.get("date") or "",
    )


def score(pages: Sequence[Page], texts: Sequence[str]) -> tuple[float, float]:
    """Returns precision and recall over all strings of all pages."""
    true = false = missed = 0
    for page, text in zip(pages, texts, strict=True):
        output = normalised(text)
        found = sum(part in output for part in page.required)
        true += found
        missed += len(page.required) - found
        false += sum(part in output for part in page.forbidden)
    precision = true / (true + false) if true + false else 0.0
    return precision, true / (true + missed) if true + missed else 0.0


def normalised(text: str) -> str:
    """Returns a text with white space as single spaces."""
    return re.sub(r"\s+", " ", text).strip()


def add_halves(
    rows: dict[str, Any], pages: Sequence[Page], outputs: Sequence[dict[str, Output]]
) -> None:
    """Adds F1 on both halves to the row of each extractor."""
    for name in EXTRACTORS:
        for part in (DEVELOPMENT, HELD_OUT):
            places = [at for at, page in enumerate(pages) if half_of_site(page.url) == part]
            precision, recall = score(
                [pages[at] for at in places], [outputs[at][name].text for at in places]
            )
            rows[name][f"f1_{part}"] = round(f1_of(precision, recall), 4)
