"""Questions of SciQ's form give nothing away."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.scholar.sciq_sets import (
    DISTRACTORS,
    GENERATED,
    PEOPLE,
    DraftQuestion,
    distractors_of,
    read_sciq,
)
from scops.common.text.terms import content_terms

TOWNS = ("Skagen", "Tarn", "Lervig", "Odde", "Brekke")
YEARS = (1871, 1902, 1935, 1956, 1988)


def _write(folder: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def _set(folder: Path, *, language: str = "en") -> Path:
    """Writes a set of five pages with a question each, and one that gives its answer away."""
    said = [
        f"The keeper of that lamp came from {town}. "
        f"Its copper mirror was polished by apprentices called {town.lower()}ings in {year}."
        for town, year in zip(TOWNS, YEARS, strict=True)
    ]
    paragraphs = [
        {"id": f"p{place}", "title": f"Lamp {place}", "text": text, "language": language}
        for place, text in enumerate(said)
    ]
    asked = [("Where did the keeper come from?", place) for place in range(len(TOWNS))]
    asked.append(("Did the keeper come from Tarn?", 1))
    questions = [
        {
            "id": f"q{number}",
            "question": question,
            "paragraph_id": f"p{place}",
            "answers": [TOWNS[place]],
            "answer_starts": [said[place].index(TOWNS[place])],
            "answerable": True,
        }
        for number, (question, place) in enumerate(asked)
    ]
    _write(folder, "paragraphs.jsonl", paragraphs)
    _write(folder, "questions.jsonl", questions)
    return folder


def test_questions_are_of_people_and_of_templates(tmp_path: Path) -> None:
    """Each with three wrong answers, and the sentence that shows the right one."""
    made = read_sciq(_set(tmp_path / "lamps"), questions=100)
    people = [one for one in made.questions if one.kind == PEOPLE]
    years = [one for one in made.questions if one.kind == GENERATED]

    assert set(TOWNS) == {one.answers[0] for one in people}
    assert {str(year) for year in YEARS} == {one.answers[0] for one in years}
    assert all(len(one.distractors) == DISTRACTORS for one in made.questions)
    assert all(one.answers[0] in one.support for one in made.questions)
    assert all(f"from {one.answers[0]}." in one.support for one in people)


def test_what_gives_its_answer_away_is_left_out(tmp_path: Path) -> None:
    """Whoever asked it."""
    made = read_sciq(_set(tmp_path / "lamps"), questions=100)

    assert 1 == made.left_out["leaks_answer"]
    assert not any(
        content_terms(one.text) & content_terms(wrong)
        for one in made.questions
        for wrong in (one.answers[0], *one.distractors)
    )


def test_every_english_set_of_a_folder_is_asked_in_its_own_scope(tmp_path: Path) -> None:
    """Others are not: the model that compares reads English."""
    _set(tmp_path / "lamps")
    _set(tmp_path / "more")
    _set(tmp_path / "lampen", language="de")
    made = read_sciq(tmp_path, questions=100)

    assert ["lamps", "more"] == made.scopes
    assert {"lamps", "more"} == {path.split("/")[2] for path in made.pages}


def test_few_questions_are_of_each_set_and_kind(tmp_path: Path) -> None:
    """None has most of them."""
    _set(tmp_path / "lamps")
    _set(tmp_path / "more")
    made = read_sciq(tmp_path, questions=4)

    expected = {(scope, kind) for scope in ("lamps", "more") for kind in (PEOPLE, GENERATED)}
    assert expected == {(one.scope, one.kind) for one in made.questions}


def test_folder_without_sets_is_an_error(tmp_path: Path) -> None:
    """It says what is missing."""
    with pytest.raises(FileNotFoundError, match="paragraphs"):
        read_sciq(tmp_path, questions=1)


def _draft(answer: str, *, page: str = "a", text: str = "Where?") -> DraftQuestion:
    return DraftQuestion(page=page, form=PEOPLE, text=text, answers=(answer,), support="")


def test_distractors_are_of_the_same_sort_and_page_first() -> None:
    """No number for a name, nothing that shares a word with the answer, nothing twice."""
    names = ("Tarn Harbour", "Skagen", "Skagen", "Lervig", "1902", "the sea")
    others = [_draft(one) for one in names]
    others += [_draft(one, page="b") for one in ("Brekke", "Odde")]
    wrong = distractors_of(_draft("Tarn"), others, random.Random(1))

    assert {"Skagen", "Lervig"} == set(wrong[:2])
    assert wrong[2] in ("Brekke", "Odde")


def test_distractor_is_nothing_that_the_question_names() -> None:
    """Whoever reads would rule it out."""
    asked = _draft("Tarn", text="Where did the keeper of Skagen come from?")

    assert () == distractors_of(asked, [_draft("Skagen")], random.Random(1))
