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
from benchmarks.extraction.sets import Counts, Page, members
from benchmarks.shared.figures import f1_of
from benchmarks.shared.splits import DEVELOPMENT, HELD_OUT, half_of_site

FOLDER = "trafilatura-eval"
FOLDERS = ("cache", "eval")


def read(folder: Path) -> list[Page]:
    """Returns the pages of a folder that holds the archive, or none where there is none."""
    pattern = "*.tar.xz" if folder.name == FOLDER else "*trafilatura*.tar.xz"
    archives = sorted(folder.glob(pattern))
    if not archives:
        return []
    files: dict[str, bytes] = {}
    entries: dict[str, Any] = {}
    for path, content in members(archives[0]):
        inside, name = Path(path).parent.name, Path(path).name
        if name == "evaldata.json":
            entries = json.loads(content)
        elif inside in FOLDERS:
            files[f"{inside}/{name}"] = content
    pages = []
    for url, entry in entries.items():
        bodies = [files.get(f"{inside}/{entry['file']}") for inside in FOLDERS]
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


def counts(page: Page, text: str) -> Counts:
    """Returns how many strings of a page are found, wrongly found, and missed."""
    output = normalised(text)
    found = sum(part in output for part in page.required)
    wrong = sum(part in output for part in page.forbidden)
    return Counts(found, wrong, len(page.required) - found)


def scored(pages: Sequence[Counts]) -> tuple[float, float]:
    """Returns precision and recall over all strings of all pages."""
    true = sum(one.true for one in pages)
    false = sum(one.false for one in pages)
    missed = sum(one.missed for one in pages)
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
            precision, recall = scored([counts(pages[at], outputs[at][name].text) for at in places])
            rows[name][f"f1_{part}"] = round(f1_of(precision, recall), 4)
