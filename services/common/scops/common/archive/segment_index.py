"""Where each blob lies in the segments of a folder: a SQLite file that all processes share.

Rows are truth for what a segment holds: what lies behind its noted size was never acknowledged,
and what no row names is dead. Every commit is on the disk.
"""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

WAIT_SECONDS = 30.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS segment (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL,
    dead_bytes INTEGER NOT NULL DEFAULT 0, closed INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS blob (
    digest BLOB NOT NULL, aside INTEGER NOT NULL, put_time INTEGER NOT NULL,
    segment INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL,
    payload INTEGER NOT NULL, size INTEGER NOT NULL, PRIMARY KEY (digest, aside)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS blob_by_segment ON blob (segment);
CREATE TABLE IF NOT EXISTS dead (
    segment INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL,
    PRIMARY KEY (segment, start)
) WITHOUT ROWID;
"""
FIND = """
SELECT blob.aside, blob.put_time, segment.id, segment.name, blob.start, blob.length,
       blob.payload, blob.size
FROM blob JOIN segment ON segment.id = blob.segment WHERE blob.digest = ?
"""


@dataclass(frozen=True, slots=True)
class BlobPlace:
    """Where a blob lies.

    Attributes:
        put_time: microseconds since 1970.
        start, length: of its records in the segment; `payload`, `size`: of its own bytes, from
            `start`.
    """

    aside: bool
    put_time: int
    segment: int
    name: str
    start: int
    length: int
    payload: int
    size: int


@dataclass(frozen=True, slots=True)
class SegmentSpan:
    """Some bytes of a segment."""

    segment: int
    name: str
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A segment as the index knows it."""

    id: int
    name: str
    bytes: int
    dead_bytes: int


class SegmentIndex:
    """The rows; methods that write are called within `writing`.

    Raises:
        sqlite3.Error: the file cannot be opened, read or written.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._reader = self._connect()
        self._reading = threading.Lock()
        self._writing = threading.RLock()
        self._writer_opened: sqlite3.Connection | None = None

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self._path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )

    @property
    def _writer(self) -> sqlite3.Connection:
        if self._writer_opened is None:
            self._writer_opened = self._connect()
            self._writer_opened.execute("PRAGMA synchronous = FULL")
            self._writer_opened.execute("PRAGMA secure_delete = ON")
        return self._writer_opened

    def create(self) -> None:
        """Makes the tables."""
        self._writer.execute("PRAGMA journal_mode = WAL")
        self._writer.executescript(SCHEMA)

    def close(self) -> None:
        """Closes the file, after what is under way in it."""
        with self._writing, self._reading:
            self._reader.close()
            if self._writer_opened is not None:
                self._writer_opened.close()

    def _read(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with self._reading:
            return self._reader.execute(statement, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One commit, which waits for those of others."""
        with self._writing:
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    def find(self, digest: bytes, *, aside: bool | None = None) -> BlobPlace | None:
        """Returns where a blob lies; one that is not set aside comes first."""
        if aside is None:
            rows = self._read(FIND + "ORDER BY aside LIMIT 1", (digest,))
        else:
            rows = self._read(FIND + "AND aside = ?", (digest, aside))
        return BlobPlace(bool(rows[0][0]), *rows[0][1:]) if rows else None

    def digests(self) -> set[str]:
        """Returns the digest of every blob, those that are set aside included."""
        return {row[0].hex() for row in self._read("SELECT digest FROM blob")}

    def open_segments(self) -> list[SegmentRow]:
        """Returns the segments that are not closed, also those of other processes."""
        found = self._read("SELECT id, name, bytes, dead_bytes FROM segment WHERE closed = 0")
        return [SegmentRow(*row) for row in found]

    def size_of(self, segment: int) -> int | None:
        """Returns up to where a segment is acknowledged; None where it has gone."""
        rows = self._read("SELECT bytes FROM segment WHERE id = ?", (segment,))
        return int(rows[0][0]) if rows else None

    def mostly_dead(self) -> list[SegmentRow]:
        """Returns the closed segments more than half of which is dead."""
        found = self._read(
            "SELECT id, name, bytes, dead_bytes FROM segment "
            "WHERE closed = 1 AND dead_bytes * 2 > bytes"
        )
        return [SegmentRow(*row) for row in found]

    def live(self, segment: int) -> list[tuple[bytes, SegmentSpan]]:
        """Returns digest and span of every blob in a segment, in their order."""
        found = self._read(
            "SELECT blob.digest, segment.id, segment.name, blob.start, blob.length FROM blob "
            "JOIN segment ON segment.id = blob.segment WHERE blob.segment = ? ORDER BY blob.start",
            (segment,),
        )
        return [(row[0], SegmentSpan(*row[1:])) for row in found]

    def dead(self) -> list[SegmentSpan]:
        """Returns what no blob is made of any more and still has its bytes."""
        found = self._read(
            "SELECT segment.id, segment.name, dead.start, dead.length FROM dead "
            "JOIN segment ON segment.id = dead.segment"
        )
        return [SegmentSpan(*row) for row in found]

    def add_segment(self, name: str, size: int) -> int:
        """Notes a new segment; returns its id."""
        cursor = self._writer.execute(
            "INSERT INTO segment (name, bytes) VALUES (?, ?)", (name, size)
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def set_size(self, segment: int, size: int) -> None:
        """Notes up to where a segment is acknowledged."""
        self._writer.execute("UPDATE segment SET bytes = ? WHERE id = ?", (size, segment))

    def close_segment(self, segment: int) -> None:
        """Notes that nothing is appended any more."""
        self._writer.execute("UPDATE segment SET closed = 1 WHERE id = ?", (segment,))

    def forget_segment(self, segment: int) -> None:
        """Forgets a segment in which no blob lies."""
        self._writer.execute("DELETE FROM dead WHERE segment = ?", (segment,))
        self._writer.execute("DELETE FROM segment WHERE id = ?", (segment,))

    def add(self, digest: bytes, place: BlobPlace) -> bool:
        """Notes a blob; returns whether none of its digest lay there, not set aside."""
        cursor = self._writer.execute(
            "INSERT OR IGNORE INTO blob VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                digest,
                place.aside,
                place.put_time,
                place.segment,
                place.start,
                place.length,
                place.payload,
                place.size,
            ),
        )
        return cursor.rowcount == 1

    def renew(self, digest: bytes, put_time: int) -> bool:
        """Notes that a blob was put again; returns whether it lies there, not set aside."""
        cursor = self._writer.execute(
            "UPDATE blob SET put_time = ? WHERE digest = ? AND aside = 0", (put_time, digest)
        )
        return cursor.rowcount == 1

    def remove(self, digest: bytes, *, aside: bool) -> None:
        """Forgets a blob; its bytes are dead from then on."""
        mine = (digest, aside)
        self._writer.execute(
            "INSERT OR IGNORE INTO dead SELECT segment, start, length FROM blob "
            "WHERE digest = ? AND aside = ?",
            mine,
        )
        self._writer.execute("DELETE FROM blob WHERE digest = ? AND aside = ?", mine)

    def set_aside(self, digest: bytes) -> None:
        """Sets a blob aside, in the place of what was aside of it."""
        present = "SELECT 1 FROM blob WHERE digest = ? AND aside = 0"
        if self._writer.execute(present, (digest,)).fetchone() is not None:
            self.remove(digest, aside=True)
            self._writer.execute("UPDATE blob SET aside = 1 WHERE digest = ?", (digest,))

    def put_back(self, digest: bytes) -> None:
        """Takes back what was set aside, unless the blob was put since."""
        self._writer.execute("UPDATE OR IGNORE blob SET aside = 0 WHERE digest = ?", (digest,))

    def move(self, digest: bytes, source: SegmentSpan, copy: SegmentSpan) -> bool:
        """Notes another place of a blob; returns whether it lay where it is moved from."""
        cursor = self._writer.execute(
            "UPDATE blob SET segment = ?, start = ? WHERE digest = ? AND segment = ? AND start = ?",
            (copy.segment, copy.start, digest, source.segment, source.start),
        )
        return cursor.rowcount == 1

    def note_dead(self, span: SegmentSpan) -> None:
        """Notes bytes that no blob is made of."""
        self._writer.execute(
            "INSERT OR IGNORE INTO dead VALUES (?, ?, ?)", (span.segment, span.start, span.length)
        )

    def bury(self, spans: Sequence[SegmentSpan]) -> None:
        """Notes that dead bytes are gone."""
        for span in spans:
            gone = self._writer.execute(
                "DELETE FROM dead WHERE segment = ? AND start = ?", (span.segment, span.start)
            )
            if gone.rowcount == 1:
                self._writer.execute(
                    "UPDATE segment SET dead_bytes = dead_bytes + ? WHERE id = ?",
                    (span.length, span.segment),
                )
