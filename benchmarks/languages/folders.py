"""Reads folders of paragraphs and questions over them, one language each."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.shared.json_lines import json_lines

PARAGRAPHS, QUESTIONS = "paragraphs.jsonl", "questions.jsonl"
SEED = 0


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; the title is its page's."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the id of the paragraph that answers it, and the gold strings."""

    id: str
    text: str
    paragraph_id: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Folder:
    """The paragraphs of a folder, all questions that they answer, and a sample of them."""

    name: str
    language: str
    paragraphs: tuple[Paragraph, ...]
    every: tuple[Asked, ...]
    questions: tuple[Asked, ...]

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all paragraphs."""
        return frozenset(one.id for one in self.paragraphs)

    @cached_property
    def titles(self) -> dict[str, str]:
        """The title of each paragraph by its id."""
        return {one.id: one.title for one in self.paragraphs}

    def translates(self, other: "Folder") -> bool:
        """Returns whether this is the other folder in another language: the ids are the same."""
        return self.ids == other.ids and self.language != other.language


def folder_names(data: Path) -> list[str]:
    """Returns the names of the folders that hold paragraphs, in order."""
    return sorted(
        path.name
        for path in data.iterdir()
        if path.is_dir() and _file(path, PARAGRAPHS) is not None
    )


def read_folder(path: Path, *, questions: int) -> Folder:
    """Returns a folder.

    Args:
        questions: at most so many, drawn by chance with one seed; 0 for all.

    Raises:
        FileNotFoundError: the folder lacks paragraphs or questions.
    """
    rows = list(json_lines(needed_file(path, PARAGRAPHS)))
    asked = [
        Asked(row["id"], row["question"], row["paragraph_id"], tuple(row["answers"]))
        for row in json_lines(needed_file(path, QUESTIONS))
        if row.get("answerable", True)
    ]
    return Folder(
        name=path.name,
        language=str(rows[0].get("language", "")),
        paragraphs=tuple(Paragraph(row["id"], row.get("title", ""), row["text"]) for row in rows),
        every=tuple(asked),
        questions=tuple(sample(asked, questions)),
    )


def needed_file(path: Path, name: str) -> Path:
    """Returns where a file of a folder is, packed or not.

    Raises:
        FileNotFoundError: the folder lacks it.
    """
    found = _file(path, name)
    if found is None:
        raise FileNotFoundError(f"{path} holds neither {name} nor {name}.gz")
    return found


def sample(asked: Sequence[Asked], count: int) -> list[Asked]:
    """Returns questions drawn by chance; translations of one question are drawn together."""
    ordered = sorted(asked, key=lambda one: one.id)
    random.Random(SEED).shuffle(ordered)
    return ordered[: count or None]


def _file(path: Path, name: str) -> Path | None:
    candidates = (path / name, path / f"{name}.gz")
    return next((one for one in candidates if one.is_file()), None)
