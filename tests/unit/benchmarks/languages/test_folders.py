"""Folders of paragraphs and questions, as the benchmark of languages reads them."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.languages.folders import Folder, folder_names, read_folder


def _folder(path: Path, *, language: str = "de", ids: tuple[str, ...] = ("p1", "p2")) -> Folder:
    path.mkdir(parents=True)
    rows = [{"id": one, "title": "T", "text": "Text.", "language": language} for one in ids]
    (path / "paragraphs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with gzip.open(path / "questions.jsonl.gz", "wt") as file:
        for number in range(8):
            asked = {"id": f"q{number}", "question": "?", "paragraph_id": "p1", "answers": ["a"]}
            file.write(json.dumps(asked | {"answerable": number % 2 == 0}) + "\n")
    return read_folder(path, questions=3)


def test_folder_is_read_packed_and_unpacked(tmp_path: Path) -> None:
    """Only questions that have an answer are asked, at most as many as wanted."""
    folder = _folder(tmp_path / "xquad-de")

    assert ("xquad-de", "de", 2, 3) == (
        folder.name,
        folder.language,
        len(folder.paragraphs),
        len(folder.questions),
    )
    assert {"q0", "q2", "q4", "q6"} > {one.id for one in folder.questions}


def test_translations_are_asked_the_same_questions(tmp_path: Path) -> None:
    """What is compared across languages is the same sample."""
    one, other = _folder(tmp_path / "a"), _folder(tmp_path / "b", language="en")

    assert [asked.id for asked in one.questions] == [asked.id for asked in other.questions]
    assert one.translates(other)
    assert not one.translates(_folder(tmp_path / "c", language="en", ids=("other",)))


def test_only_folders_with_paragraphs_count(tmp_path: Path) -> None:
    """Anything else beside them is left alone, and a folder without questions is told."""
    _folder(tmp_path / "b")
    (tmp_path / "empty").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "paragraphs.jsonl").write_text('{"id": "p", "text": "x"}\n')

    assert ["a", "b"] == folder_names(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"questions\.jsonl"):
        read_folder(tmp_path / "a", questions=0)
