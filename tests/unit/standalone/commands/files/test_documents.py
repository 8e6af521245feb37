"""What a file says, document by document."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scops.common.scope.urls import page_url
from scops.standalone.commands.files import documents
from scops.standalone.commands.files.documents import FileDocument, Unread, read_documents
from scops.standalone.commands.files.finding import FoundFile

WRITTEN = datetime(2025, 6, 1, 12, tzinfo=UTC)


def read(path: Path, name: str = "") -> list[FileDocument | Unread]:
    return list(read_documents(FoundFile(path, name or path.name), "handbook"))


def lines(folder: Path, *records: Any) -> list[FileDocument | Unread]:
    file = folder / "data.jsonl"
    file.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in records))
    return read(file)


def why(one: FileDocument | Unread) -> str:
    assert isinstance(one, Unread)
    return one.why


def test_a_file_is_a_document_of_its_time(tmp_path: Path) -> None:
    """Its URL is the one that a gateway stores, whatever its name holds."""
    file = tmp_path / "Plan #1 (50% off); ü?.md"
    file.write_bytes(b"# Plan")
    os.utime(file, (0, WRITTEN.timestamp()))
    (found,) = read(file, f"a b/{file.name}")

    assert isinstance(found, FileDocument)
    assert (b"# Plan", "text/markdown", WRITTEN) == (
        found.content,
        found.media_type,
        found.modified,
    )
    assert "file://handbook/a%20b/Plan%20%231%20%2850%25%20off%29%3B%20%C3%BC%3F.md" == found.uri
    assert found.uri == page_url(found.uri)


def test_a_line_is_a_document(tmp_path: Path) -> None:
    """Named by id or URL; its time is its own, not that of the file."""
    url = "https://a.test/x?y=1"
    first, second = lines(
        tmp_path,
        {"id": 7, "title": "River\nplan", "text": "It costs 7.", "time": "2025-06-01T12:00"},
        {"url": url, "text": "Free."},
    )

    assert (
        FileDocument(
            uri="file://handbook/data.jsonl/7",
            content=b"# River plan\n\nIt costs 7.",
            media_type="text/markdown",
            charset="utf-8",
            modified=WRITTEN,
        )
        == first
    )
    assert isinstance(second, FileDocument)
    assert ("file://handbook/data.jsonl/https%3A%2F%2Fa.test%2Fx%3Fy%3D1", None) == (
        second.uri,
        second.modified,
    )
    assert second.uri == page_url(second.uri)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ([1], "no object"),
        ({"text": "x"}, "no id"),
        ({"id": True, "text": "x"}, "no id"),
        ({"id": "..", "text": "x"}, "dots"),
        ({"id": "a"}, "no text"),
        ({"id": "a", "text": "x", "time": "soon"}, "time"),
        ({"id": "a", "text": "x", "time": 1}, "time"),
        ({"id": "one", "text": "again"}, "earlier line"),
    ],
)
def test_a_line_that_is_none_is_told(tmp_path: Path, record: Any, said: str) -> None:
    """By its number; the lines around it are taken."""
    one, wrong, two = lines(
        tmp_path, {"id": "one", "text": "1"}, record, {"id": "two", "text": "2"}
    )

    assert isinstance(one, FileDocument)
    assert isinstance(two, FileDocument)
    assert isinstance(wrong, Unread)
    assert "file://handbook/data.jsonl#line=2" == wrong.uri
    assert said in wrong.why


def test_what_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too long, empty, gone, or a link that took its place."""
    monkeypatch.setattr(documents, "DOCUMENT_BYTES_MAX", 4)
    (tmp_path / "long.md").write_text("12345")
    (tmp_path / "empty.md").write_text("")
    (tmp_path / "link.md").symlink_to(tmp_path / "empty.md")
    os.mkfifo(tmp_path / "pipe.md")
    said = {
        name: why(read(tmp_path / name)[0])
        for name in ("long.md", "empty.md", "link.md", "pipe.md", "none.md")
    }

    assert "it has 5 bytes; 4 are taken at most: divide it in parts" == said["long.md"]
    assert "empty" in said["empty.md"]
    assert "plain file" in said["pipe.md"]
    assert all("leave it out" in said[name] for name in ("link.md", "none.md"))


def test_a_name_that_is_no_utf8_is_told(tmp_path: Path) -> None:
    """It would have no URL that others can write."""
    (found,) = read(tmp_path / "x.md", os.fsdecode(b"\xff.md"))

    assert "UTF-8" in why(found)
