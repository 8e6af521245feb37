"""Tries again what says that it passes, as the bus does with a message."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from scops.common.contract.errors import TransientError

T = TypeVar("T")
# A PostgreSQL that was killed on a busy machine takes seconds until it answers.
SECONDS_MAX = 60.0
DELAY_SECONDS = 0.02


async def patiently(work: Callable[[], Awaitable[T]], *, told: list[str] | None = None) -> T:
    """Returns what some work comes to in the end.

    Args:
        told: takes what the failed tries said.

    Raises:
        TransientError: it never succeeds.
    """
    limit = time.monotonic() + SECONDS_MAX
    tries = 0
    while True:
        try:
            return await work()
        except TransientError as error:
            if told is not None:
                told.append(str(error))
            if time.monotonic() > limit:
                raise
            tries += 1
            await asyncio.sleep(DELAY_SECONDS * (1 + tries % 5))
