"""Judged questions: what is asked, and what an answer to it is held against."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedPassage:
    """Something that answers a question: a page, words that stand on one, or both.

    Attributes:
        page: its URL, or the last part of it; empty where the words alone tell.
        text: empty where the page alone tells.
        gain: how much it is worth to find it, > 0.
    """

    page: str = ""
    text: str = ""
    gain: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationQuestion:
    """A question with what is known of its answer.

    Attributes:
        answers: each of them right; empty where they are not known, or there is none.
        distractors: wrong answers that are near.
        answerable: whether the scopes asked have an answer.
        scope: that the question is meant for; empty for the scopes asked.
    """

    id: str
    text: str
    answers: tuple[str, ...] = ()
    expected: tuple[ExpectedPassage, ...] = ()
    distractors: tuple[str, ...] = ()
    answerable: bool = True
    scope: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFault:
    """A part of a file that cannot be used: where, what is wrong, and what to do."""

    where: str
    what: str
    next: str


@dataclass(slots=True, kw_only=True)
class QuestionSet:
    """The questions of a file or folder, and what of it cannot be used.

    Attributes:
        form: jsonl | squad | sciq | beir.
    """

    form: str
    questions: list[EvaluationQuestion] = field(default_factory=list)
    faults: list[LineFault] = field(default_factory=list)


class UnusableRecord(ValueError):
    """A record that is no question.

    Attributes:
        next: what to do about it.
    """

    def __init__(self, what: str, then: str) -> None:
        super().__init__(what)
        self.next = then


Record = Mapping[str, Any]
