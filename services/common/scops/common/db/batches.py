"""Long lists in statements, a batch at a time: databases bound the parameters of one statement."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from scops.common.db.connection import Connection

# PostgreSQL takes 32,767 parameters of a statement; small batches keep locks and memory short, and
# on a SQLite file one takes 20 ms of the event loop.
BATCH = 200
T = TypeVar("T")


def batches(items: Sequence[T], size: int = BATCH) -> Iterator[Sequence[T]]:
    """Yields the items in their order, at most `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


async def batches_in_turns(items: Sequence[T], size: int = BATCH) -> AsyncIterator[Sequence[T]]:
    """Yields the items like `batches`; the event loop turns between two of them."""
    for place, batch in enumerate(batches(items, size)):
        if place:
            await asyncio.sleep(0)
        yield batch


async def rows_of(connection: Connection, statement: Any, values: Mapping[str, Any]) -> list[Any]:
    """Returns the rows of a statement; a long list among its values is asked for in batches.

    Args:
        values: at most one of them is a list, of an expanding parameter; its order is that of
            the rows where it is longer than a batch.
    """
    long = [
        name for name, value in values.items() if isinstance(value, list) and len(value) > BATCH
    ]
    if not long:
        return list((await connection.execute(statement, values or None)).all())
    (name,) = long
    rows: list[Any] = []
    async for batch in batches_in_turns(values[name]):
        rows += (await connection.execute(statement, {**values, name: batch})).all()
    return rows


async def rows_in_batches(
    connection: Connection, statement: Any, parameter: str, values: Sequence[Any]
) -> list[Any]:
    """Returns the rows of a statement with an expanding parameter over many values.

    Args:
        parameter: name of the expanding bind parameter; each value is asked for once.
    """
    rows: list[Any] = []
    async for batch in batches_in_turns(sorted(set(values))):
        rows += (await connection.execute(statement, {parameter: batch})).all()
    return rows
