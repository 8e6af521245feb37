"""Runs long CPU work in a thread, short work at once."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


# A thread costs more than work on a text this long.
INLINE_CHARACTERS_MAX = 20_000


async def compute_in_thread(work: Callable[[], Result], *, characters: int) -> Result:
    """Implements the `Compute` port."""
    if characters <= INLINE_CHARACTERS_MAX:
        return work()
    return await asyncio.to_thread(work)
