"""A question out of one record: of a line of JSON, of SQuAD, or of SciQ."""

from collections.abc import Iterator, Sequence
from typing import Any

from scops.standalone.evaluation.questions import (
    EvaluationQuestion,
    ExpectedPassage,
    Record,
    UnusableRecord,
)

# Longer ones the API does not take.
QUESTION_CHARACTERS_MAX = 8_000
SCIQ = "correct_answer"
ANSWERS = ("answer", "answers", SCIQ)


def question_of(record: Any, *, number: int) -> EvaluationQuestion:
    """Returns the question of a record.

    Args:
        number: names a question that has no id.

    Raises:
        UnusableRecord: it has no question, or nothing to hold an answer against.
    """
    if not isinstance(record, dict):
        raise UnusableRecord(
            f"it is {_kind(record)}, not an object", 'write {"question": "…", "answer": "…"}'
        )
    text = record.get("question", record.get("query"))
    if not isinstance(text, str) or not text.strip():
        raise UnusableRecord("it has no `question`", "name the question as a text")
    if len(text) > QUESTION_CHARACTERS_MAX:
        raise UnusableRecord(
            f"its question has {len(text)} characters",
            f"ask in at most {QUESTION_CHARACTERS_MAX}",
        )
    _check_characters(text, "question")
    answers = tuple(one for name in ANSWERS for one in _texts(record, name))
    expected = _expected(record)
    answerable = _is_answerable(record, answers)
    if answerable and not answers and not expected:
        raise UnusableRecord(
            "nothing is there to hold an answer against",
            "add `answer` or `answers`, `support` or `pages`; or `answerable`: false",
        )
    return EvaluationQuestion(
        id=str(record.get("id", record.get("_id")) or number),
        text=text.strip(),
        answers=answers if answerable else (),
        expected=expected if answerable else (),
        distractors=_distractors(record),
        answerable=answerable,
        scope=_text(record, "scope").removeprefix("scopes/"),
    )


def squad_records(document: Record) -> Iterator[tuple[str, Any]]:
    """Yields where each question of a document of SQuAD stands, and its record."""
    for at, article in enumerate(_list(document, "data")):
        for below, paragraph in enumerate(_list(article, "paragraphs")):
            for place, asked in enumerate(_list(paragraph, "qas")):
                where = f"data[{at}].paragraphs[{below}].qas[{place}]"
                context = {"context": paragraph.get("context", "")}
                yield where, {**context, **asked} if isinstance(asked, dict) else asked


def _expected(record: Record) -> tuple[ExpectedPassage, ...]:
    """Returns what is to be found: words with their pages where there are as many of both."""
    texts = [*_texts(record, "support"), *_texts(record, "context")]
    pages = [*_texts(record, "pages"), *_texts(record, "page")]
    if len(texts) == len(pages):
        both = zip(pages, texts, strict=True)
        return tuple(ExpectedPassage(page=page, text=text) for page, text in both)
    if texts:
        return tuple(ExpectedPassage(text=text) for text in texts)
    return tuple(ExpectedPassage(page=page) for page in pages)


def _is_answerable(record: Record, answers: Sequence[str]) -> bool:
    for name, right in (("answerable", True), ("is_impossible", False)):
        if isinstance(record.get(name), bool):
            return bool(record[name] is right)
    # `answers` that is there and empty says so, as the flat form of SQuAD 2 does.
    return bool(answers) or not any(name in record for name in ANSWERS)


def _distractors(record: Record) -> tuple[str, ...]:
    numbered = [one for number in range(1, 10) for one in _texts(record, f"distractor{number}")]
    return (*_texts(record, "distractors"), *numbered)


def _texts(record: Record, name: str) -> list[str]:
    """Returns the texts under a name: one, a list, objects with a `text`, each once.

    Raises:
        UnusableRecord: something else is there.
    """
    found = record.get(name)
    if isinstance(found, dict):
        found = found.get("text")
    if found is None:
        return []
    texts: list[str] = []
    for one in found if isinstance(found, list) else [found]:
        text = one.get("text") if isinstance(one, dict) else one
        if isinstance(text, int | float) and not isinstance(text, bool):
            text = str(text)
        if not isinstance(text, str):
            raise UnusableRecord(
                f"its `{name}` holds {_kind(text)}", f"write `{name}` as a text or a list of texts"
            )
        _check_characters(text, name)
        if text.strip() and text.strip() not in texts:
            texts.append(text.strip())
    return texts


def _check_characters(text: str, name: str) -> None:
    """Refuses what no other program takes: halves of a character, and NUL."""
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise UnusableRecord(f"its `{name}` holds what is no character", "write it in UTF-8")


def _text(record: Record, name: str) -> str:
    return next(iter(_texts(record, name)), "")


def _list(found: Any, name: str) -> list[Any]:
    below = found.get(name) if isinstance(found, dict) else None
    return below if isinstance(below, list) else []


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a "
             "list", dict: "an object"}  # fmt: skip
    return names.get(type(value), "nothing")
