"""Reads questions with time constraints over pages of paragraphs (the shape of TimeQA).

`timeqa.json.gz` holds a list of pages (link, paras, questions); `perturbed.jsonl`, where it is
there, the same questions with other words for their time.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from benchmarks.shared.json_lines import json_lines, opened

HEADING_WORDS_MAX = 8
HEADING_ENDS = " ."
LIST_MARK = "- "
YEAR = re.compile(r"\b(1\d{3}|20\d{2})(s?)\b")
DECADE_YEARS = 9


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, or a heading, as the corpus holds it.

    Attributes:
        position: among the paragraphs of its page.
        header: title and heading that it stands under, as the extractor would give them.
    """

    id: str
    link: str
    position: int
    header: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeQuestion:
    """A question with its gold paragraphs.

    Attributes:
        gold: ids of the paragraphs that were marked.
        answered_by: ids of the paragraphs of that page which hold an answer.
        kind: how the time is worded; `original` as people asked.
        asked_years: first and last year that the question names, of a perturbed one those in
            which its answer held; None where it names none.
    """

    text: str
    link: str
    gold: tuple[str, ...]
    answered_by: tuple[str, ...]
    kind: str
    asked_years: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class TimeSet:
    """Pages as paragraphs, and the questions that have an answer."""

    paragraphs: list[Paragraph]
    questions: list[TimeQuestion]


def read(folder: Path) -> TimeSet:
    """Returns the set in a folder; questions without an answer are left out."""
    pages = pages_of(folder)
    texts = {page["link"]: list(page["paras"]) for page in pages}
    questions = [question for page in pages for question in _originals(page)]
    perturbed = folder / "perturbed.jsonl"
    if perturbed.exists():
        rows = json_lines(perturbed)
        questions += [_perturbed(row, texts) for row in rows if row["link"] in texts]
    return TimeSet([entry for page in pages for entry in _paragraphs(page)], questions)


def pages_of(folder: Path) -> list[dict[str, Any]]:
    """Returns the rows of the pages; a page that is there twice has the questions of both."""
    merged: dict[str, dict[str, Any]] = {}
    with opened(folder / "timeqa.json.gz") as file:
        pages = json.load(file)
    for page in pages:
        known = merged.setdefault(page["link"], {**page, "questions": []})
        known["questions"] = known["questions"] + page["questions"]
    return list(merged.values())


def is_heading(text: str) -> bool:
    """Returns whether a paragraph of a page is a heading, which `HEADING_ENDS` ends."""
    short = len(text.split()) <= HEADING_WORDS_MAX
    return short and text.endswith(HEADING_ENDS) and not text.startswith(LIST_MARK)


def _paragraphs(page: dict[str, Any]) -> Iterator[Paragraph]:
    title = unquote(page["link"].rsplit("/", 1)[-1]).replace("_", " ")
    heading = ""
    for number, text in enumerate(page["paras"]):
        header = " > ".join(part for part in (title, heading) if part)
        yield Paragraph(_id(page["link"], number), page["link"], number, header, text)
        if number and is_heading(text):
            heading = text.removesuffix(HEADING_ENDS)


def _originals(page: dict[str, Any]) -> Iterator[TimeQuestion]:
    for text, marked in page["questions"]:
        answers = [entry for entry in marked if entry["answer"]]
        if answers:
            yield _question(
                text=text,
                link=page["link"],
                gold=[entry["para"] for entry in answers],
                answers=[entry["answer"] for entry in answers],
                paragraphs=page["paras"],
                kind="original",
            )


def _perturbed(row: dict[str, Any], texts: dict[str, list[str]]) -> TimeQuestion:
    return _question(
        text=row["question"],
        link=row["link"],
        gold=row["gold"],
        answers=row["answers"],
        paragraphs=texts[row["link"]],
        kind=row["kind"],
        # The answer held so long; a passage that speaks of any of these years speaks of it.
        years=(row["valid_from"], row["valid_to"]),
    )


def _question(
    *,
    text: str,
    link: str,
    gold: list[int],
    answers: list[str],
    paragraphs: list[str],
    kind: str,
    years: tuple[int, int] | None = None,
) -> TimeQuestion:
    folded = [_folded(answer) for answer in answers]
    holding = {
        number
        for number, paragraph in enumerate(paragraphs)
        if any(answer in _folded(paragraph) for answer in folded)
    }
    return TimeQuestion(
        text=text,
        link=link,
        gold=tuple(_id(link, number) for number in sorted(set(gold))),
        answered_by=tuple(_id(link, number) for number in sorted(holding | set(gold))),
        kind=kind,
        asked_years=years or _years(text),
    )


def _years(text: str) -> tuple[int, int] | None:
    named = YEAR.findall(text)
    found = [(int(year), int(year) + DECADE_YEARS * bool(many)) for year, many in named]
    return (min(found)[0], max(last for _, last in found)) if found else None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _id(link: str, number: int) -> str:
    return f"{link}#{number}"
