"""Writes and reads the chunk objects of the SQLite store; every function runs in a transaction."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np

from scops.common.contract.ids import ChunkId, EmbeddingKey, ObjectId, PageId
from scops.common.db.batches import batches
from scops.common.db.types import EPOCH, MICROSECOND
from scops.libraries.index.ports import ChunkObject, FloatArray
from scops.libraries.index.sqlite import mentions as sqlite_mentions
from scops.libraries.index.sqlite.passage_matrix import BEGINNING, END, MatrixRow
from scops.libraries.index.sqlite.schema import decode_tokens, encode_tokens
from scops.libraries.index.words.analysis import analysed
from scops.libraries.index.words.language import detected_language
from scops.libraries.mentions.port import Mentions

# Changes that a reader in another process may be behind before it loads everything again.
CHANGES_KEPT = 100_000

MATRIX_COLUMNS = """
    SELECT p.id, p.chunk_id, p.page_id, p.prefix_set, p.history, b.vector,
           p.observed_from, p.observed_to, coalesce(a.language, '')
    FROM passage p JOIN payload b ON b.id = p.id LEFT JOIN analysis a ON a.id = p.id
"""
OBJECT_COLUMNS = """
    SELECT p.object_id, p.chunk_id, p.page_id, s.access_context, s.tokens, b.header, b.text,
           b.embedding_key, b.vector, p.observed_from, p.observed_to, p.id
    FROM passage p JOIN payload b ON b.id = p.id JOIN prefix_set s ON s.id = p.prefix_set
"""


def insert(
    connection: sqlite3.Connection, objects: Sequence[ChunkObject], *, history: bool
) -> None:
    """Adds objects that are not there; an interval that is there grows to hold the new one."""
    for item in objects:
        if not _insert_one(connection, item, history=history) and history:
            _widen(connection, item)


def delete(
    connection: sqlite3.Connection, object_ids: Sequence[ObjectId], *, history: bool = False
) -> None:
    """Removes live or historical objects."""
    for object_id in object_ids:
        row = connection.execute(
            "SELECT p.id, coalesce(a.header, b.header), coalesce(a.text, b.text) FROM passage p "
            "JOIN payload b ON b.id = p.id LEFT JOIN analysis a ON a.id = p.id "
            "WHERE p.object_id = ? AND p.history = ?",
            (object_id, int(history)),
        ).fetchone()
        if row is None:
            continue
        # An FTS5 table with external content must be told what it is to forget.
        connection.execute(
            "INSERT INTO passage_text (passage_text, rowid, header, text) "
            "VALUES ('delete', ?, ?, ?)",
            row,
        )
        sqlite_mentions.delete(connection, row[0])
        connection.execute("DELETE FROM analysis WHERE id = ?", row[:1])
        connection.execute("DELETE FROM payload WHERE id = ?", row[:1])
        connection.execute("DELETE FROM passage WHERE id = ?", row[:1])
        _note_change(connection, row[0])


def set_prefixes(
    connection: sqlite3.Connection, page_id: PageId, prefixes: tuple[str, ...]
) -> None:
    """Rewrites the prefixes of a page's objects; each keeps its access context."""
    rows = connection.execute(
        "SELECT p.id, p.prefix_set, s.access_context FROM passage p "
        "JOIN prefix_set s ON s.id = p.prefix_set WHERE p.page_id = ? ORDER BY p.id",
        (page_id,),
    ).fetchall()
    for row_id, old, access_context in rows:
        new = _prefix_set(connection, access_context, prefixes)
        if new != old:
            connection.execute("UPDATE passage SET prefix_set = ? WHERE id = ?", (new, row_id))
            _note_change(connection, row_id)


def get(connection: sqlite3.Connection, object_ids: Sequence[ObjectId]) -> list[ChunkObject]:
    """Returns the live objects with these ids."""
    rows = [
        row
        for batch in batches(object_ids)
        for row in connection.execute(
            f"{OBJECT_COLUMNS} WHERE p.history = 0 AND p.object_id IN ({_marks(batch)}) "
            "ORDER BY p.id",
            batch,
        )
    ]
    mentions = sqlite_mentions.of_rows(connection, [row[-1] for row in rows])
    return [_object(row, mentions.get(row[-1])) for row in rows]


def embedding_keys(
    connection: sqlite3.Connection, object_ids: Sequence[ObjectId]
) -> frozenset[EmbeddingKey]:
    """Returns what live and historical objects with these ids were embedded by."""
    return frozenset(
        EmbeddingKey(row[0])
        for batch in batches(object_ids)
        for row in connection.execute(
            "SELECT b.embedding_key FROM passage p JOIN payload b ON b.id = p.id "
            f"WHERE p.object_id IN ({_marks(batch)})",
            batch,
        )
    )


def vectors(
    connection: sqlite3.Connection, object_ids: Sequence[ObjectId]
) -> dict[EmbeddingKey, FloatArray]:
    """Returns the vectors of live and historical objects with these ids, by their keys."""
    return {
        EmbeddingKey(key): np.frombuffer(vector, dtype=np.float32)
        for batch in batches(object_ids)
        for key, vector in connection.execute(
            "SELECT b.embedding_key, b.vector FROM passage p JOIN payload b ON b.id = p.id "
            f"WHERE p.object_id IN ({_marks(batch)})",
            batch,
        )
    }


def count(connection: sqlite3.Connection) -> tuple[int, int]:
    """Returns the numbers of live and of historical objects."""
    found = dict(connection.execute("SELECT history, count(*) FROM passage GROUP BY history"))
    return found.get(0, 0), found.get(1, 0)


