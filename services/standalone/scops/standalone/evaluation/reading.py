"""Reads judged questions from a file or a folder; what cannot be used is told, the rest is read.

FILE.jsonl     a record a line: of its own form, of SciQ, or of SQuAD made flat
FILE.json      a document of SQuAD 1 or 2, or a list of records
FOLDER         BEIR: queries.jsonl, qrels/test.tsv and, where it is there, corpus.jsonl

Each may be packed with gzip (`.gz`).
"""

import csv
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from scops.common.contract.errors import InvalidInput
from scops.standalone.evaluation.questions import (
    EvaluationQuestion,
    ExpectedPassage,
    LineFault,
    QuestionSet,
    UnusableRecord,
)
from scops.standalone.evaluation.records import SCIQ, question_of, squad_records

QUESTIONS_MAX = 100_000
DOCUMENT_BYTES_MAX = 500_000_000
QUERIES, CORPUS = ("queries.jsonl",), ("corpus.jsonl",)
QRELS = ("qrels/test.tsv", "qrels/dev.tsv", "qrels/train.tsv", "qrels.tsv")
MEND_JSON = "mend the JSON of this line: an object a line, in UTF-8"
Numbered = Iterable[tuple[str, Any]]


def read_questions(path: Path) -> QuestionSet:
    """Returns the questions of a file or folder.

    Raises:
        InvalidInput: it is not there, or nothing in it is a question.
    """
    try:
        found = _beir(path) if path.is_dir() else _file(path)
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise InvalidInput(
            f"{path} cannot be read: {error}. Name a file of questions or a folder of BEIR.",
            reason="QUESTIONS_UNREADABLE",
        ) from error
    if not found.questions:
        first = found.faults[0] if found.faults else None
        said = f"{first.where}: {first.what}; {first.next}" if first else "it is empty"
        raise InvalidInput(f"{path} has no question: {said}.", reason="NO_QUESTIONS")
    return found


def _file(path: Path) -> QuestionSet:
    if not path.name.removesuffix(".gz").endswith(".json"):
        return _taken("jsonl", _lines(path, path.name))
    with _opened(path) as file:
        said = file.read(DOCUMENT_BYTES_MAX + 1)
    if len(said) > DOCUMENT_BYTES_MAX:
        raise InvalidInput(
            f"{path} is longer than {DOCUMENT_BYTES_MAX} characters. Write a line a question.",
            reason="QUESTIONS_UNREADABLE",
        )
    try:
        document = json.loads(said)
    except (ValueError, RecursionError):
        # Some name lines of JSON so.
        return _taken("jsonl", _lines(path, path.name))
    if isinstance(document, dict) and isinstance(document.get("data"), list):
        return _taken("squad", squad_records(document))
    records = document if isinstance(document, list) else [document]
    return _taken("jsonl", ((f"{path.name}[{at}]", one) for at, one in enumerate(records)))


def _taken(form: str, records: Numbered) -> QuestionSet:
    """Takes the questions of records; ids that stand twice get a number."""
    taken = QuestionSet(form=form)
    known: set[str] = set()
    for number, (where, record) in enumerate(records, 1):
        if number > QUESTIONS_MAX:
            taken.faults.append(
                LineFault(
                    where=where,
                    what=f"more than {QUESTIONS_MAX} questions",
                    next="ask the rest in another run",
                )
            )
            break
        try:
            if isinstance(record, UnusableRecord):
                raise record
            question = question_of(record, number=number)
            if question.id in known:
                raise UnusableRecord(
                    f"its id {question.id[:80]!r} stands twice", "give each question its own id"
                )
        except UnusableRecord as fault:
            taken.faults.append(LineFault(where=where, what=str(fault), next=fault.next))
            continue
        if form == "jsonl" and SCIQ in record:
            taken.form = "sciq"
        known.add(question.id)
        taken.questions.append(question)
    return taken


def _lines(path: Path, name: str) -> Iterator[tuple[str, Any]]:
    """Yields where each line stands, and its record or why it has none; empty ones are left out."""
    with _opened(path) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield f"{name}:{number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                yield f"{name}:{number}", UnusableRecord(f"it is no JSON: {error}", MEND_JSON)


def _beir(folder: Path) -> QuestionSet:
    """Reads a folder of BEIR; queries that nobody judged are left out."""
    taken = QuestionSet(form="beir")
    gains = _judgements(folder, taken.faults)
    texts = _corpus(folder, {page for judged in gains.values() for page in judged}, taken.faults)
    for where, record in _lines(_path(folder, QUERIES), QUERIES[0]):
        fault = _query_fault(record)
        if fault is not None:
            taken.faults.append(LineFault(where=where, what=str(fault), next=fault.next))
            continue
        judged = gains.pop(str(record["_id"]), None)
        if judged is None or len(taken.questions) >= QUESTIONS_MAX:
            continue
        expected = tuple(
            ExpectedPassage(
                page=texts.get(page, ("", ""))[0] or page,
                text=texts.get(page, ("", ""))[1],
                gain=gain,
            )
            for page, gain in judged.items()
        )
        taken.questions.append(
            EvaluationQuestion(id=str(record["_id"]), text=record["text"], expected=expected)
        )
    return taken


def _query_fault(record: Any) -> UnusableRecord | None:
    if isinstance(record, UnusableRecord):
        return record
    if isinstance(record, dict) and "_id" in record:
        text = record.get("text")
        if isinstance(text, str) and text.strip():
            return None
    return UnusableRecord("it has no `_id` or no `text`", "write queries as BEIR has them")


def _judgements(folder: Path, faults: list[LineFault]) -> dict[str, dict[str, int]]:
    """Returns the gain of each relevant document by query."""
    path, gains = _path(folder, QRELS), dict[str, dict[str, int]]()
    with _opened(path) as lines:
        for number, row in enumerate(csv.reader(lines, delimiter="\t"), 1):
            if len(row) >= 3 and row[-1].strip().lstrip("-").isdigit():
                if int(row[-1]) > 0:
                    gains.setdefault(row[0], {})[row[-2]] = int(row[-1])
            elif row and number > 1:
                faults.append(
                    LineFault(
                        where=f"{path.name}:{number}",
                        what="it is no judgement",
                        next="write query, document and gain, with tabs between them",
                    )
                )
    return gains


def _corpus(folder: Path, wanted: set[str], faults: list[LineFault]) -> dict[str, tuple[str, str]]:
    """Returns URL and text of the documents that are wanted; none where there is no corpus."""
    try:
        path = _path(folder, CORPUS)
    except InvalidInput:
        return {}
    found: dict[str, tuple[str, str]] = {}
    for where, record in _lines(path, CORPUS[0]):
        if isinstance(record, UnusableRecord):
            faults.append(LineFault(where=where, what=str(record), next=record.next))
        elif isinstance(record, dict) and str(record.get("_id")) in wanted:
            metadata = record.get("metadata")
            url = record.get("url") or (metadata.get("url") if isinstance(metadata, dict) else "")
            found[str(record["_id"])] = (str(url or ""), str(record.get("text") or ""))
    return found


def _path(folder: Path, names: Iterable[str]) -> Path:
    paths = [folder / f"{name}{packed}" for name in names for packed in ("", ".gz")]
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        raise InvalidInput(
            f"{folder} has none of {', '.join(names)}. A folder is read as BEIR's: queries.jsonl "
            "with qrels; name the file itself for another form.",
            reason="QUESTIONS_UNREADABLE",
        )
    return found


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", errors="replace")
    return path.open(encoding="utf-8-sig", errors="replace")
