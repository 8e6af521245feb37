"""Folders of questions, as the benchmark of reading takes them."""

import json
from pathlib import Path
from typing import Any

from benchmarks.reader.sets import Place, ReadingSet, read_set

TEXT = "Owls hunt mice. They sleep by day."


def _read(path: Path, question: dict[str, Any], **paragraph: Any) -> ReadingSet:
    row = {"id": "p", "title": "Owl", "text": TEXT} | paragraph
    asked = {"id": "q", "question": "?", "paragraph_id": "p", "answers": []} | question
    (path / "paragraphs.jsonl").write_text(json.dumps(row))
    (path / "questions.jsonl").write_text(json.dumps(asked))
    return read_set(path)


def test_answers_have_their_places(tmp_path: Path) -> None:
    """An answer that stands nowhere has none."""
    read = _read(tmp_path, {"answers": ["mice", "yes"], "answer_starts": [10, None]})

    assert (Place("p", 10, 14),) == read.questions[0].spans
    assert ("mice", "yes") == read.questions[0].answers
    assert "Owl" == read.questions[0].page


def test_sentences_of_the_set_prevail(tmp_path: Path) -> None:
    """Facts count in the sentences that people marked; elsewhere sentences are those of Scops."""
    own = _read(tmp_path, {}, sentence_starts=[0, 10])

    assert (Place("p", 0, 10), Place("p", 10, len(TEXT))) == own.sentences["p"]
    assert (Place("p", 0, 15), Place("p", 16, len(TEXT))) == _read(tmp_path, {}).sentences["p"]


def test_facts_and_missing_answers_are_read(tmp_path: Path) -> None:
    """Both decide which figures a question counts for."""
    fact = {"paragraph_id": "p", "sentence": 0, "start": 0, "end": 15}
    (asked,) = _read(tmp_path, {"supporting_facts": [fact], "answerable": False}).questions

    assert (Place("p", 0, 15),) == asked.facts
    assert not asked.answerable
