"""A plugin of pytest that writes down what is asked of PostgreSQL while tests run.

    STATEMENTS_FOLDER=folder pytest -p benchmarks.statements.capture tests/contract

Each process of pytest writes a file of its own into the folder.

A statement is its text, the names of its parameters by position, and the values of a call. Of
statements that differ only in the length of their lists (`IN`) the longest of at most
`VALUES_USUAL` values stands.
"""

import os
import pickle
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import greenlet
import pytest
from sqlalchemy import Engine, Table, event
from sqlalchemy.sql import visitors

from scops.change_detector.adapters import tables as change_tables
from scops.fetcher.adapters.sql.discovery.listing_tables import subscription
from scops.fetcher.adapters.sql.recrawl.schedule_tables import schedule
from scops.gateway.adapters.sql.research_tables import research
from scops.gateway.adapters.sql.watch_tables import watch
from scops.indexer.adapters import tables as index_tables

FOLDER_VARIABLE = "STATEMENTS_FOLDER"
# Of a service with tables in several modules, by a table of each that is loaded last.
_FETCHER = (subscription, schedule)
_GATEWAY = (watch, research)
METADATA = {
    "fetcher": _FETCHER[-1].metadata,
    "change": change_tables.metadata,
    "index": index_tables.metadata,
    "gateway": _GATEWAY[-1].metadata,
}
# Suites of long lists give tens of thousands, for which no index is taken in small tables.
VALUES_USUAL = 64
_LIMIT = re.compile(r"LIMIT \$(\d+)")
_PLACEHOLDER_RUNS = re.compile(r"\$\d+(::[A-Z ]+)?(, \$\d+(::[A-Z ]+)?)+")
_ROW_RUNS = re.compile(r"\(\$…\)(, \(\$…\))+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement as the driver is given it.

    Attributes:
        service: a key of `METADATA`.
        text: SQL with `$1`, `$2` and so on.
        names: of the parameters, as SQLAlchemy names them: by column, and a number.
        values: of the parameters, of one call.
    """

    service: str
    text: str
    names: tuple[str, ...]
    values: tuple[Any, ...]

    @property
    def shape(self) -> str:
        """The text, however long its lists are and however many rows it inserts."""
        return _ROW_RUNS.sub("($…)", _PLACEHOLDER_RUNS.sub("$…", self.text))

    @property
    def limit(self) -> int:
        """How many rows it finds at most, where it says so; else 0."""
        found = _LIMIT.findall(self.text)
        return int(self.values[int(found[-1]) - 1]) if found else 0


class Captured:
    """The statements of a run, one of each shape."""

    def __init__(self) -> None:
        self._by_shape: dict[tuple[str, str], Statement] = {}

    def __call__(
        self, connection: Any, cursor: Any, text: str, values: Any, context: Any, many: bool
    ) -> None:
        """Takes what SQLAlchemy is about to run, as `before_cursor_execute` tells it."""
        compiled = getattr(context, "compiled", None)
        if connection.dialect.name != "postgresql" or compiled is None:
            return
        service = _service_of(compiled.statement)
        if service is None or not _is_asked_by_a_service():
            return
        # Of rows that are inserted by one statement the values stand in one list.
        given = values[0] if many and not isinstance(values[0], str) else values
        names = _names(context, len(given))
        statement = Statement(service=service, text=text, names=names, values=tuple(given))
        key = (service, statement.shape)
        known = self._by_shape.get(key)
        if known is None or _is_better(statement, known):
            self._by_shape[key] = statement

    def write(self, folder: Path) -> None:
        """Writes what was captured into a folder, beside what others captured."""
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{os.getpid()}.pickle"
        file.write_bytes(pickle.dumps(list(self._by_shape.values())))


def read(folder: Path) -> list[Statement]:
    """Returns the statements of a folder, one of each shape, in the order of their text."""
    merged: dict[tuple[str, str], Statement] = {}
    for file in sorted(folder.glob("*.pickle")):
        for one in pickle.loads(file.read_bytes()):
            key = (one.service, one.shape)
            if key not in merged or _is_better(one, merged[key]):
                merged[key] = one
    return [merged[key] for key in sorted(merged)]


def _is_better(one: Statement, known: Statement) -> bool:
    """Returns whether a statement of a known shape has lists of a more usual length."""
    lengths = len(one.values), len(known.values)
    if min(lengths) > VALUES_USUAL:
        return lengths[0] < lengths[1]
    return lengths[1] < lengths[0] <= VALUES_USUAL or lengths[1] > VALUES_USUAL >= lengths[0]


def _service_of(statement: Any) -> str | None:
    """Returns whose tables a statement names; None for none, and for text."""
    for element in visitors.iterate(statement):
        if isinstance(element, Table):
            for service, metadata in METADATA.items():
                if element.metadata is metadata:
                    return service
    return None


def _is_asked_by_a_service() -> bool:
    """Returns whether the statement that runs now is a service's, and not a test's own.

    SQLAlchemy runs it in a greenlet; who awaits it is below that.
    """
    parent = greenlet.getcurrent().parent
    frame = parent.gr_frame if parent else None
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("tests."):
            return False
        if module.startswith("scops.") and not module.startswith("scops.common.db."):
            return True
        frame = frame.f_back
    return False


def _names(context: Any, count: int) -> tuple[str, ...]:
    """Returns the names of parameters by position, each of a list by itself."""
    names = tuple(context.compiled.positiontup or ())
    if len(names) == count:
        return names
    if count > len(names) and context.compiled.insert_single_values_expr:
        rows = range(count // len(names))
        return tuple([f"{name}_m{row}" for row in rows for name in names])
    # Lists are written out when the statement runs, after everything else.
    given = context.compiled_parameters[0]
    return tuple(
        [name for name in names if name in given] + [name for name in given if name not in names]
    )


def pytest_configure(config: pytest.Config) -> None:
    captured = Captured()
    event.listen(Engine, "before_cursor_execute", captured)
    config.stash[_CAPTURED] = captured


def pytest_unconfigure(config: pytest.Config) -> None:
    config.stash[_CAPTURED].write(Path(os.environ[FOLDER_VARIABLE]))


_CAPTURED: pytest.StashKey[Captured] = pytest.StashKey()
