"""Marks of an import outlive it once they are kept."""

from pathlib import Path

import pytest

from scops.standalone.commands.apis.memory import ImportMemory


def test_a_mark_counts_once_it_is_kept(tmp_path: Path) -> None:
    """An import that breaks off leaves those that were kept before."""
    file = tmp_path / "imports" / "a.json"
    first = ImportMemory(file)
    first.note("files", {"a.md": "1"})
    first.keep()
    first.note("files", {"a.md": "2"})

    assert {"a.md": "1"} == first.get("files")
    assert {"a.md": "1"} == ImportMemory(file).get("files")
    assert [file] == list(file.parent.iterdir())


def test_what_is_forgotten_is_not_kept_again(tmp_path: Path) -> None:
    """Where a scope has lost what the marks stand for."""
    memory = ImportMemory(tmp_path / "a.json")
    memory.note("files", 1)
    memory.keep()
    memory.forget()
    memory.note("issues", 2)
    memory.keep()

    assert (None, 2) == (memory.get("files"), memory.get("issues"))


@pytest.mark.parametrize("damaged", ["", "{", "[]", "\x00"])
def test_a_damaged_file_counts_as_none(tmp_path: Path, damaged: str) -> None:
    """What it stood for is asked for again."""
    file = tmp_path / "a.json"
    file.write_text(damaged)

    assert ImportMemory(file).get("files") is None


def test_what_cannot_be_kept_ends_no_import(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said, and what it stands for is asked for again."""
    (tmp_path / "imports").write_text("a file where the folder belongs")
    memory = ImportMemory(tmp_path / "imports" / "a.json")
    memory.note("files", 1)
    memory.keep()

    assert "not kept how far it came" in capsys.readouterr().err
    assert ImportMemory(tmp_path / "imports" / "a.json").get("files") is None
