"""The vectors of a store in memory, with what a filter needs beside each, for exact search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from scops.libraries.index.ports import FloatArray
from scops.libraries.index.words.language import PLAIN

BoolArray = NDArray[np.bool_]
Positions = NDArray[np.int64]
Element = TypeVar("Element", bound=np.generic)

GROWTH = 1.25
# Instants as microseconds; these stand for "always".
BEGINNING = -(2**62)
END = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """A stored object without its texts.

    Attributes:
        row_id: the store's own number; rows are added with rising numbers.
        vector: float32 bytes.
        language: by ISO 639-1.
        begin, end: the interval of a history object, in microseconds since 1970; end exclusive.
    """

    row_id: int
    chunk_id: str
    page_id: str
    prefix_set: int
    history: bool
    vector: bytes
    begin: int = BEGINNING
    end: int = END
    language: str = PLAIN


class PassageMatrix:
    """Rows in order of their numbers; a removed row keeps its place until the next load.

    Args:
        dimensions: length of every vector.
        capacity: rows to reserve at once.
    """

    def __init__(self, dimensions: int, *, capacity: int = 1024) -> None:
        self.size = 0
        self.removed = 0
        self._codes: dict[str, int] = {}
        self._pages: dict[str, int] = {}
        self._languages: dict[str, int] = {}
        self._vectors: FloatArray = np.empty((max(capacity, 1), dimensions), dtype=np.float32)
        rows = len(self._vectors)
        self._row_ids: NDArray[np.int64] = np.zeros(rows, dtype=np.int64)
        self._prefix_sets: NDArray[np.int32] = np.zeros(rows, dtype=np.int32)
        self._chunk_codes: NDArray[np.int32] = np.zeros(rows, dtype=np.int32)
        self._page_codes: NDArray[np.int32] = np.zeros(rows, dtype=np.int32)
        self._language_codes: NDArray[np.int16] = np.zeros(rows, dtype=np.int16)
        self._history: BoolArray = np.zeros(rows, dtype=np.bool_)
        self._alive: BoolArray = np.zeros(rows, dtype=np.bool_)
        self._begin: NDArray[np.int64] = np.zeros(rows, dtype=np.int64)
        self._end: NDArray[np.int64] = np.zeros(rows, dtype=np.int64)

    def put(self, row: MatrixRow) -> None:
        """Adds a row, or renews what can change of one that is there."""
        position = self.position(row.row_id)
        if position is None:
            position = self._append(row)
        self._prefix_sets[position] = row.prefix_set
        self._begin[position] = row.begin
        self._end[position] = row.end

    def remove(self, row_id: int) -> None:
        """Takes a row out of every search; an unknown one changes nothing."""
        position = self.position(row_id)
        if position is not None and self._alive[position]:
            self._alive[position] = False
            self.removed += 1

    def position(self, row_id: int) -> int | None:
        """Returns the place of a row that was put, also when removed since."""
        position = int(np.searchsorted(self._row_ids[: self.size], row_id))
        found = position < self.size and self._row_ids[position] == row_id
        return position if found else None

    def positions(self, row_ids: Sequence[int]) -> Positions:
        """Returns the places of rows; one that was never put has place -1."""
        wanted = np.array(row_ids, dtype=np.int64)
        places: Positions = np.searchsorted(self._row_ids[: self.size], wanted)
        known = np.zeros(len(wanted), dtype=np.bool_)
        inside = places < self.size
        known[inside] = self._row_ids[places[inside]] == wanted[inside]
        return np.where(known, places, -1)

    def row_id(self, position: int) -> int:
        return int(self._row_ids[position])

    def chunk_code(self, position: int) -> int:
        """Returns a number that is the same for all objects of one chunk."""
        return int(self._chunk_codes[position])

    def allowed(
        self,
        admitted: BoolArray,
        *,
        as_of: int | None = None,
        page_ids: Sequence[str] | None = None,
    ) -> BoolArray:
        """Marks the rows that a query may find.

        Args:
            admitted: by number of the prefix set.
            as_of: also history rows whose interval holds this instant; None: live rows only.
            page_ids: only rows of these pages.

        Returns:
            Shape (size,).
        """
        if not self.size:
            return np.zeros(0, dtype=np.bool_)
        part = slice(0, self.size)
        allowed = self._alive[part] & admitted[self._prefix_sets[part]]
        if as_of is None:
            allowed &= ~self._history[part]
        else:
            stood = (self._begin[part] <= as_of) & (as_of < self._end[part])
            allowed &= ~self._history[part] | stood
        if page_ids is not None:
            codes = [self._pages[page_id] for page_id in page_ids if page_id in self._pages]
            allowed &= np.isin(self._page_codes[part], np.array(codes, dtype=np.int32))
        return allowed

    def languages(self, allowed: BoolArray) -> dict[str, int]:
        """Returns how many allowed rows there are of each language.

        Args:
            allowed: shape (rows,), bool; which rows the filter admits.
        """
        codes = self._language_codes[: self.size][allowed]
        counts = np.bincount(codes, minlength=len(self._languages)).tolist()
        return {name: counts[code] for name, code in self._languages.items() if counts[code]}

    def similarities(self, vector: FloatArray) -> FloatArray:
        """Returns the cosine of every row with a unit vector; shape (size,), in [-1, 1]."""
        similarities: FloatArray = np.clip(self._vectors[: self.size] @ vector, -1.0, 1.0)
        return similarities

    def best(self, similarities: FloatArray, allowed: BoolArray, limit: int) -> list[int]:
        """Returns the places of the most similar allowed rows, one a chunk, best first.

        Args:
            similarities: shape (rows,); cosines of every row with the question.
            allowed: shape (rows,), bool; which rows the filter admits.
        """
        candidates: Positions = np.flatnonzero(allowed)
        taken = min(2 * limit, len(candidates))
        while True:
            chosen = self._one_each(_top(candidates, similarities, taken), limit)
            if len(chosen) == limit or taken == len(candidates):
                return chosen
            # Many objects of few chunks: look further down.
            taken = min(2 * taken, len(candidates))

    def _one_each(self, positions: Positions, limit: int) -> list[int]:
        chosen: dict[int, int] = {}
        for position in positions.tolist():
            chosen.setdefault(self.chunk_code(position), position)
            if len(chosen) == limit:
                break
        return list(chosen.values())

    def _append(self, row: MatrixRow) -> int:
        position = self.size
        if position == len(self._row_ids):
            self._grow()
        self._row_ids[position] = row.row_id
        self._vectors[position] = np.frombuffer(row.vector, dtype=np.float32)
        self._chunk_codes[position] = self._codes.setdefault(row.chunk_id, len(self._codes))
        self._page_codes[position] = self._pages.setdefault(row.page_id, len(self._pages))
        languages = self._languages
        self._language_codes[position] = languages.setdefault(row.language, len(languages))
        self._history[position] = row.history
        self._alive[position] = True
        self.size += 1
        return position

    def _grow(self) -> None:
        rows = int(len(self._row_ids) * GROWTH) + 1024
        self._vectors = _longer(self._vectors, rows)
        self._row_ids = _longer(self._row_ids, rows)
        self._prefix_sets = _longer(self._prefix_sets, rows)
        self._chunk_codes = _longer(self._chunk_codes, rows)
        self._page_codes = _longer(self._page_codes, rows)
        self._language_codes = _longer(self._language_codes, rows)
        self._history = _longer(self._history, rows)
        self._alive = _longer(self._alive, rows)
        self._begin = _longer(self._begin, rows)
        self._end = _longer(self._end, rows)


def _longer(values: NDArray[Element], rows: int) -> NDArray[Element]:
    longer: NDArray[Element] = np.zeros((rows, *values.shape[1:]), dtype=values.dtype)
    longer[: len(values)] = values
    return longer


def _top(candidates: Positions, similarities: FloatArray, count: int) -> Positions:
    """Returns the `count` most similar candidates in order; ties by place, so that it repeats."""
    scores = similarities[candidates]
    if count < len(candidates):
        part = np.argpartition(-scores, count - 1)[:count]
        candidates, scores = candidates[part], scores[part]
    return candidates[np.lexsort((candidates, -scores))]
