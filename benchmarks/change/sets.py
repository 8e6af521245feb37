"""The sets of `benchmarks.change`: pairs of versions, and what somebody else says of them.

Imports nothing of the services but the extractor, for the sets that are HTML.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.change.generated import generated_edits
from benchmarks.shared.command import progress
from benchmarks.shared.json_lines import json_lines
from scops.common.contract.messages.content import Block, BlockKind, PageKind
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.types import BodyRef
from scops.extractor.extraction import extract
from scops.extractor.html.metadata import text_language

WORDS_CHANGED_MIN = 5
OBSERVED = datetime(2026, 1, 1, tzinfo=UTC)
NO_URL = "https://example.org/page"
# Sites that do not want to be indexed are in the set all the same: what is asked here is whether
# a change is seen.
_ROBOTS = re.compile(r"<meta[^>]*name\s*=\s*[\"']?(?:robots|googlebot)[^>]*>", re.IGNORECASE)
_BLOCK = re.compile(r"(?:[^\n]|\n(?![ \t]*(?:\n|[-*+•] |\d{1,3}[.)] |#{1,6} |\|)))+")


@dataclass(frozen=True, slots=True)
class Side:
    """One version as the strategies get it.

    Attributes:
        readable: False for a wall or an empty page.
        language: as the extractor says; nothing where it says none.
    """

    text: str
    blocks: tuple[Block, ...]
    readable: bool = True
    language: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two versions, and what is said of them.

    Attributes:
        page: what belongs together when intervals are drawn.
        positive: whether the change counts; None where nothing is said.
        kind: a finer name.
        row: how to find it again.
    """

    page: str
    old: Side
    new: Side
    positive: bool | None
    kind: str = ""
    row: str = ""


def text_side(text: str) -> Side:
    """Returns a plain text with its blocks, and the language that the extractor sees in it."""
    spans = [found.span() for found in _BLOCK.finditer(text) if found.group().strip()]
    blocks = tuple(Block(kind=_kind(text[a:b]), start=a, end=b) for a, b in spans)
    return Side(text, blocks, language=text_language(text))


def _kind(block: str) -> BlockKind:
    line = block.lstrip()
    if re.match(r"#{1,6} ", line):
        return BlockKind.HEADING
    if line.startswith("|"):
        return BlockKind.TABLE_ROW
    if re.match(r"[-*+•] |\d{1,3}[.)] ", line):
        return BlockKind.LIST_ITEM
    return BlockKind.PARAGRAPH


def edits(folder: Path) -> list[Pair]:
    """Single edits of plain texts."""
    return [
        _text_pair(
            row["old"], row["new"], _digest(row["old"]), positive=row["critical"], kind=row["kind"]
        )
        for row in _rows(folder / "edits")
    ]


def generated(sources: Path) -> dict[str, list[Pair]]:
    """Returns generated edits by language."""
    return {
        language: [
            _text_pair(edit.old, edit.new, edit.page, kind=edit.kind, positive=edit.critical)
            for edit in edits_of_language
        ]
        for language, edits_of_language in generated_edits(sources).items()
    }


def argrewrite(folder: Path) -> list[Pair]:
    """Revisions of sentences; positive is a change of content."""
    surface = ("Word-Usage/Clarity", "Conventions/Grammar/Spelling", "Organization")
    return [
        _text_pair(
            row["old"] or "",
            row["new"] or "",
            row["file"],
            positive=not all(part in surface for part in row["purpose"].split(",")),
            kind=row["purpose"],
        )
        for row in _rows(folder / "argrewrite")
    ]


def ota_text(folder: Path) -> list[Pair]:
    """Texts before and after; positive is a change of the page, not of what read it."""
    return [
        _text_pair(
            row["text0"],
            row["text1"],
            f"{row['collection']}/{row['page']}",
            positive=row["label"] == "page_changed",
            kind=row["label"],
        )
        for row in _rows(folder / "ota-text")
    ]


def docs_md(folder: Path) -> list[Pair]:
    """Documentation pages before and after a commit."""
    return [
        _text_pair(row["text0"], row["text1"], f"{row['site']}/{row['page']}", kind=row["delta"])
        for row in _rows(folder / "docs-md")
    ]


def _text_pair(old: str, new: str, page: str, *, kind: str, positive: bool | None = None) -> Pair:
    return Pair(page=page, old=text_side(old), new=text_side(new), positive=positive, kind=kind)


def ota_html(folder: Path) -> tuple[list[Pair], list[Pair]]:
    """Pages from HTML: pairs, and those of pages that flap, apart."""
    files = sorted((folder / "ota-html").glob("*.jsonl.xz"))
    pairs: list[Pair] = []
    flaps: list[Pair] = []
    with ProcessPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        for path, read in zip(files, pool.map(_html_file, files), strict=True):
            for flaps_here, pair in read:
                (flaps if flaps_here else pairs).append(pair)
            progress(f"ota_html: {path.name}: {len(read)} pairs")
    return pairs, flaps


def _html_file(path: Path) -> list[tuple[bool, Pair]]:
    sides: dict[str, Side] = {}
    read = []
    for row in json_lines(path):
        positive = html_label(row)
        if positive is None and not row["flap"]:
            continue
        pair = Pair(
            page=path.name,
            old=html_side(row["html0"], row["url"], sides),
            new=html_side(row["html1"], row["url"], sides),
            positive=positive,
            kind=row["delta"],
            row=f"{row['page']} {row['t0']} {row['t1']}",
        )
        read.append((bool(row["flap"]), pair))
    return read


def html_label(row: dict[str, Any]) -> bool | None:
    """The rule of the folder's README; None for rows that are neither."""
    changed = row["label"] == "changed"
    many = row["words_added"] + row["words_removed"] >= WORDS_CHANGED_MIN
    if changed and (row["delta"] == "number_or_date_only" or (row["delta"] == "text" and many)):
        return True
    if not changed or row["delta"] in {"format_only", "reorder_only"}:
        return False
    return None


def html_side(
    html: str, url: str | None, sides: dict[str, Side], *, honour_robots: bool = False
) -> Side:
    """Extracts a page, or takes it from `sides`, which is filled.

    Args:
        honour_robots: pages that ask not to be indexed are not readable.
    """
    digest = _digest(html)
    if digest not in sides:
        fetched = PageFetched(
            canonical_url=url or NO_URL,
            observed_time=OBSERVED,
            body=BodyRef(media_type="text/html", charset="utf-8"),
        )
        found = extract((html if honour_robots else _ROBOTS.sub("", html)).encode(), fetched)
        sides[digest] = Side(
            found.text,
            tuple(found.document.blocks),
            found.kind is PageKind.ARTICLE,
            found.document.language,
        )
    return sides[digest]


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.jsonl.gz")):
        yield from json_lines(path)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
