"""What passages mention, in the SQLite store; every function runs in a transaction."""

import json
import sqlite3
from collections.abc import Sequence, Set

from scops.common.db.batches import batches
from scops.libraries.mentions.port import Mentions


def put(connection: sqlite3.Connection, row_id: int, mentions: Mentions) -> None:
    """Stores what a new passage mentions."""
    connection.execute(
        "INSERT INTO mention_set VALUES (?, ?, ?)",
        (row_id, mentions.extractor_id, json.dumps(mentions.keys, ensure_ascii=False)),
    )
    connection.executemany(
        "INSERT INTO mention VALUES (?, ?)", [(key, row_id) for key in sorted(mentions.keys)]
    )


def delete(connection: sqlite3.Connection, row_id: int) -> None:
    """Removes what is stored of a passage's mentions."""
    mentions = of_rows(connection, [row_id]).get(row_id)
    if mentions is None:
        return
    connection.executemany(
        "DELETE FROM mention WHERE key = ? AND id = ?", [(key, row_id) for key in mentions.keys]
    )
    connection.execute("DELETE FROM mention_set WHERE id = ?", (row_id,))


def of_rows(connection: sqlite3.Connection, row_ids: Sequence[int]) -> dict[int, Mentions]:
    """Returns what passages mention, by row; those stored without it are left out."""
    found = {}
    for batch in batches(row_ids):
        marks = ",".join("?" * len(batch))
        for row_id, extractor_id, keys in connection.execute(
            f"SELECT id, extractor_id, keys FROM mention_set WHERE id IN ({marks})", batch
        ):
            found[row_id] = Mentions(tuple(json.loads(keys)), extractor_id)
    return found


def rows_with(connection: sqlite3.Connection, keys: Set[str]) -> list[int]:
    """Returns the rows of the passages that mention one of some keys, each once, in order."""
    rows: set[int] = set()
    for key in sorted(keys):
        rows.update(
            row_id
            for (row_id,) in connection.execute("SELECT id FROM mention WHERE key = ?", (key,))
        )
    return sorted(rows)
