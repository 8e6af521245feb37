"""Lists of keywords go with the texts of their names, as data sets of keyphrases have them."""

from pathlib import Path

import pytest

from scops.standalone.commands.files.documents import FileDocument, read_documents
from scops.standalone.commands.files.finding import find_files
from scops.standalone.commands.files.keywords import with_keywords
from scops.standalone.terminal.exits import CommandError


def _set(folder: Path, **lists: str) -> Path:
    """Writes two texts, and lists beside them."""
    for name in ("docsutf8", "keys"):
        (folder / name).mkdir()
    (folder / "docsutf8" / "7.txt").write_text("Floats of cork rise.", encoding="utf-8")
    (folder / "docsutf8" / "7.1.txt").write_text("So do keepers.", encoding="utf-8")
    for name, text in lists.items():
        (folder / "keys" / f"{name.lstrip('_')}.key").write_text(text, encoding="utf-8")
    return folder


def _read(folder: Path, keys: Path) -> dict[str, str]:
    found = find_files([str(folder / "docsutf8")], root=None)
    files = with_keywords(found.files, keys)
    read = (one for file in files for one in read_documents(file, "inspec"))
    return {one.uri: one.content.decode() for one in read if isinstance(one, FileDocument)}


def test_list_is_the_last_paragraph_of_its_text(tmp_path: Path) -> None:
    """Each phrase once; a text without a list stays as it is."""
    folder = _set(tmp_path, _7="cork  floats\n\ntides\ncork floats\n")

    assert {
        "file://inspec/7.txt": "Floats of cork rise.\n\nKeywords: cork floats; tides\n",
        "file://inspec/7.1.txt": "So do keepers.",
    } == _read(folder, folder / "keys")


def test_folder_of_texts_has_lists_of_another_ending(tmp_path: Path) -> None:
    """Beside their texts, of which none is a list of itself."""
    folder = _set(tmp_path)
    (folder / "docsutf8" / "7.key").write_text("tides", encoding="utf-8")

    assert ["Floats of cork rise.\n\nKeywords: tides\n", "So do keepers."] == sorted(
        _read(folder, folder / "docsutf8").values()
    )


def test_folder_without_a_list_of_any_text_is_refused(tmp_path: Path) -> None:
    """So is one that is not there: a set would be taken without its keywords."""
    folder = _set(tmp_path, _8="tides")

    for keys in (folder / "keys", folder / "none"):
        with pytest.raises(CommandError, match=r"There is no folder|No list in"):
            _read(folder, keys)
