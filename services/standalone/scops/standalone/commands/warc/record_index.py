"""Lines of an index that are held on the disk, to be read in an order of their own.

SQLite keeps them in a file of its own that has no name and goes with the process, and sorts them
in bounded memory.
"""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any

from surt import surt

# A name of nothing: a database of temporary files, of which little is held in memory.
TEMPORARY = ""
TABLE = "CREATE TABLE entries (key TEXT, stamp TEXT, fields TEXT)"
BY_ARRIVAL = "SELECT key, stamp, fields FROM entries ORDER BY rowid"
BY_KEY = "SELECT key, stamp, fields FROM entries ORDER BY key, stamp, rowid"


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A line of a CDXJ file.

    Attributes:
        key: the URL in SURT form.
        stamp: 14 digits of the time.
        fields: what else it says, such as url, mime, filename, offset and length.
    """

    key: str
    stamp: str
    fields: dict[str, Any]


class RecordIndex:
    """The index of a file that is being written."""

    def __init__(self) -> None:
        self._entries = sqlite3.connect(TEMPORARY, isolation_level=None)
        # What is lost with the process needs no way back.
        self._entries.execute("PRAGMA journal_mode = OFF")
        self._entries.execute(TABLE)

    def __enter__(self) -> "RecordIndex":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._entries.close()

    def add(self, url: str, at: datetime, fields: dict[str, Any]) -> None:
        """Takes in the line of a record."""
        row = (surt(url), f"{at:%Y%m%d%H%M%S}", json.dumps(fields, ensure_ascii=False))
        self._entries.execute("INSERT INTO entries VALUES (?, ?, ?)", row)

    def by_arrival(self) -> Iterator[IndexEntry]:
        """Yields the entries as they came."""
        return self._read(BY_ARRIVAL)

    def by_key(self) -> Iterator[IndexEntry]:
        """Yields the entries as CDXJ files have them."""
        return self._read(BY_KEY)

    def _read(self, statement: str) -> Iterator[IndexEntry]:
        for key, stamp, fields in self._entries.execute(statement):
            yield IndexEntry(key, stamp, json.loads(fields))
