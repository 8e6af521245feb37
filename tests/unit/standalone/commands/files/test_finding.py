"""Which files are meant, and what they are called."""

import os
from pathlib import Path

import pytest

from scops.standalone.commands.files import finding
from scops.standalone.commands.files.finding import FoundFiles, find_files
from scops.standalone.terminal.exits import CommandError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files, hidden ones, others, and links that lead out and stay inside."""
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    at = tmp_path / "papers"
    for name in ("b.md", "a/one.PDF", "a/two.txt", ".git/x.md", ".env", "~$b.docx", "c.png"):
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_text(name)
    (at / "out.md").symlink_to(secret)
    (at / "a/back").symlink_to(at)
    (at / "a/same.md").symlink_to(at / "b.md")
    os.mkfifo(at / "pipe.md")
    return at


def names(found: FoundFiles) -> list[str]:
    return [file.name for file in found.files]


def test_a_folder_holds_what_lies_in_it(folder: Path) -> None:
    """Neither links nor what is hidden; a pipe is no file."""
    found = find_files([str(folder)], root=None)

    assert ["b.md", "a/one.PDF", "a/two.txt"] == names(found)
    assert {"hidden": 3, "links": 3, "of other kinds": 2} == dict(found.left_out)
    assert ["text/markdown", "application/pdf", "text/plain"] == [
        file.media_type for file in found.files
    ]


def test_names_begin_at_the_root(folder: Path) -> None:
    """A file by itself has its own name; with a root its path below it."""
    file = str(folder / "a/two.txt")

    assert ["two.txt"] == names(find_files([file], root=None))
    assert ["a/two.txt"] == names(find_files([file], root=folder))
    assert ["papers/a/one.PDF", "papers/a/two.txt"] == names(
        find_files([str(folder / "a")], root=folder.parent)
    )


def test_a_pattern_follows_no_links(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names begin where its first wildcard stands; hidden files are not matched."""
    monkeypatch.chdir(folder.parent)
    deep = find_files(["papers/**/*.md"], root=None)

    assert ["b.md"] == names(deep)
    assert 0 < deep.left_out["links"]
    assert ["one.PDF", "two.txt"] == names(find_files(["papers/a/*.*"], root=None))


@pytest.mark.parametrize(
    ("paths", "reason"),
    [
        (["nowhere"], "FILE_NOT_FOUND"),
        (["c.png"], "FILE_KIND"),
        (["../secret.md"], "FILE_OUTSIDE"),
        (["b.md", "."], "FILES_OF_ONE_NAME"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str], reason: str
) -> None:
    """With what to do instead."""
    monkeypatch.chdir(folder)
    with pytest.raises(CommandError) as refused:
        find_files(paths, root=folder)

    assert reason == refused.value.reason


def test_a_call_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder by mistake, such as a home, is not read to its end."""
    monkeypatch.setattr(finding, "FILES_MAX", 2)
    with pytest.raises(CommandError, match="in parts"):
        find_files([str(folder)], root=None)
