"""Blocks that statements read, as PostgreSQL counts them, over tables of one size."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg
from sqlalchemy import Table

from benchmarks.statements.capture import METADATA, Statement
from benchmarks.statements.rows import LAST, ORDERED, Rows
from scops.common.contract.organisations import SCHEMA_PREFIX

# SQLAlchemy numbers parameters of one name, and those of a list.
_NUMBERS = re.compile(r"(?:_m?\d+)+$")
# Of a parameter that is no column: what it is of.
_OF = re.compile(r"^of_")
_WORD = re.compile(r"\w+")
# Smaller whole numbers are counts; these are microseconds since 1970.
TIMES_FROM = 10**15
SCHEMAS = {"fetcher": "fetcher", "change": "change_detector", "index": "indexer"}
# Behind the last row of every table, those of which there are fewer than pages too.
PAGES_APART = 101
# The first statement of a plan may read the catalogue.
ASKED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one statement took.

    Attributes:
        blocks: of 8 KB, from the cache or the disk, the catalogue's not counted.
        rows: found or written.
        error: what the server said instead; empty for none.
    """

    blocks: int = 0
    rows: int = 0
    error: str = ""


def schema_of(service: str) -> str:
    """Returns the schema of a service's tables."""
    return SCHEMA_PREFIX + SCHEMAS.get(service, service)


async def fill(url: str, rows: Rows, statements: Sequence[Statement]) -> None:
    """Writes rows by COPY into the tables that are asked, and lets the server count them."""
    connection = await asyncpg.connect(url)
    try:
        for service, table in _asked(statements):
            await connection.copy_records_to_table(
                table.name,
                schema_name=schema_of(service),
                records=rows.table(table),
                columns=[column.name for column in table.columns],
            )
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


def _asked(statements: Sequence[Statement]) -> Iterator[tuple[str, Table]]:
    """Yields the tables whose names some statements hold, with their service."""
    words = {(one.service, word) for one in statements for word in _WORD.findall(one.text)}
    for service, metadata in METADATA.items():
        for table in metadata.sorted_tables:
            if (service, table.name) in words:
                yield service, table


async def read_all(url: str, rows: Rows, statements: Sequence[Statement]) -> list[Reading]:
    """Runs each statement with the names of a page in the middle, and takes it back."""
    connection = await asyncpg.connect(url, server_settings={"jit": "off"})
    try:
        return [await _read(connection, rows, statement) for statement in statements]
    finally:
        await connection.close()


async def _read(connection: Any, rows: Rows, statement: Statement) -> Reading:
    await connection.execute(f"SET search_path TO {schema_of(statement.service)}")
    plan: dict[str, Any] = {}
    for _ in range(ASKED):
        transaction = connection.transaction()
        await transaction.start()
        try:
            (row,) = await connection.fetch(
                f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {statement.text}",
                *values(rows, statement),
            )
        except (asyncpg.PostgresError, asyncpg.InterfaceError, TypeError) as error:
            return Reading(error=f"{type(error).__name__}: {error}")
        finally:
            await transaction.rollback()
        plan = json.loads(row[0])[0]["Plan"]
    return Reading(blocks=plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], rows=_rows(plan))


def values(rows: Rows, statement: Statement) -> list[Any]:
    """Returns the parameters of a statement for a page in the middle of the tables.

    What names a thing is that of the page, or of pages beside it where a list is asked for; times
    are that of the page or the last one; everything else is as it was captured.
    """
    page = rows.pages // 3
    if statement.text.lstrip().startswith("INSERT"):
        # Nothing of what is inserted is there.
        page = rows.pages * PAGES_APART
    seen: dict[str, int] = {}
    found = []
    for name, value in zip(statement.names, statement.values, strict=True):
        column = _OF.sub("", _NUMBERS.sub("", name))
        if column in ORDERED and page > rows.pages:
            found.append(page)
            continue
        number = seen[column] = seen.get(column, -1) + 1
        listed = _is_listed(name)
        found.append(_value(rows, column, value, page + (number if listed else 0)))
    return found


def _value(rows: Rows, column: str, value: Any, page: int) -> Any:
    if isinstance(value, str):
        known = rows.named(column, page)
        return value if known is None or not value or value[0] in "[{" else known
    if isinstance(value, int) and not isinstance(value, bool) and value >= TIMES_FROM:
        return rows.time(page) if column.startswith(("observed_", "first_observed")) else LAST
    return value


def _is_listed(name: str) -> bool:
    return re.search(r"_\d+_\d+$|__\d+$|_m\d+$", name) is not None


def _rows(plan: dict[str, Any]) -> int:
    """Returns the most rows that a step of the plan had."""
    own = int(plan.get("Actual Rows", 0)) * int(plan.get("Actual Loops", 1))
    return max([own, *(_rows(child) for child in plan.get("Plans", ()))])
