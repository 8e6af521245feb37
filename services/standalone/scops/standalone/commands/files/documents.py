"""Files as documents: a file is one, and so is each line of JSON lines.

    {"id": "4711", "title": "River plan", "text": "It costs …", "time": "2026-03-01"}

`text` is read as Markdown; `url` stands in for `id`, `title` and `time` may be missing.
"""

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any
from urllib.parse import quote

from scops.common.scope.urls import file_uri
from scops.standalone.commands.files.finding import JSON_LINES, FoundFile
from scops.standalone.commands.files.keywords import keyword_paragraph

# Of a document: what a call of the API holds.
DOCUMENT_BYTES_MAX = 3_000_000
MARKDOWN = "text/markdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDocument:
    """What a page of a file says.

    Attributes:
        charset: empty where the content says it, or nobody knows.
        modified: when it was changed last; None where nothing says so.
    """

    uri: str
    content: bytes
    media_type: str
    charset: str = ""
    modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """A file or line that cannot be taken, and what is to be done about it."""

    uri: str
    why: str


def read_documents(file: FoundFile, collection: str) -> Iterator[FileDocument | Unread]:
    """Yields the documents of a file, one at a time."""
    try:
        uri = file_uri(collection, file.name)
    except UnicodeEncodeError:
        shown = file.name.encode(errors="replace").decode()
        yield Unread(file_uri(collection, shown), "its name is no UTF-8; rename it")
        return
    try:
        with _opened(file) as opened:
            if file.media_type == JSON_LINES:
                yield from _lines(opened, uri)
            else:
                more = keyword_paragraph(file.keywords) if file.keywords else b""
                yield _whole(opened, uri, file.media_type, more=more)
    except OSError as error:
        yield Unread(uri, f"{error.strerror or error}; let this user read it, or leave it out")


def _opened(file: FoundFile) -> IO[bytes]:
    """Opens a file, unless a link has taken its place; a pipe in its place does not block."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    opened = os.fdopen(os.open(file.path, flags), "rb")
    if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
        opened.close()
        raise OSError(0, "it is no plain file")
    return opened


def _whole(opened: IO[bytes], uri: str, media_type: str, *, more: bytes) -> FileDocument | Unread:
    content = opened.read(DOCUMENT_BYTES_MAX + 1)
    if not content:
        return Unread(uri, "it is empty; it is taken once something stands in it")
    if len(content) + len(more) > DOCUMENT_BYTES_MAX:
        return _too_long(uri, os.fstat(opened.fileno()).st_size)
    modified = datetime.fromtimestamp(os.fstat(opened.fileno()).st_mtime, UTC)
    return FileDocument(uri=uri, content=content + more, media_type=media_type, modified=modified)


def _lines(opened: IO[bytes], uri: str) -> Iterator[FileDocument | Unread]:
    seen: set[str] = set()
    number = 0
    while line := opened.readline(DOCUMENT_BYTES_MAX + 1):
        number += 1
        at = f"{uri}#line={number}"
        if len(line) > DOCUMENT_BYTES_MAX:
            yield _too_long(at, len(line) + _rest_of_line(opened, line))
            continue
        if not line.strip():
            continue
        read = _record(line, uri)
        if isinstance(read, str):
            yield Unread(at, read)
        elif read.uri in seen:
            yield Unread(at, "an earlier line has its id; give each document one of its own")
        else:
            seen.add(read.uri)
            yield read


def _rest_of_line(opened: IO[bytes], begin: bytes) -> int:
    """Reads a line to its end, as it was begun; returns how many bytes it still had."""
    size, part = 0, begin
    while part and not part.endswith(b"\n"):
        part = opened.readline(DOCUMENT_BYTES_MAX)
        size += len(part)
    return size


def _record(line: bytes, uri: str) -> FileDocument | str:
    """Returns the document of a line, or what is wrong with it."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"it is no JSON ({error}); each line is one object"
    if not isinstance(record, dict):
        return "it is no object; each line is one, with id and text"
    named, text = record.get("id", record.get("url")), record.get("text")
    if not isinstance(named, str | int) or isinstance(named, bool) or not str(named).strip():
        return "it has no id and no url; give it one, by which its versions are told"
    if not str(named).strip("."):
        return "its id has nothing but dots, which is no name; give it another"
    if not isinstance(text, str) or not text.strip():
        return "it has no text; give it one, or leave the line out"
    try:
        modified = _instant(record.get("time"))
    except ValueError:
        return f"its time {record['time']!r} is none; write it as 2026-03-01 or RFC 3339"
    title = " ".join(str(record.get("title") or "").split())
    content = f"# {title}\n\n{text}" if title else text
    return FileDocument(
        uri=f"{uri}/{quote(str(named), safe='', errors='replace')}",
        content=content.encode(errors="replace"),
        media_type=MARKDOWN,
        charset="utf-8",
        modified=modified,
    )


def _instant(value: Any) -> datetime | None:
    """Returns an instant; without a zone it is in UTC.

    Raises:
        ValueError: it is none.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise ValueError("no text")
    instant = datetime.fromisoformat(value)
    return instant if instant.tzinfo is not None else instant.replace(tzinfo=UTC)


def _too_long(uri: str, size: int) -> Unread:
    return Unread(
        uri, f"it has {size} bytes; {DOCUMENT_BYTES_MAX} are taken at most: divide it in parts"
    )
