"""Statements whose cost grows with the tables: none should read more than an index is deep.

    python -m benchmarks.statements --json
    python -m benchmarks.statements --sizes 10000 100000 1000000 --json
    python -m benchmarks.statements --statements FOLDER --sizes 2000 20000 --strict
    python -m benchmarks.statements --without scops_gateway.research_by_age --strict --json

`make contract` asks what its suites have asked of tables of 2,000 and 20,000 pages (`--strict`).
Blocks are counted, not seconds, and the server has seen every row when it plans (`fill`), so that
busy neighbours change nothing. A table of a row a page has 250 blocks and more there: who reads it
whole reads ten times as many as before, of which one and a half times and `LUCK_BLOCKS` are let be.
What grows only over tables that have a row for many pages shows at larger sizes.

Every statement that the services have is captured where it is asked of PostgreSQL: by the suites
of their ports (`tests/contract`). Then a database of each size is filled by COPY (`rows`), and each
statement is run there by EXPLAIN (ANALYZE, BUFFERS) and taken back.

Keys:
    statements: how many there are; by service in `services`.
    known: of what grows, how many are listed in `KNOWN`; they are not in `growing`.
    growing: those that read more at the last size than at the one before, by more than the depth
        of a B-tree and rows that lie apart explain (`grows`).
    growing_statements: their text, with `blocks` and `rows` at each size.
    failed: statements that could not be asked again; `failed_statements` says why.
    blocks_p50, blocks_max: at the last size.
    seconds: of the whole run.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.statements.capture import FOLDER_VARIABLE, Statement, read
from benchmarks.statements.explain import Reading, fill, read_all
from benchmarks.statements.rows import Rows
from tests.fakes.servers.postgres import postgres_server
from tests.fakes.servers.postgres_states import PostgresStates

SIZES = (10_000, 100_000)
# What is known to grow, and what it is.
KNOWN = {
    "count(vector_cache.last_used)": "vectors kept, of which there are as many as a setting says",
}
SUITES = ("tests/contract",)
# A B-tree of a hundred times the rows is one level deeper.
FACTOR_MAX = 1.5
# Of one row by its keys, in three tables.
BLOCKS_A_ROW = 12
# Of one that is written: its place in each index of its table, of which some have six.
WRITTEN_BLOCKS_A_ROW = 3 * BLOCKS_A_ROW
# Blocks of 8 KB that differ by luck: rows that lie beside each other or do not.
LUCK_BLOCKS = 40


def main() -> None:
    parser = command_parser(__doc__)
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=SIZES, metavar="PAGES", help="two or more"
    )
    parser.add_argument("--statements", type=Path, help="a folder of an earlier capture")
    parser.add_argument("--strict", action="store_true", help="fail where one grows")
    parser.add_argument(
        "--without", nargs="+", default=(), metavar="INDEX", help="dropped first: SCHEMA.NAME"
    )
    args = parser.parse_args()
    statements = read(args.statements) if args.statements else capture(SUITES)
    result = measure(statements, args.sizes, without=args.without)
    print_result(result, args)
    if args.strict and (complaint := complaint_of(result)):
        sys.exit(complaint)


def complaint_of(result: Mapping[str, Any]) -> str:
    """Returns what a strict census fails with; nothing where nothing grows."""
    if not result["statements"]:
        return "No statement was captured."
    told = [
        f"{what}: {one['service']}: {one['text']} (blocks {one['blocks']}) {one['error']}"
        for what, key in (("grows", "growing_statements"), ("failed", "failed_statements"))
        for one in result[key]
    ]
    return "\n".join(["Statements grow with the tables or failed:", *told]) if told else ""


def measure(
    statements: Sequence[Statement], sizes: Sequence[int], *, without: Sequence[str] = ()
) -> dict[str, Any]:
    """Returns the figures that the module's docstring names.

    Args:
        without: indexes that are dropped first, to see what their statements read then.
    """
    started = time.monotonic()
    progress(f"{len(statements)} statements")
    readings = [of_size(pages, statements, without=without) for pages in sorted(sizes)]
    by_statement = list(zip(statements, zip(*readings, strict=True), strict=True))
    grown = [(one, seen) for one, seen in by_statement if grows(one, *seen[-2:])]
    growing = [_told(one, seen) for one, seen in grown if not is_known(one)]
    failed = [
        _told(statement, seen) for statement, seen in by_statement if any(one.error for one in seen)
    ]
    blocks = [reading.blocks for reading in readings[-1]]
    return {
        "sizes": sorted(sizes),
        "statements": len(statements),
        "services": dict(Counter(statement.service for statement in statements)),
        "known": sum(1 for one, _ in grown if is_known(one)),
        "growing": len(growing),
        "growing_statements": growing,
        "failed": len(failed),
        "failed_statements": failed,
        "blocks_p50": median(blocks),
        "blocks_max": max(blocks),
        "seconds": round(time.monotonic() - started, 1),
    }


def grows(statement: Statement, smaller: Reading, larger: Reading) -> bool:
    """Returns whether more was read than a deeper index explains.

    What is asked of a list or up to a `LIMIT` finds more in larger tables, until it has as many
    as that; what a `LIMIT` allows and nothing has explains nothing. Where as many rows are found
    in either, such as the pages of a host, they lie beside each other in a small table and each in
    a block of its own in a large one. Whoever writes a row reads a place in every index.
    """
    asked = len(statement.values) + min(statement.limit, larger.rows)
    apart = larger.rows if larger.rows <= smaller.rows * FACTOR_MAX else 0
    is_read = statement.text.lstrip().startswith(("SELECT", "WITH"))
    a_row = BLOCKS_A_ROW if is_read else WRITTEN_BLOCKS_A_ROW
    bound = max(smaller.blocks * FACTOR_MAX, asked * a_row, apart) + LUCK_BLOCKS
    return larger.blocks > bound


def is_known(statement: Statement) -> bool:
    """Returns whether a statement is one of `KNOWN`."""
    return any(known in " ".join(statement.text.split()) for known in KNOWN)


def capture(suites: Sequence[str]) -> list[Statement]:
    """Runs suites of tests on PostgreSQL, and returns what they asked.

    Raises:
        RuntimeError: a suite failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-p", "benchmarks.statements.capture"]
        command += [*suites, "-k", "postgres", "-q", "-p", "no:cacheprovider"]
        environment = {**os.environ, FOLDER_VARIABLE: folder}
        # What it prints is no result.
        done = subprocess.run(command, env=environment, stdout=sys.stderr, check=False)
        if done.returncode:
            raise RuntimeError("A suite failed whose statements are counted; see above.")
        return read(Path(folder))


def of_size(
    pages: int, statements: Sequence[Statement], *, without: Sequence[str] = ()
) -> list[Reading]:
    """Returns what each statement takes over tables of so many pages."""
    rows = Rows(pages)
    with postgres_server() as server:
        url = PostgresStates(server).url()
        for index in without:
            server.execute(f"DROP INDEX {index}", database=url.rpartition("/")[2])
        asyncio.run(fill(url, rows, statements))
        progress(f"{pages} pages are filled")
        return asyncio.run(read_all(url, rows, statements))


def _told(statement: Statement, readings: Sequence[Reading]) -> dict[str, Any]:
    return {
        "service": statement.service,
        "text": " ".join(statement.shape.split()),
        "blocks": [reading.blocks for reading in readings],
        "rows": [reading.rows for reading in readings],
        "error": next((reading.error for reading in readings if reading.error), ""),
    }


if __name__ == "__main__":
    main()
