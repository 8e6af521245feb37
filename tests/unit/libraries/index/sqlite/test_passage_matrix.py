"""The vectors in memory rank exactly what is allowed, one object a chunk."""

import numpy as np

from scops.libraries.index.sqlite.passage_matrix import MatrixRow, PassageMatrix

ADMITTED = np.array([True, False])


def row(row_id: int, *, chunk: str = "", vector: tuple[float, float] = (1.0, 0.0)) -> MatrixRow:
    return MatrixRow(
        row_id=row_id,
        chunk_id=chunk or f"chunk-{row_id}",
        page_id=f"page-{row_id % 2}",
        prefix_set=0,
        history=False,
        vector=np.array(vector, dtype=np.float32).tobytes(),
    )


def test_objects_of_one_chunk_leave_room_for_others() -> None:
    """Many objects of one chunk take one place; the ranking looks further down."""
    matrix = PassageMatrix(2, capacity=1)
    for number in range(1, 40):
        matrix.put(row(number, chunk="repeated"))
    matrix.put(row(40, vector=(0.0, 1.0)))
    similarities = matrix.similarities(np.array([1.0, 0.0], dtype=np.float32))

    best = matrix.best(similarities, matrix.allowed(ADMITTED), 2)

    assert [1, 40] == [matrix.row_id(position) for position in best]


def test_ties_come_in_the_order_of_rows() -> None:
    """Equal similarities are ranked the same way each time."""
    matrix = PassageMatrix(2)
    for number in (3, 5, 9):
        matrix.put(row(number))
    similarities = matrix.similarities(np.array([1.0, 0.0], dtype=np.float32))

    best = matrix.best(similarities, matrix.allowed(ADMITTED), 3)
    assert [3, 5, 9] == [matrix.row_id(position) for position in best]


def test_positions_of_unknown_rows_are_marked() -> None:
    """A row that was never put has no place, wherever it would stand."""
    matrix = PassageMatrix(2)
    for number in (3, 5):
        matrix.put(row(number))

    assert [-1, 0, -1, 1, -1] == matrix.positions([1, 3, 4, 5, 9]).tolist()
    assert [None, 0, None] == [matrix.position(number) for number in (1, 3, 9)]


def test_removed_row_is_not_allowed() -> None:
    """Removing is for good, twice is once, and an unknown row is nothing."""
    matrix = PassageMatrix(2)
    for number in (3, 5):
        matrix.put(row(number))
    for number in (3, 3, 77):
        matrix.remove(number)

    assert [False, True] == matrix.allowed(ADMITTED).tolist()
    assert 1 == matrix.removed


def test_similarity_stays_in_its_range() -> None:
    """Rounding never lets a cosine leave [-1, 1]."""
    matrix = PassageMatrix(3)
    vector = np.array([0.1, 0.2, 0.3], dtype=np.float32)
    vector = vector / np.linalg.norm(vector) * np.float32(1.0000001)
    matrix.put(
        MatrixRow(
            row_id=1,
            chunk_id="a",
            page_id="p",
            prefix_set=0,
            history=False,
            vector=vector.tobytes(),
        )
    )

    assert matrix.similarities(vector)[0] <= 1.0


def test_empty_matrix_allows_nothing() -> None:
    """Before the first row there is nothing to rank."""
    matrix = PassageMatrix(2)

    assert 0 == len(matrix.allowed(np.zeros(0, dtype=np.bool_)))
