"""Statements that run again and again on SQLite, made ready once.

SQLAlchemy looks each statement up, checks it and sets its result up anew at every execution, which
costs several times what SQLite itself takes. A statement object that is executed a second time is
compiled here to its text, the order and treatment of its parameters, and its columns; from then on
it goes to the driver as it is, a list of an IN as one parameter in JSON. What that does not fit
(defaults that Python computes, rows of different columns) takes SQLAlchemy's way as before, and so
does a statement built for one execution.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast
from weakref import WeakKeyDictionary

from sqlalchemy import BigInteger, Executable, Integer, String
from sqlalchemy.engine import CursorResult, Dialect, Row
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeDecorator

Names = tuple[str, ...]
Processor = Callable[[Any], Any]
# Where SQLAlchemy puts the members of a list at each execution.
LIST = re.compile(r"__\[POSTCOMPILE_\w+\]")
LIST_IN_JSON = "SELECT value FROM json_each(?)"


class NotFitting(Exception):
    """These values take SQLAlchemy's way."""


class PreparedResult(IteratorResult[*tuple[Any, ...]]):
    """Rows that are all there, with the count of rows that a change touched.

    What is asked of nearly every result is answered without SQLAlchemy's way to it.
    """

    def __init__(
        self,
        metadata: SimpleResultMetaData,
        rows: list[Any],
        rowcount: int,
        row_of: Callable[[Any], Any],
    ) -> None:
        super().__init__(metadata, iter(rows))
        self.rowcount = rowcount
        self._rows = rows
        self._row_of = row_of

    def first(self) -> Any:
        return self._row_of(self._rows[0]) if self._rows else None

    def all(self) -> list[Any]:
        return [self._row_of(row) for row in self._rows]


@dataclass(frozen=True, slots=True)
class Bind:
    """A parameter of a text.

    Attributes:
        name: of the given value; empty where the statement itself holds the value.
        value: of the statement, as the driver takes it.
        processor: turns the given value into what the driver takes.
    """

    name: str
    value: Any
    processor: Processor | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement for one set of parameter names."""

    text: str
    binds: tuple[Bind, ...]
    metadata: SimpleResultMetaData
    row_of: Callable[[Any], Any]
    dialect: Dialect

    def run(self, driver: sqlite3.Connection, given: Mapping[str, Any]) -> CursorResult[Any]:
        """Executes it and fetches its rows.

        Raises:
            NotFitting: a list holds what JSON does not carry to the database; nothing was done.
            DBAPIError: of the class that SQLAlchemy raises for what the driver said.
        """
        values = self._values(given)
        try:
            cursor = driver.execute(self.text, values)
            rows = cursor.fetchall()
        except sqlite3.Error as error:
            raise self._refusal(values, error) from error
        return self._result(rows, cursor.rowcount)

    def run_many(
        self, driver: sqlite3.Connection, given: Sequence[Mapping[str, Any]]
    ) -> CursorResult[Any]:
        """Executes it for each of some rows of the same columns; it returns nothing of them.

        Raises:
            NotFitting: its rows are asked for, or as `run`; nothing was done.
            DBAPIError: as `run`.
        """
        if self.metadata.keys:
            raise NotFitting
        values = [self._values(row) for row in given]
        try:
            cursor = driver.executemany(self.text, values)
        except sqlite3.Error as error:
            raise self._refusal(values, error) from error
        return self._result([], cursor.rowcount)

    def _values(self, given: Mapping[str, Any]) -> list[Any]:
        return [self._value(bind, given) for bind in self.binds]

    def _result(self, rows: list[Any], rowcount: int) -> CursorResult[Any]:
        result = PreparedResult(self.metadata, rows, rowcount, self.row_of)
        return cast(CursorResult[Any], result)

    def _refusal(self, values: list[Any], error: sqlite3.Error) -> BaseException:
        return DBAPIError.instance(
            self.text, tuple(values), error, sqlite3.Error, dialect=self.dialect
        )

    @staticmethod
    def _value(bind: Bind, given: Mapping[str, Any]) -> Any:
        if not bind.name:
            return bind.value
        value = given[bind.name]
        return value if bind.processor is None else bind.processor(value)


class PreparedStatements:
    """What has been made ready for one database; it forgets statements that nobody holds."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._known: WeakKeyDictionary[Executable, dict[Names, Prepared | None]] = (
            WeakKeyDictionary()
        )

    def get(self, statement: Executable, given: Mapping[str, Any]) -> Prepared | None:
        """Returns a statement made ready; None where it takes SQLAlchemy's way this time."""
        of_names = self._known.get(statement)
        if of_names is None:
            # Most that are built anew run once: compiling them would be for nothing.
            self._known[statement] = {}
            return None
        names = tuple(given)
        if names not in of_names:
            of_names[names] = _prepared(statement, names, self._dialect)
        return of_names[names]


