"""Reads what the answers benchmark asks, and renders the corpora as pages of a site.

Shapes: `timeqa.json.gz` (pages with questions, gold paragraphs and answers; an empty answer marks
a question that the page does not answer), a BEIR folder, and before/after pairs of documents.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from benchmarks.shared.json_lines import json_lines
from benchmarks.shared.judged import timeqa

BLANK = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldQuestion:
    """A question of one page.

    Attributes:
        path: of the page on the site that is crawled; `link` is its name in the set.
        answers: strings of which one suffices; empty where the page holds no answer.
        gold: the paragraphs that were marked as holding one.
    """

    text: str
    path: str
    link: str
    answers: tuple[str, ...]
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """Pages by path, and what is asked of them."""

    pages: dict[str, bytes]
    questions: list[GoldQuestion]


def read_timeqa(folder: Path, *, prefix: str) -> AnswerSet:
    """Returns the set of a folder; a page that is there twice is one page."""
    pages: dict[str, bytes] = {}
    questions: list[GoldQuestion] = []
    for entry in timeqa.pages_of(folder):
        path = prefix + quote(unquote(entry["link"].rsplit("/", 1)[-1]), safe="") + ".html"
        paragraphs: list[str] = entry["paras"]
        pages[path] = _page(paragraphs)
        questions += [_question(path, entry["link"], paragraphs, row) for row in entry["questions"]]
    return AnswerSet(pages, questions)


def read_histories(folder: Path, *, versions: int) -> list[tuple[str, list[str]]]:
    """Returns pages with at least as many different texts, oldest first, by their name."""
    pairs: dict[str, list[dict[str, Any]]] = {}
    for file in sorted(folder.glob("*.jsonl*")):
        for row in json_lines(file):
            pairs.setdefault(f"{row['site']}/{row['page']}", []).append(row)
    histories = []
    for name, rows in sorted(pairs.items()):
        rows.sort(key=lambda row: str(row["t1"]))
        texts = [text for row in rows for text in (row["text0"], row["text1"])]
        texts = list(dict.fromkeys(texts))
        if len(texts) >= versions:
            histories.append((name, texts))
    return histories


def passages_as_pages(texts: Sequence[str], *, prefix: str, passages: int) -> dict[str, bytes]:
    """Returns pages of so many passages each, a paragraph a passage."""
    return {
        f"{prefix}{start // passages}.html": html_page(
            f"Passages {start // passages}",
            [f"<p>{escape(text)}</p>" for text in texts[start : start + passages]],
        )
        for start in range(0, len(texts), passages)
    }


def html_page(title: str, blocks: Sequence[str]) -> bytes:
    """Returns a page whose main text is the blocks."""
    head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
    body = "\n".join(blocks)
    return (
        f"{head}</title></head><body><main><article><h1>{escape(title)}</h1>\n{body}\n"
        "</article></main></body></html>"
    ).encode()


def _question(path: str, link: str, paragraphs: list[str], row: list[Any]) -> GoldQuestion:
    marked = [entry for entry in row[1] if entry["answer"]]
    return GoldQuestion(
        text=row[0],
        path=path,
        link=link,
        answers=tuple(dict.fromkeys(entry["answer"] for entry in marked)),
        gold=tuple(dict.fromkeys(paragraphs[entry["para"]] for entry in marked)),
    )


def _page(paragraphs: list[str]) -> bytes:
    title, *rest = paragraphs
    return html_page(title.removesuffix(timeqa.HEADING_ENDS), [_paragraph(text) for text in rest])


def _paragraph(text: str) -> str:
    if text.startswith(timeqa.LIST_MARK):
        return f"<ul><li>{escape(text.removeprefix(timeqa.LIST_MARK))}</li></ul>"
    if timeqa.is_heading(text):
        return f"<h2>{escape(text.removesuffix(timeqa.HEADING_ENDS))}</h2>"
    return f"<p>{escape(text)}</p>"
