"""Runs long CPU work in a thread, short work at once."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


class ThreadCompute:
    """Implements the `Compute` port.

    Args:
        inline_characters_max: a thread costs more than work on a text this long.
    """

    def __init__(self, *, inline_characters_max: int) -> None:
        self._inline_characters_max = inline_characters_max

    async def __call__(self, work: Callable[[], Result], *, characters: int) -> Result:
        if characters <= self._inline_characters_max:
            return work()
        return await asyncio.to_thread(work)
