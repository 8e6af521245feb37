"""Histories of documentation pages, paragraph by paragraph (the shape of changes/docs-md).

A row holds a page before and after a commit. The texts of a page are its versions in order of
time; a paragraph stands from the first version that holds it to the last.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from benchmarks.shared.json_lines import json_lines

CHARACTERS_MAX = 1000
CHARACTERS_MIN = 80
# Of an edited paragraph enough stays to ask for it, and enough changes to matter.
KEPT_MIN, KEPT_MAX = 0.4, 0.95
QUESTION_WORDS = 10
WORD = re.compile(r"[A-Za-z][\w-]{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedParagraph:
    """A paragraph of a page while it stood.

    Attributes:
        since: when the first version that holds it was made.
        current: the page's last version holds it.
    """

    id: str
    page: str
    site: str
    title: str
    text: str
    since: datetime
    current: bool


@dataclass(frozen=True, slots=True)
class ChangeQuestion:
    """A question in words that an old and a new wording share; `gold` is the new one."""

    text: str
    gold: str


@dataclass(frozen=True, slots=True)
class Histories:
    """Every paragraph that ever stood, and questions about those that were edited last."""

    dated: list[DatedParagraph]
    questions: list[ChangeQuestion]
    now: datetime


def read(folder: Path, *, pages_max: int) -> Histories:
    """Returns the histories of the pages with most versions, up to a number per file."""
    dated: list[DatedParagraph] = []
    questions: list[ChangeQuestion] = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        rows: dict[str, list[dict[str, Any]]] = {}
        for row in json_lines(path):
            rows.setdefault(row["page"], []).append(row)
        chosen = sorted(rows, key=lambda page: (-len(rows[page]), page))[:pages_max]
        for page in chosen:
            of_page = list(_dated(page, sorted(rows[page], key=lambda row: _instant(row["t1"]))))
            dated += of_page
            questions += _questions(of_page)
    return Histories(dated, questions, max(entry.since for entry in dated))


def paragraphs(text: str) -> list[str]:
    """Returns a text's paragraphs, the short ones put together, none twice."""
    found: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        flat = " ".join(block.split())
        if found and len(found[-1]) < CHARACTERS_MIN:
            found[-1] = f"{found[-1]} {flat}"
        elif flat:
            found.append(flat[:CHARACTERS_MAX])
    return list(dict.fromkeys(found))


def _dated(page: str, rows: Sequence[dict[str, Any]]) -> Iterator[DatedParagraph]:
    first = _instant(rows[0]["t0"] or rows[0]["t1"])
    versions = [(first, rows[0]["text0"])] + [(_instant(r["t1"]), r["text1"]) for r in rows]
    since: dict[str, datetime] = {}
    for at, text in versions:
        for paragraph in paragraphs(text):
            since.setdefault(paragraph, at)
    current = set(paragraphs(versions[-1][1]))
    title = re.sub(r"[-_/]+", " ", page.rsplit(".", 1)[0]).strip()
    for number, (paragraph, at) in enumerate(since.items()):
        yield DatedParagraph(
            id=f"{page}#{number}",
            page=page,
            site=rows[0]["site"],
            title=title,
            text=paragraph,
            since=at,
            current=paragraph in current,
        )


def _questions(dated: Sequence[DatedParagraph]) -> Iterator[ChangeQuestion]:
    """Yields a question for each new paragraph that is an edit of an old one."""
    old = [entry for entry in dated if not entry.current]
    started = min(entry.since for entry in dated)
    frequency = Counter(word for entry in dated for word in set(_words(entry.text)))
    for entry in dated:
        if not entry.current or entry.since == started:
            continue
        likeness = [_likeness(entry.text, other.text) for other in old]
        best = max(likeness, default=0.0)
        if not KEPT_MIN <= best <= KEPT_MAX:
            continue
        before = set(_words(old[likeness.index(best)].text))
        shared = [word for word in dict.fromkeys(_words(entry.text)) if word in before]
        rare = sorted(shared, key=lambda word: frequency[word])[:QUESTION_WORDS]
        asked = [word for word in shared if word in rare]
        if len(asked) >= QUESTION_WORDS // 2:
            yield ChangeQuestion(" ".join(asked), entry.id)


def _likeness(one: str, other: str) -> float:
    words, others = one.split(), other.split()
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= KEPT_MIN else 0.0


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
