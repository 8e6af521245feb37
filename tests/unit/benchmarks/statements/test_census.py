"""What the census of statements calls growth, and of which statements it keeps one."""

from pathlib import Path

import pytest
from sqlalchemy import Table

from benchmarks.statements.__main__ import grows
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


def test_what_is_asked_up_to_a_limit_may_read_as_much() -> None:
    """A batch of fifty rows is fifty rows in any table; a batch of five is not."""
    readings = Reading(blocks=10), Reading(blocks=500)
    many = asking("SELECT 1 LIMIT $1::INTEGER", ("param_1",), 50)
    few = asking("SELECT 1 LIMIT $1::INTEGER", ("param_1",), 5)

    assert (False, True) == (grows(many, *readings), grows(few, *readings))


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
