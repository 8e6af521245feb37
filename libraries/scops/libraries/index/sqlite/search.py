"""Searches the SQLite store: keeps its vectors in memory, in step with the file."""

import sqlite3
from collections.abc import Sequence

import numpy as np

from scops.common.contract.ids import ChunkId, ObjectId, PageId
from scops.libraries.index.ports import FloatArray, StoreHit, StoreQuery
from scops.libraries.index.sqlite import bm25
from scops.libraries.index.sqlite import mentions as sqlite_mentions
from scops.libraries.index.sqlite import rows as sqlite_rows
from scops.libraries.index.sqlite.passage_matrix import BoolArray, PassageMatrix
from scops.libraries.index.sqlite.prefix_index import PrefixIndex
from scops.libraries.index.sqlite.schema import decode_tokens
from scops.libraries.index.words.analysis import query_terms
from scops.libraries.index.words.language import main_languages

# Removed rows keep their memory until they are this share of all.
REMOVED_SHARE_MAX = 0.5
REMOVED_ROWS_MIN = 1000


class MemoryIndex:
    """The searchable side of a store file; every call is given a connection in a transaction."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._matrix: PassageMatrix | None = None
        self._prefixes = PrefixIndex()
        self._prefix_sets_seen = 0
        self._sequence_seen = 0

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Takes in what any process wrote since the last call."""
        self._read_prefix_sets(connection)
        first, last = connection.execute(
            "SELECT min(sequence), max(sequence) FROM passage_change"
        ).fetchone()
        if self._must_load(first or 0):
            self._load(connection)
        elif (last or 0) > self._sequence_seen:
            self._read_changes(connection)
        self._sequence_seen = max(self._sequence_seen, last or 0)

    def search(
        self, connection: sqlite3.Connection, query: StoreQuery, vector: FloatArray
    ) -> list[StoreHit]:
        """Returns the hits of a query, whose vector is known by now; see the port.

        Args:
            vector: shape (dimensions,), unit length; of the query.
        """
        matrix = self._loaded()
        allowed = matrix.allowed(
            self._prefixes.admitted(query.scope_filter),
            as_of=sqlite_rows.to_microseconds(query.as_of),
            page_ids=None if query.also_pages is None else sorted(query.also_pages),
        )
        if query.mentioning is not None:
            allowed &= self._mentioning(connection, query.mentioning)
        if not allowed.any():
            return []
        similarities = matrix.similarities(vector)
        found = {
            matrix.chunk_code(position): position
            for position in matrix.best(similarities, allowed, query.limit)
        }
        scores: dict[int, float] = {}
        for position, score in self._best_by_text(connection, query, allowed):
            scores[matrix.chunk_code(position)] = score
            found.setdefault(matrix.chunk_code(position), position)
        return self._hits(
            connection, found, similarities, scores, with_mentions=query.with_mentions
        )

    def _mentioning(self, connection: sqlite3.Connection, keys: frozenset[str]) -> BoolArray:
        """Marks the rows that are stored with one of some mentions."""
        matrix = self._loaded()
        marked = np.zeros(matrix.size, dtype=np.bool_)
        places = matrix.positions(sqlite_mentions.rows_with(connection, keys))
        marked[places[places >= 0]] = True
        return marked

    def _best_by_text(
        self, connection: sqlite3.Connection, query: StoreQuery, allowed: BoolArray
    ) -> list[tuple[int, float]]:
        """Returns (place, score) of the best allowed rows by BM25, one a chunk."""
        matrix = self._loaded()
        best: dict[int, tuple[int, float]] = {}
        terms = query_terms(query.text, main_languages(matrix.languages(allowed)))
        for batch in bm25.ranked(connection, terms, rows=matrix.size):
            places = matrix.positions([row_id for row_id, _ in batch])
            # A place of -1 is cleared by the first factor.
            for index in np.flatnonzero((places >= 0) & allowed[places]).tolist():
                position = int(places[index])
                best.setdefault(matrix.chunk_code(position), (position, batch[index][1]))
                if len(best) == query.limit:
                    return list(best.values())
        return list(best.values())

    def _hits(
        self,
        connection: sqlite3.Connection,
        positions: dict[int, int],
        similarities: FloatArray,
        scores: dict[int, float],
        *,
        with_mentions: bool,
    ) -> list[StoreHit]:
        matrix = self._loaded()
        rows = [matrix.row_id(position) for position in positions.values()]
        texts = sqlite_rows.texts(connection, rows)
        mentions = sqlite_mentions.of_rows(connection, rows) if with_mentions else {}
        hits = []
        for row_id, (code, position) in zip(rows, positions.items(), strict=True):
            object_id, chunk_id, page_id, header, text = texts[row_id]
            known = mentions.get(row_id)
            hits.append(
                StoreHit(
                    object_id=ObjectId(object_id),
                    chunk_id=ChunkId(chunk_id),
                    page_id=PageId(page_id),
                    header=header,
                    text=text,
                    similarity=float(similarities[position]),
                    bm25=scores.get(code),
                    mentions=None if known is None else frozenset(known.keys),
                )
            )
        return sorted(hits, key=lambda hit: (-hit.similarity, hit.chunk_id))

    def _must_load(self, first: int) -> bool:
        """Says whether changes were forgotten that we have not seen, or most rows are removed."""
        if self._matrix is None or first > self._sequence_seen + 1:
            return True
        removed = self._matrix.removed
        return removed >= REMOVED_ROWS_MIN and removed > REMOVED_SHARE_MAX * self._matrix.size

    def _load(self, connection: sqlite3.Connection) -> None:
        live, history = sqlite_rows.count(connection)
        self._matrix = PassageMatrix(self._dimensions, capacity=live + history)
        for row in sqlite_rows.all_matrix_rows(connection):
            self._matrix.put(row)

    def _read_changes(self, connection: sqlite3.Connection) -> None:
        matrix = self._loaded()
        changed = _changed_rows(connection, self._sequence_seen)
        present = set()
        for row in sqlite_rows.matrix_rows(connection, changed):
            matrix.put(row)
            present.add(row.row_id)
        for row_id in changed:
            if row_id not in present:
                matrix.remove(row_id)

    def _read_prefix_sets(self, connection: sqlite3.Connection) -> None:
        for number, access_context, tokens in connection.execute(
            "SELECT id, access_context, tokens FROM prefix_set WHERE id > ? ORDER BY id",
            (self._prefix_sets_seen,),
        ):
            self._prefixes.add(number, decode_tokens(tokens), access_context)
            self._prefix_sets_seen = number

    def _loaded(self) -> PassageMatrix:
        assert self._matrix is not None, "refresh comes first"
        return self._matrix


def _changed_rows(connection: sqlite3.Connection, after: int) -> Sequence[int]:
    return [
        row[0]
        for row in connection.execute(
            "SELECT DISTINCT id FROM passage_change WHERE sequence > ? ORDER BY id", (after,)
        )
    ]
