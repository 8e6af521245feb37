"""Reads a folder of paragraphs with questions, and where in them each question is answered."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.languages.folders import PARAGRAPHS, QUESTIONS, Paragraph, needed_file
from benchmarks.shared.json_lines import json_lines
from scops.common.text.sentences import sentence_spans

SEED = 0


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A span of a paragraph, counted in code points."""

    paragraph_id: str
    start: int
    end: int

    def meets(self, other: "Place") -> bool:
        """Returns whether two spans share a character."""
        same = self.paragraph_id == other.paragraph_id
        return same and self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingQuestion:
    """A question with what people marked as its answer.

    Attributes:
        answers: gold strings; empty where the paragraph does not answer.
        spans: where they stand; an answer that is no span has none.
        facts: the sentences that are needed together; empty where nobody marked them.
        page: of the gold paragraph; questions of one page are not independent.
    """

    text: str
    paragraph_id: str
    page: str
    answerable: bool
    answers: tuple[str, ...]
    spans: tuple[Place, ...]
    facts: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class ReadingSet:
    """A folder: its paragraphs by id, the sentences of each, and the questions."""

    paragraphs: Mapping[str, Paragraph]
    sentences: Mapping[str, tuple[Place, ...]]
    questions: tuple[ReadingQuestion, ...]


def read_set(folder: Path, *, questions: int = 0) -> ReadingSet:
    """Returns a folder.

    Args:
        questions: at most so many, drawn by chance with one seed; 0 for all.

    Raises:
        FileNotFoundError: the folder lacks paragraphs or questions.
    """
    rows = list(json_lines(needed_file(folder, PARAGRAPHS)))
    paragraphs = {
        row["id"]: Paragraph(row["id"], row.get("title", ""), row["text"]) for row in rows
    }
    asked = [_question(row, paragraphs) for row in json_lines(needed_file(folder, QUESTIONS))]
    if 0 < questions < len(asked):
        asked = random.Random(SEED).sample(asked, questions)
    return ReadingSet(
        paragraphs=paragraphs,
        sentences={row["id"]: tuple(_sentences(row)) for row in rows},
        questions=tuple(asked),
    )


def _question(row: Mapping[str, Any], paragraphs: Mapping[str, Paragraph]) -> ReadingQuestion:
    gold = row["paragraph_id"]
    return ReadingQuestion(
        text=row["question"],
        paragraph_id=gold,
        page=paragraphs[gold].title or gold,
        answerable=row.get("answerable", True),
        answers=tuple(row["answers"]),
        spans=tuple(
            Place(gold, start, start + len(answer))
            for answer, start in zip(row["answers"], row.get("answer_starts", ()), strict=False)
            if start is not None
        ),
        facts=tuple(
            Place(fact["paragraph_id"], fact["start"], fact["end"])
            for fact in row.get("supporting_facts", ())
        ),
    )


def _sentences(row: Mapping[str, Any]) -> Iterator[Place]:
    """Yields the sentences as the set cuts them, else as Scops does."""
    text: str = row["text"]
    starts: Sequence[int] = row.get("sentence_starts", ())
    spans = zip(starts, [*starts[1:], len(text)], strict=True) if starts else sentence_spans(text)
    for start, end in spans:
        yield Place(row["id"], start, end)