def texts(
    connection: sqlite3.Connection, row_ids: Sequence[int]
) -> dict[int, tuple[str, str, str, str, str]]:
    """Returns (object_id, chunk_id, page_id, header, text) by row."""
    return {
        row[0]: row[1:]
        for batch in batches(row_ids)
        for row in connection.execute(
            "SELECT p.id, p.object_id, p.chunk_id, p.page_id, b.header, b.text FROM passage p "
            f"JOIN payload b ON b.id = p.id WHERE p.id IN ({_marks(batch)})",
            batch,
        )
    }


def all_matrix_rows(connection: sqlite3.Connection) -> Iterator[MatrixRow]:
    """Yields every object for the memory, in order of their rows."""
    for row in connection.execute(f"{MATRIX_COLUMNS} ORDER BY p.id"):
        yield _matrix_row(row)


def matrix_rows(connection: sqlite3.Connection, row_ids: Sequence[int]) -> Iterator[MatrixRow]:
    """Yields the objects that are there among these rows, in order."""
    for batch in batches(sorted(row_ids)):
        statement = f"{MATRIX_COLUMNS} WHERE p.id IN ({_marks(batch)}) ORDER BY p.id"
        for row in connection.execute(statement, batch):
            yield _matrix_row(row)


def prune_changes(connection: sqlite3.Connection) -> None:
    """Forgets changes that every reader should have seen."""
    connection.execute(
        "DELETE FROM passage_change WHERE sequence <= "
        "(SELECT max(sequence) FROM passage_change) - ?",
        (CHANGES_KEPT,),
    )


def _insert_one(connection: sqlite3.Connection, item: ChunkObject, *, history: bool) -> bool:
    cursor = connection.execute(
        "INSERT INTO passage (object_id, history, chunk_id, page_id, prefix_set, observed_from, "
        "observed_to) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            item.object_id,
            int(history),
            item.chunk_id,
            item.page_id,
            _prefix_set(connection, item.access_context, item.url_prefixes),
            to_microseconds(item.observed_from),
            to_microseconds(item.observed_to),
        ),
    )
    if cursor.rowcount == 0:
        return False
    row_id = cursor.lastrowid
    assert row_id is not None, "a row was inserted"
    vector = np.ascontiguousarray(item.vector, dtype=np.float32).tobytes()
    connection.execute(
        "INSERT INTO payload VALUES (?, ?, ?, ?, ?)",
        (row_id, item.header, item.text, item.embedding_key, vector),
    )
    _put_terms(connection, row_id, item)
    if item.mentions is not None:
        sqlite_mentions.put(connection, row_id, item.mentions)
    _note_change(connection, row_id)
    return True


def _put_terms(connection: sqlite3.Connection, row_id: int, item: ChunkObject) -> None:
    """Stores the language of an object and its terms, and indexes these."""
    language = detected_language(item.text)
    header, text = analysed(item.header, language), analysed(item.text, language)
    connection.execute("INSERT INTO analysis VALUES (?, ?, ?, ?)", (row_id, language, header, text))
    connection.execute(
        "INSERT INTO passage_text (rowid, header, text) VALUES (?, ?, ?)", (row_id, header, text)
    )


def _widen(connection: sqlite3.Connection, item: ChunkObject) -> None:
    """Lets the interval of a history object grow; an open end stays open."""
    begin, end = to_microseconds(item.observed_from), to_microseconds(item.observed_to)
    row = connection.execute(
        "UPDATE passage SET observed_from = min(observed_from, ?), "
        "observed_to = max(observed_to, ?) WHERE object_id = ? AND history = 1 RETURNING id",
        (begin, end, item.object_id),
    ).fetchone()
    _note_change(connection, row[0])


def _prefix_set(
    connection: sqlite3.Connection, access_context: str, prefixes: tuple[str, ...]
) -> int:
    key = (access_context, encode_tokens(prefixes))
    found = connection.execute(
        "SELECT id FROM prefix_set WHERE access_context = ? AND tokens = ?", key
    ).fetchone()
    if found is None:
        found = connection.execute(
            "INSERT INTO prefix_set (access_context, tokens) VALUES (?, ?) RETURNING id", key
        ).fetchone()
    return int(found[0])


def _note_change(connection: sqlite3.Connection, row_id: int | None) -> None:
    connection.execute("INSERT INTO passage_change (id) VALUES (?)", (row_id,))


def _matrix_row(row: tuple) -> MatrixRow:  # type: ignore[type-arg]
    row_id, chunk_id, page_id, prefix_set, history, vector, begin, end, language = row
    return MatrixRow(
        row_id=row_id,
        chunk_id=chunk_id,
        page_id=page_id,
        prefix_set=prefix_set,
        history=bool(history),
        vector=vector,
        begin=BEGINNING if begin is None else begin,
        end=END if end is None else end,
        language=language,
    )


def _object(row: tuple, mentions: Mentions | None) -> ChunkObject:  # type: ignore[type-arg]
    return ChunkObject(
        object_id=ObjectId(row[0]),
        chunk_id=ChunkId(row[1]),
        page_id=PageId(row[2]),
        access_context=row[3],
        url_prefixes=decode_tokens(row[4]),
        header=row[5],
        text=row[6],
        embedding_key=EmbeddingKey(row[7]),
        vector=np.frombuffer(row[8], dtype=np.float32),
        observed_from=from_microseconds(row[9]),
        observed_to=from_microseconds(row[10]),
        mentions=mentions,
    )


def to_microseconds(value: datetime | None) -> int | None:
    """Returns an instant as microseconds since 1970."""
    return None if value is None else (value - EPOCH) // MICROSECOND


def from_microseconds(value: int | None) -> datetime | None:
    """Returns the instant of some microseconds since 1970."""
    return None if value is None else EPOCH + value * MICROSECOND


def _marks(values: Sequence) -> str:  # type: ignore[type-arg]
    return ",".join("?" * len(values))
