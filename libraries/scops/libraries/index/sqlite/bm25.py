"""BM25 by SQLite's FTS5 over the terms of header and text.

Source: SQLite FTS5, section 5.1.1 (bm25: k1 1.2, b 0.75; the idf of a term that more than half of
the rows hold is about 0).
"""

import sqlite3
from collections.abc import Iterator

# Below this many rows every term is looked up: it is fast, and small stores stay exact.
COMMON_TERM_ROWS_MIN = 2000
FETCH_ROWS = 512


def ranked(
    connection: sqlite3.Connection, terms: tuple[str, ...], *, rows: int
) -> Iterator[list[tuple[int, float]]]:
    """Yields batches of (row, score) of the rows that hold any of some terms, best first.

    Args:
        rows: how many rows the store holds, live and historical.
    """
    match = _match(connection, terms, rows)
    if not match:
        return
    cursor = connection.execute(
        "SELECT rowid, rank FROM passage_text WHERE passage_text MATCH ? ORDER BY rank, rowid",
        (match,),
    )
    while batch := cursor.fetchmany(FETCH_ROWS):
        # FTS5 ranks the best lowest.
        yield [(row_id, -rank) for row_id, rank in batch]


def _match(connection: sqlite3.Connection, terms: tuple[str, ...], rows: int) -> str:
    """Returns an OR of quoted terms; quotes take every meaning from AND, NEAR, * and columns."""
    if rows >= COMMON_TERM_ROWS_MIN:
        terms = _telling(connection, terms, rows)
    return " OR ".join(f'"{term}"' for term in terms)


def _telling(connection: sqlite3.Connection, terms: tuple[str, ...], rows: int) -> tuple[str, ...]:
    """Leaves out terms that more than half of the rows hold: they add nothing to a score.

    A query of such terms alone keeps them.
    """
    telling = tuple(term for term in terms if _holders(connection, term) <= rows / 2)
    return telling or terms


def _holders(connection: sqlite3.Connection, term: str) -> int:
    row = connection.execute("SELECT doc FROM passage_term WHERE term = ?", (term,)).fetchone()
    return int(row[0]) if row else 0
