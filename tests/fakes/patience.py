"""Tries again what says that it passes, as the bus does with a message."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from scops.common.errors import TransientError

T = TypeVar("T")
TRIES_MAX = 50
DELAY_SECONDS = 0.02


async def patiently(work: Callable[[], Awaitable[T]], *, told: list[str] | None = None) -> T:
    """Returns what some work comes to in the end.

    Args:
        told: takes what the failed tries said.

    Raises:
        TransientError: it never succeeds.
    """
    for tries in range(TRIES_MAX):
        try:
            return await work()
        except TransientError as error:
            if told is not None:
                told.append(str(error))
            if tries == TRIES_MAX - 1:
                raise
            await asyncio.sleep(DELAY_SECONDS * (1 + tries % 5))
    raise AssertionError("unreachable")