def _prepared(statement: Executable, names: Names, dialect: Dialect) -> Prepared | None:
    if not isinstance(statement, ClauseElement):
        return None
    compiled = statement.compile(dialect=dialect, column_keys=list(names))
    if not isinstance(compiled, SQLCompiler) or not _fits(compiled):
        return None
    binds = _binds(compiled, names)
    keys = [column.keyname for column in compiled._result_columns]
    if binds is None or len(set(keys)) != len(keys):
        return None
    processors = [
        column.type._cached_result_processor(dialect, None) for column in compiled._result_columns
    ]
    metadata = SimpleResultMetaData(
        keys,
        [_columns(column.objects) for column in compiled._result_columns],
        _processors=processors if any(processors) else None,
    )
    # As SQLAlchemy makes its rows, by what it would look up again for each result.
    row_of = partial(Row, metadata, metadata._effective_processors, metadata._key_to_index)
    return Prepared(LIST.sub(LIST_IN_JSON, compiled.string), binds, metadata, row_of, dialect)


def _columns(objects: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns what a column may be asked for beside its name."""
    return tuple(one for one in objects if not isinstance(one, str))


def _fits(compiled: SQLCompiler) -> bool:
    """Says whether the text is final but for lists, and nothing is computed at the execution."""
    computed = (
        compiled.literal_execute_params
        or len(LIST.findall(compiled.string)) != len(compiled.post_compile_params)
        or compiled.escaped_bind_names
        or compiled.isplaintext
        or compiled.positiontup is None
    )
    if computed:
        return False
    if not (compiled.isinsert or compiled.isupdate or compiled.isdelete):
        return True
    return not (compiled.insert_prefetch or compiled.update_prefetch or compiled.implicit_returning)


def _binds(compiled: SQLCompiler, names: Names) -> tuple[Bind, ...] | None:
    """Returns the parameters in the order of the text; None where one is not to be had."""
    found = []
    for name in compiled.positiontup or ():
        parameter = compiled.binds[name]
        processor = cast(Processor | None, compiled._bind_processors.get(name))
        given = next((one for one in (parameter.key, name) if one in names), "")
        if parameter in compiled.post_compile_params:
            if not given or not _is_plain(parameter.type):
                return None
            found.append(Bind(given, None, partial(_in_json, processor)))
        elif given:
            found.append(Bind(given, None, processor))
        elif parameter.required or parameter.callable is not None:
            return None
        else:
            value = parameter.value
            found.append(Bind("", value if processor is None else processor(value), None))
    return tuple(found)


def _is_plain(type_: Any) -> bool:
    """Says whether values of a type, as the driver takes them, are in JSON what they are there."""
    if isinstance(type_, TypeDecorator):
        type_ = type_.impl_instance
    return type(type_) in (String, Integer, BigInteger)


def _in_json(processor: Processor | None, values: Any) -> str:
    """Returns a list of values, each turned into what the driver takes."""
    taken = list(values) if processor is None else [processor(value) for value in values]
    text = json.dumps(taken, ensure_ascii=False)
    if "\\u0000" in text:
        # SQLite ends a text of JSON there.
        raise NotFitting
    return text
