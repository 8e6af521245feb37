"""Methods of a store that are one transaction around one function.

A class that keeps its database as `_database` names the function; what others call is a method:

    class SqlPages:
        forget = transactional(pages.forget)  # pages.forget(connection, page_id)
"""

from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from scops.common.db.connection import Connection

P = ParamSpec("P")
T = TypeVar("T")


def transactional(
    function: Callable[Concatenate[Connection, P], Awaitable[T]],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """Returns a method that runs a function in a transaction of its own."""

    @wraps(function)
    async def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        async with self._database.transaction() as connection:
            return await function(connection, *args, **kwargs)

    return method


def reading(
    function: Callable[Concatenate[Connection, P], Awaitable[T]],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]:
    """Returns a method that runs a function which only reads."""

    @wraps(function)
    async def method(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
        async with self._database.reading() as connection:
            return await function(connection, *args, **kwargs)

    return method
