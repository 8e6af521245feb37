"""Erases objects from the files of an index, also from those of other generations.

A full-text index keeps the words of a deleted row until its segments are merged, and the journal
keeps pages until it is folded into the file.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from scops.common.contract.ids import ObjectId
from scops.libraries.index.sqlite import rows, schema

MERGE = "INSERT INTO passage_text (passage_text) VALUES ('optimize')"
FOLD = "PRAGMA wal_checkpoint(TRUNCATE)"


def other_files(path: Path) -> Sequence[Path]:
    """Returns the generations beside the one that a path leads to, unfinished ones too."""
    served = path.resolve()
    beside = sorted(path.parent.glob(f"{path.stem}[-.]*{path.suffix}"))
    return [each for each in beside if each != path and each.resolve() != served]


def erase(path: Path, object_ids: Sequence[ObjectId]) -> None:
    """Removes objects from a file, whoever's embedder it belongs to; none where it is gone.

    Raises:
        sqlite3.Error: the file does not answer.
    """
    with _opened(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for history in (False, True):
            rows.delete(connection, object_ids, history=history)
        connection.execute("COMMIT")


def scrub_file(path: Path) -> None:
    """Does as `scrub` for a file that nobody serves from; raises as `erase`."""
    with _opened(path) as connection:
        scrub(connection)


def scrub(connection: sqlite3.Connection) -> None:
    """Merges away the words of deleted rows and folds the journal into the file."""
    connection.execute(MERGE)
    connection.execute(FOLD).fetchall()


def _opened(path: Path) -> closing[sqlite3.Connection]:
    connection = schema.connect(str(path))
    # A file of an earlier version lacks what was added since.
    connection.executescript(schema.TABLES)
    return closing(connection)
