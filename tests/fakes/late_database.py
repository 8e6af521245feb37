"""Databases whose statements come late, by chance or on demand, so that transactions meet."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Executable
from sqlalchemy.engine import CursorResult, Dialect

from scops.common.db.address import Address
from scops.common.db.connection import Connection
from scops.common.db.database import Database

COMMIT = "COMMIT"
LATE_SHARE = 0.15
LATE_SECONDS_MAX = 0.02


class JitteredDatabase(Database):
    """A `Database` that now and then waits before a statement of a writing transaction."""

    def __init__(self, address: Address, *, name: str, chance: random.Random) -> None:
        super().__init__(address, name=name)
        self._chance = chance

    @asynccontextmanager
    async def transaction(self, *, gives_way: bool = False) -> AsyncIterator[Connection]:
        async with super().transaction(gives_way=gives_way) as connection:
            yield _Late(connection, self._perhaps_wait)
            await self._perhaps_wait(COMMIT)

    async def _perhaps_wait(self, statement: str) -> None:
        if self._chance.random() < LATE_SHARE:
            await asyncio.sleep(self._chance.random() * LATE_SECONDS_MAX)


class HeldDatabase(Database):
    """A `Database` that stops once, before a statement that contains a text, until `go` is set.

    Args:
        before: part of a statement, or `COMMIT`.
    """

    def __init__(self, address: Address, *, before: str) -> None:
        super().__init__(address, name="held")
        self.before = before
        self.reached = asyncio.Event()
        self.go = asyncio.Event()

    @asynccontextmanager
    async def transaction(self, *, gives_way: bool = False) -> AsyncIterator[Connection]:
        async with super().transaction(gives_way=gives_way) as connection:
            yield _Late(connection, self._hold)
            await self._hold(COMMIT)

    async def _hold(self, statement: str) -> None:
        if self.before in statement and not self.reached.is_set():
            self.reached.set()
            await self.go.wait()


class _Late:
    """A `Connection` that waits before its statements."""

    def __init__(self, connection: Connection, wait: Callable[[str], Awaitable[None]]) -> None:
        self._connection = connection
        self._wait = wait

    @property
    def dialect(self) -> Dialect:
        return self._connection.dialect

    async def execute(
        self, statement: Executable, parameters: Any = None
    ) -> CursorResult[*tuple[Any, ...]]:
        await self._wait(str(statement))
        return await self._connection.execute(statement, parameters)

    async def run_sync(self, fn: Callable[..., Any], *arg: Any) -> Any:
        return await self._connection.run_sync(fn, *arg)
