"""What the census of statements calls growth, and of which statements it keeps one."""

from pathlib import Path

import pytest
from sqlalchemy import Table

from benchmarks.statements.__main__ import complaint_of, grows
from benchmarks.statements.capture import METADATA, Captured, Statement, read
from benchmarks.statements.explain import Reading, values
from benchmarks.statements.rows import Rows
from scops.fetcher.adapters.sql import tables

ROWS = Rows(pages=2_000)
TABLES = [table for metadata in METADATA.values() for table in metadata.sorted_tables]


def asking(text: str = "SELECT 1", names: tuple[str, ...] = (), *given: object) -> Statement:
    return Statement(service="fetcher", text=text, names=names, values=given)


@pytest.mark.parametrize(
    ("smaller", "larger", "expected"),
    [
        pytest.param(4, 5, False, id="one level deeper"),
        pytest.param(100, 1_000, True, id="as the table"),
        pytest.param(0, 41, True, id="from nothing to more than luck"),
    ],
)
def test_growth_is_more_than_depth_and_luck(smaller: int, larger: int, expected: bool) -> None:
    found = grows(asking(), Reading(blocks=smaller), Reading(blocks=larger))

    assert expected is found


@pytest.mark.parametrize(
    ("smaller", "larger", "rows", "expected"),
    [
        pytest.param(28, 280, (1, 1), True, id="a table is read whole for one row"),
        pytest.param(28, 280, (2_000, 20_000), True, id="a table is read whole for all rows"),
        pytest.param(28, 280, (20, 200), True, id="more rows of a larger table"),
        pytest.param(28, 4, (1, 1), False, id="a scan that an index replaces"),
        pytest.param(48, 205, (200, 200), False, id="as many rows that lie apart"),
        pytest.param(48, 480, (200, 200), True, id="a table is read whole for as many rows"),
    ],
)
def test_small_tables_tell_a_scan_from_an_index(
    smaller: int, larger: int, rows: tuple[int, int], expected: bool
) -> None:
    """At 2,000 and 20,000 pages, as `make contract` asks."""
    readings = (
        Reading(blocks=smaller, rows=rows[0]),
        Reading(blocks=larger, rows=rows[1]),
    )

    assert expected is grows(asking(), *readings)


def told(text: str = "SELECT 1", error: str = "") -> dict[str, object]:
    return {"service": "gateway", "text": text, "blocks": [28, 280], "error": error}


@pytest.mark.parametrize(
    ("growing", "failed", "statements", "expected"),
    [
        pytest.param([], [], 500, "", id="nothing grows"),
        pytest.param([told()], [], 500, "grows: gateway: SELECT 1 (blocks [28, 280])", id="grows"),
        pytest.param([], [told(error="no such column")], 500, "no such column", id="fails"),
        pytest.param([], [], 0, "No statement was captured.", id="nothing was asked"),
    ],
)
def test_a_strict_census_says_what_is_wrong(
    growing: list[object], failed: list[object], statements: int, expected: str
) -> None:
    result = {
        "statements": statements,
        "growing_statements": growing,
        "failed_statements": failed,
    }
    complaint = complaint_of(result)

    assert expected in complaint
    assert bool(expected) is bool(complaint)


@pytest.mark.parametrize(
    ("limit", "rows", "expected"),
    [
        pytest.param(50, 50, False, id="a batch of fifty rows is fifty rows in any table"),
        pytest.param(5, 5, True, id="a batch of five is not"),
        pytest.param(50, 5, True, id="fifty are allowed and five are found"),
    ],
)
def test_what_is_asked_up_to_a_limit_reads_as_much_as_it_finds(
    limit: int, rows: int, expected: bool
) -> None:
    readings = Reading(blocks=10), Reading(blocks=500, rows=rows)
    statement = asking("SELECT 1 LIMIT $1::INTEGER", ("param_1",), limit)

    assert expected is grows(statement, *readings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("UPDATE page SET url = $1::VARCHAR WHERE host_key = $2::VARCHAR LIMIT $3::INTEGER", False),
        ("SELECT url, $1::VARCHAR FROM page WHERE host_key = $2::VARCHAR LIMIT $3::INTEGER", True),
    ],
)
def test_what_is_written_has_a_place_in_every_index(text: str, expected: bool) -> None:
    statement = asking(text, ("url", "host_key", "param_1"), "x", "y", 500)
    readings = Reading(blocks=19, rows=1), Reading(blocks=249, rows=10)

    assert expected is grows(statement, *readings)


def test_statements_are_one_whatever_the_length_of_their_lists(tmp_path: Path) -> None:
    """What was captured is written and read; of a list's lengths there is one shape."""
    short = asking("SELECT 1 WHERE a IN ($1::VARCHAR, $2::VARCHAR)", ("a_1", "a_2"), "x", "y")
    long = asking("SELECT 1 WHERE a IN ($1, $2, $3)", ("a_1", "a_2", "a_3"), "x", "y", "z")
    Captured().write(tmp_path)

    assert short.shape == long.shape
    assert [] == read(tmp_path)


def test_parameters_name_one_page_and_lists_the_pages_beside_it() -> None:
    statement = asking("SELECT", ("page_id_1", "of_job", "url_1_1", "url_1_2"), "p", "j", "u", "v")
    page, job, first, second = values(ROWS, statement)

    middle = ROWS.pages // 3
    assert (ROWS.named("page_id", middle), ROWS.job(middle)) == (page, job)
    assert [ROWS.named("url", middle), ROWS.named("url", middle + 1)] == [first, second]


@pytest.mark.parametrize("table", TABLES, ids=[str(table) for table in TABLES])
def test_rows_of_every_table_have_keys_of_their_own(table: Table) -> None:
    names = [column.name for column in table.columns]
    places = [names.index(column.name) for column in table.primary_key.columns]
    rows = list(ROWS.table(table))

    assert len(rows) == len({tuple(row[place] for place in places) for row in rows})


def test_a_page_is_the_same_in_every_table() -> None:
    """A page's queue entry, ledger row and fetch find each other."""
    pages, fetches = (list(ROWS.table(table)) for table in (tables.page, tables.fetch))
    of_page = {row[0] for row in pages}
    column = [one.name for one in tables.fetch.columns].index("page_id")

    assert of_page == {row[column] for row in fetches}
