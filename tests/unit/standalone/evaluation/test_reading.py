"""Judged questions are read in each of their forms; what cannot be used is told."""

import gzip
import json
from pathlib import Path

import pytest

from scops.common.contract.errors import InvalidInput
from scops.standalone.evaluation.questions import ExpectedPassage
from scops.standalone.evaluation.reading import read_questions

SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Owls",
            "paragraphs": [
                {
                    "context": "Barn owls hear mice under snow.",
                    "qas": [
                        {
                            "id": "a",
                            "question": "What do barn owls hear?",
                            "answers": [
                                {"text": "mice", "answer_start": 14},
                                {"text": "mice", "answer_start": 14},
                            ],
                            "is_impossible": False,
                        },
                        {
                            "id": "b",
                            "question": "What do snowy owls hear?",
                            "answers": [],
                            "is_impossible": True,
                        },
                    ],
                }
            ],
        }
    ],
}


def written(path: Path, *records: object) -> Path:
    """Writes a record a line; a text is written as it is."""
    lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_lines_of_the_own_form(tmp_path: Path) -> None:
    """One answer or several, words and pages that show it, wrong answers, an intended scope."""
    file = written(
        tmp_path / "own.jsonl",
        {"id": "x", "question": "How long?", "answer": 7, "scope": "scopes/owls"},
        {
            "query": "How far?",
            "answers": ["2 km", "two kilometres"],
            "support": "It is 2 km.",
            "pages": ["https://owls.test/way"],
            "distractors": ["3 km"],
        },
        {"question": "How old?", "answers": []},
        {"question": "Where?", "pages": ["https://owls.test/a", "https://owls.test/b"]},
    )
    first, second, third, fourth = read_questions(file).questions

    assert ("x", ("7",), "owls") == (first.id, first.answers, first.scope)
    assert ("2 km", "two kilometres") == second.answers
    page = "https://owls.test/way"
    assert (ExpectedPassage(page=page, text="It is 2 km."),) == second.expected
    assert ("3 km",) == second.distractors
    assert (False, "3") == (third.answerable, third.id)
    assert ["https://owls.test/a", "https://owls.test/b"] == [one.page for one in fourth.expected]


def test_a_bad_line_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    """Where it stands, what is wrong, and what to do."""
    file = written(
        tmp_path / "mixed.jsonl",
        {"question": "One?", "answer": "1"},
        "{not json",
        {"answer": "2"},
        ["a list"],
        {"question": "Nothing known?"},
        {"question": "Odd?", "answer": [["nested"]]},
        {"id": "1", "question": "Twice?", "answer": "3"},
        '{"question": "Half?", "answer": "\\ud800"}',
        {"question": "Last?", "answer": "4"},
    )
    read = read_questions(file)

    assert ["One?", "Last?"] == [one.text for one in read.questions]
    assert [f"mixed.jsonl:{line}" for line in (2, 3, 4, 5, 6, 7, 8)] == [
        one.where for one in read.faults
    ]
    whats = [one.what for one in read.faults]
    assert whats[0].startswith("it is no JSON")
    assert "it has no `question`" == whats[1]
    assert "it is a list, not an object" == whats[2]
    assert "nothing is there to hold an answer against" == whats[3]
    assert all(one.next for one in read.faults)


@pytest.mark.parametrize("packed", [False, True])
def test_squad_as_a_document(tmp_path: Path, packed: bool) -> None:
    """Equal answers count once; what is impossible has none, and its paragraph does not show it."""
    said = json.dumps(SQUAD).encode()
    file = tmp_path / ("dev.json.gz" if packed else "dev.json")
    file.write_bytes(gzip.compress(said) if packed else said)
    read = read_questions(file)
    first, second = read.questions

    assert "squad" == read.form
    assert (("mice",), True) == (first.answers, first.answerable)
    assert ("Barn owls hear mice under snow.",) == tuple(one.text for one in first.expected)
    assert ((), (), False) == (second.answers, second.expected, second.answerable)


def test_squad_made_flat(tmp_path: Path) -> None:
    """As data sets are passed on: answers in columns, and none for what is impossible."""
    flat = {"context": "It is 7.", "answers": {"text": ["7"], "answer_start": [6]}}
    none = {"context": "It is 7.", "answers": {"text": [], "answer_start": []}}
    file = written(
        tmp_path / "flat.jsonl",
        {"id": "a", "question": "How many?", **flat},
        {"id": "b", "question": "How few?", **none},
    )
    first, second = read_questions(file).questions

    assert (("7",), False) == (first.answers, second.answerable)


@pytest.mark.parametrize("name", ["sciq.jsonl", "sciq.json"])
def test_sciq(tmp_path: Path, name: str) -> None:
    """A right answer, three wrong ones, and why; a line each or one list."""
    record = {
        "question": "What do owls eat?",
        "distractor1": "hay",
        "distractor2": "salt",
        "distractor3": "",
        "correct_answer": "mice",
        "support": "Owls eat mice.",
    }
    file = written(tmp_path / name, json.dumps([record]) if name.endswith("json") else record)
    read = read_questions(file)

    assert "sciq" == read.form
    assert (("mice",), ("hay", "salt")) == (
        read.questions[0].answers,
        read.questions[0].distractors,
    )


def test_beir(tmp_path: Path) -> None:
    """Judged queries with their documents: by URL where the corpus names one, else by id."""
    written(
        tmp_path / "queries.jsonl",
        {"_id": "q1", "text": "owls"},
        {"_id": "q2", "text": "not judged"},
        {"text": "no id"},
    )
    written(
        tmp_path / "corpus.jsonl",
        {"_id": "d1", "title": "Owls", "text": "Owls hear.", "metadata": {"url": "https://o.test"}},
        {"_id": "d2", "text": "Owls see."},
    )
    written(tmp_path / "qrels/test.tsv", "query-id\tcorpus-id\tscore", "q1\td1\t2", "q1\td2\t1")
    with (tmp_path / "qrels/test.tsv").open("a") as file:
        file.write("q1\td3\t0\nbroken\n")
    read = read_questions(tmp_path)
    (question,) = read.questions

    assert ("beir", "owls") == (read.form, question.text)
    assert [("https://o.test", "Owls hear.", 2), ("d2", "Owls see.", 1)] == [
        (one.page, one.text, one.gain) for one in question.expected
    ]
    assert ["test.tsv:5", "queries.jsonl:3"] == [one.where for one in read.faults]


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    """Packed data that breaks off or was changed is no bug."""
    packed = bytearray(gzip.compress(b'{"question": "One?", "answer": "1"}' * 99))
    packed[20:30] = bytes(10)
    (tmp_path / "bad.jsonl.gz").write_bytes(packed)

    with pytest.raises(InvalidInput, match="cannot be read"):
        read_questions(tmp_path / "bad.jsonl.gz")


@pytest.mark.parametrize("name", ["none.jsonl", "empty.jsonl", "folder"])
def test_nothing_to_ask_is_an_error(tmp_path: Path, name: str) -> None:
    """It says what is missing."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.jsonl").write_text("\n")

    with pytest.raises(InvalidInput, match=r"read|question|BEIR"):
        read_questions(tmp_path / name)
