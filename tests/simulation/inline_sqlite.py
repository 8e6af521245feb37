"""SQLite in memory without the driver's thread: a thousand worlds are made of statements."""

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any

import aiosqlite

from scops.common.db import Database
from scops.common.db.database import Effect


class InlineQueue:
    """Stands where the driver hands calls to its thread, and runs them at once."""

    def put_nowait(self, item: tuple[asyncio.Future[Any] | None, Callable[[], Any]]) -> None:
        future, function = item
        try:
            result = function()
        except Exception as error:  # noqa: BLE001 (whatever the call raises is the caller's)
            if future is not None:
                future.set_exception(error)
        else:
            if future is not None:
                future.set_result(result)


class InlineConnection(aiosqlite.Connection):
    """A connection whose thread is never started."""

    def __init__(self) -> None:
        super().__init__(lambda: sqlite3.connect(":memory:"), 64)
        self._tx: Any = InlineQueue()


async def connect() -> InlineConnection:
    """Opens a database of its own in memory."""
    connection = InlineConnection()
    await connection._connect()
    return connection


def memory_database(name: str, effect: Effect) -> Database:
    """Returns a service's state in memory, with an effect around each transaction."""
    return Database("sqlite+aiosqlite://", name=name, effect=effect, connect=connect)
