"""A statement made ready does what SQLAlchemy does with it: rows, counts, types and errors."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import (
    Column,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import sqlite as dialect
from sqlalchemy.exc import IntegrityError

from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.sqlite.prepared import PreparedStatements
from scops.common.db.types import UtcDateTime
from scops.common.db.upsert import insert_ignore

metadata = MetaData()
owl = Table(
    "owl",
    metadata,
    Column("name", String, primary_key=True),
    Column("seen_at", UtcDateTime),
    Column("calls", Integer, nullable=False, default=3),
    Column("wood", String),
)
nest = Table(
    "nest", metadata, Column("position", Integer, primary_key=True), Column("name", String)
)
SEEN = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
TURNS = range(4)


def a_row(name: str, **values: Any) -> dict[str, Any]:
    return {"name": name, "seen_at": SEEN, "calls": 1, "wood": None, **values}


@pytest.fixture
async def connection() -> AsyncIterator[Connection]:
    database = Database("sqlite://")
    async with database.transaction() as opened:
        await opened.run_sync(metadata.create_all)
        await opened.execute(insert(owl), [a_row("Otus"), a_row("Strix", calls=2, wood="oak")])
        yield opened
    await database.close()


async def test_rows_are_the_same_each_time(connection: Connection) -> None:
    """Values come back with their types, under their names, and in their order."""
    statement = select(owl).where(owl.c.seen_at <= bindparam("until")).order_by(owl.c.name)
    found = [(await connection.execute(statement, {"until": SEEN})).all() for _ in TURNS]

    assert [[("Otus", SEEN, 1, None), ("Strix", SEEN, 2, "oak")]] * len(TURNS) == found
    assert ["oak"] * len(TURNS) == [rows[1].wood for rows in found]
    assert [SEEN] * len(TURNS) == [rows[0]._mapping[owl.c.seen_at] for rows in found]


async def test_values_of_the_statement_itself_are_kept(connection: Connection) -> None:
    """What was written into a statement stands beside what is given for an execution."""
    statement = select(owl.c.name).where(owl.c.wood == "oak", owl.c.calls == bindparam("calls"))
    found = [
        (await connection.execute(statement, {"calls": calls})).scalars().all()
        for calls in (2, 1, 2, 1)
    ]

    assert [["Strix"], [], ["Strix"], []] == found


async def test_the_names_of_the_values_choose_the_columns_to_set(connection: Connection) -> None:
    """One UPDATE sets other columns where it is given other values, and counts its rows."""
    statement = update(owl).where(owl.c.name == bindparam("of_name"))
    counts = []
    for turn in TURNS:
        one = await connection.execute(statement, {"of_name": "Otus", "calls": turn})
        other = await connection.execute(statement, {"of_name": "Otus", "wood": f"ash {turn}"})
        none = await connection.execute(statement, {"of_name": "Bubo", "calls": 9})
        counts.append((one.rowcount, other.rowcount, none.rowcount))
    row = (await connection.execute(select(owl).where(owl.c.name == "Otus"))).one()

    assert [(1, 1, 0)] * len(TURNS) == counts
    assert ("Otus", SEEN, 3, "ash 3") == tuple(row)


async def test_what_a_change_returns_is_read_with_its_types(connection: Connection) -> None:
    """RETURNING gives rows of the changed values; without a match there are none."""
    statement = (
        update(owl).where(owl.c.name == bindparam("of_name")).returning(owl.c.seen_at, owl.c.calls)
    )
    later = SEEN.replace(year=2027)
    for turn in TURNS:
        values = {"of_name": "Otus", "seen_at": later, "calls": turn}
        changed = (await connection.execute(statement, values)).first()
        missed = (await connection.execute(statement, {**values, "of_name": "Bubo"})).first()

        assert changed is not None
        assert (later, turn) == tuple(changed)
        assert missed is None


async def test_a_statement_made_from_another_is_its_own(connection: Connection) -> None:
    """A condition that is added to a statement that is ready is not lost."""
    every = delete(owl).where(owl.c.calls < bindparam("under"))
    for _ in TURNS:
        assert 0 == (await connection.execute(every, {"under": 0})).rowcount
    one = every.where(owl.c.name == "Otus")
    counts = [(await connection.execute(one, {"under": 9})).rowcount for _ in TURNS]

    assert [1, 0, 0, 0] == counts


async def test_lists_of_any_length_and_defaults(connection: Connection) -> None:
    """A list may be longer or empty the next time, and a default is computed each time."""
    chosen = select(owl.c.name).where(owl.c.name.in_(bindparam("names", expanding=True)))
    adding = insert(owl)
    for turn in TURNS:
        await connection.execute(adding, {"name": f"owl {turn}"})
        names = ["Otus", *(f"owl {one}" for one in range(turn + 1))]
        found = (await connection.execute(chosen, {"names": names})).scalars().all()

        assert sorted(names) == sorted(found)
        assert [] == (await connection.execute(chosen, {"names": []})).all()
        odd = ["Otus", 'a "quoted" owl', "Käuzchen \\ \N{OWL}", "a\x00b"]
        assert ["Otus"] == (await connection.execute(chosen, {"names": odd})).scalars().all()
        assert [] == (await connection.execute(chosen, {"names": ["Otus\x00b"]})).all()
        await connection.execute(adding, {"name": odd[2] + str(turn)})
        odd = [odd[2] + str(turn)]
        assert odd == (await connection.execute(chosen, {"names": odd})).scalars().all()
    calls = select(owl.c.calls).where(owl.c.name == "owl 3")
    assert 3 == (await connection.execute(calls)).scalar_one()


async def test_an_insert_counts_what_it_inserted(connection: Connection) -> None:
    """A row that is there already is left out and not counted, whatever numbers the rows."""
    inserted = [
        await insert_ignore(connection, owl, a_row(name)) for name in ("Bubo", "Bubo", "Tyto")
    ]
    for turn in TURNS:
        await insert_ignore(connection, nest, {"name": f"nest {turn}"})
    rows = (await connection.execute(select(nest).order_by(nest.c.position))).all()

    assert [True, False, True] == inserted
    assert [(turn + 1, f"nest {turn}") for turn in TURNS] == rows


async def test_what_the_database_refuses_is_refused_in_the_same_words(
    connection: Connection,
) -> None:
    """Errors are those of SQLAlchemy, the first time and later."""
    adding = insert(owl)
    told = []
    for _ in TURNS:
        with pytest.raises(IntegrityError) as refused:
            await connection.execute(adding, a_row("Otus"))
        told.append(str(refused.value.orig))

    assert ["UNIQUE constraint failed: owl.name"] * len(TURNS) == told


async def test_many_rows_go_in_as_they_do_one_by_one(connection: Connection) -> None:
    """Types, what is there already, what is refused, and rows that name other columns."""
    ignoring = dialect.insert(owl).on_conflict_do_nothing()
    counts = []
    for turn in TURNS:
        rows = [a_row(f"owl {turn}"), a_row("Otus"), a_row(f"tawny {turn}", wood="elm")]
        counts.append((await connection.execute(ignoring, rows)).rowcount)
    adding = insert(owl)
    for turn in TURNS:
        await connection.execute(adding, [a_row(f"barn {turn}"), a_row(f"snowy {turn}")])
        with pytest.raises(IntegrityError, match=r"UNIQUE constraint failed: owl\.name"):
            await connection.execute(adding, [a_row("Otus"), a_row(f"never {turn}")])
        short = [{"name": f"short {turn}"}, {"name": f"brief {turn}"}]
        await connection.execute(adding, short)
    seen = select(owl.c.seen_at, owl.c.calls).where(owl.c.name == bindparam("name"))

    assert [2] * len(TURNS) == counts
    assert (SEEN, 1) == (await connection.execute(seen, {"name": "snowy 3"})).one()
    assert (None, 3) == (await connection.execute(seen, {"name": "brief 3"})).one()
    names = (await connection.execute(select(owl.c.name))).scalars().all()
    assert 2 + 6 * len(TURNS) == len(names)
    assert not [name for name in names if name.startswith("never")]


async def test_a_list_of_times_is_compared_as_times(connection: Connection) -> None:
    """Each goes to the database as the number that stands there, and none is lost on the way."""
    statement = select(owl.c.name).where(owl.c.seen_at.in_(bindparam("times", expanding=True)))
    found = [
        (await connection.execute(statement, {"times": [SEEN]})).scalars().all() for _ in TURNS
    ]
    others = {"times": [SEEN + timedelta(microseconds=1)]}
    assert [] == (await connection.execute(statement, others)).all()
    assert [] == (await connection.execute(statement, {"times": []})).all()

    assert [["Otus", "Strix"]] * len(TURNS) == [sorted(names) for names in found]


async def test_a_missing_value_is_an_error(connection: Connection) -> None:
    """No value is made up where none was given."""
    statement = select(owl).where(owl.c.name == bindparam("of_name", required=True))
    for _ in TURNS:
        with pytest.raises(Exception, match="of_name"):
            await connection.execute(statement, {})


def test_statements_that_nobody_holds_are_forgotten() -> None:
    """What is built for one execution leaves nothing behind."""
    known = PreparedStatements(dialect.dialect())
    for turn in range(100):
        known.get(select(owl).where(owl.c.calls == turn), {})

    assert len(known._known) <= 1
