"""Judged sets in one form."""

import json
from pathlib import Path

from benchmarks.shared.judged.beir import Document, JudgedSet
from benchmarks.shared.judged.collections import drawn, of_questions

PARAGRAPHS = [
    {"id": "p1", "title": "Owls", "text": "Owls fly.", "language": "en"},
    {"id": "p2", "title": "Owls", "text": "Owls eat mice.", "language": "en"},
    {"id": "p3", "title": "Mice", "text": "Mice hide.", "language": "en"},
]
QUESTIONS = [
    {"id": "q1", "question": "Who flies?", "paragraph_id": "p1", "answers": ["Owls"]},
    {"id": "q2", "question": "Why?", "paragraph_id": "p1", "answers": [], "answerable": False},
    {
        "id": "q3",
        "question": "Who hides from what flies?",
        "paragraph_id": "p3",
        "supporting_ids": ["p1", "p3"],
        "answers": ["Mice"],
    },
]


def test_paragraphs_with_questions_are_a_judged_set(tmp_path: Path) -> None:
    """Gold is what answers, all of it where several are needed; unanswerable ones are left out."""
    folder = tmp_path / "xquad-en"
    folder.mkdir()
    for name, rows in (("paragraphs", PARAGRAPHS), ("questions", QUESTIONS)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = of_questions(folder, queries=10)

    assert {"q1": {"p1": 1}, "q3": {"p1": 1, "p3": 1}} == found.judged.qrels
    assert {"q1": "Owls", "q3": "Owls"} == found.units
    assert ("xquad-", "en", False) == (found.family, found.language, found.scoped)


def test_queries_are_drawn_with_one_seed() -> None:
    """Fewer of them are among the more."""
    queries = {f"q{number}": "?" for number in range(20)}
    judged = JudgedSet([Document("d", "", "")], queries, {name: {"d": 1} for name in queries})
    few, more = (drawn(judged, count).queries.keys() for count in (5, 10))

    assert few < more < queries.keys()
    assert more == drawn(judged, 10).qrels.keys()
