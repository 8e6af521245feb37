"""What adapters use of a connection: a part of SQLAlchemy's `AsyncConnection`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from sqlalchemy import Executable
from sqlalchemy.engine import CursorResult, Dialect

T = TypeVar("T")


class Connection(Protocol):
    """A connection inside a transaction; it ends with the transaction's `async with`."""

    @property
    def dialect(self) -> Dialect:
        """The dialect, by whose name statements are chosen where databases differ."""

    async def execute(
        self,
        statement: Executable,
        parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> CursorResult[*tuple[Any, ...]]:
        """Runs a statement, once or for each of some parameters; its rows are all there."""

    async def run_sync(self, fn: Callable[..., T], *arg: Any) -> T:
        """Calls a function with the synchronous connection, such as `metadata.create_all`."""
