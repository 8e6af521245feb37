"""Reads what a system has indexed, from its SQLite chunk store."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from scops.common.contract.ids import embedded_text

LIVE_ROWS = """
SELECT payload.id, payload.header, payload.text FROM payload
JOIN passage ON passage.id = payload.id
WHERE passage.history = 0 AND payload.id > ? ORDER BY payload.id
"""


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A live chunk; `row` grows with the time of its insertion."""

    row: int
    header: str
    text: str

    @property
    def embedded_text(self) -> str:
        """What was embedded for it."""
        return embedded_text(self.header, self.text)


def indexed_chunks(system_folder: Path, *, after_row: int = 0) -> list[IndexedChunk]:
    """Returns the live chunks that were inserted after a row, in that order."""
    return list(_rows(system_folder, after_row))


def new_texts(before: list[IndexedChunk], after: list[IndexedChunk]) -> list[IndexedChunk]:
    """Returns those of the later chunks whose exact text none of the earlier ones has."""
    known = {chunk.text for chunk in before}
    return [chunk for chunk in after if chunk.text not in known]


def _rows(system_folder: Path, after_row: int) -> Iterator[IndexedChunk]:
    path = system_folder / "data" / "index" / "chunks.db"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        for row, header, text in connection.execute(LIVE_ROWS, (after_row,)):
            yield IndexedChunk(row, header, text)
