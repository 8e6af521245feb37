"""Goes through texts that take time in proportion to their length; the event loop runs between."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
# Reading them for words, names or digests takes 5 ms on a free core, and URLs full of escapes 20.
CHARACTERS_A_TURN = 4_000
# What is done with an item beside its text counts too.
CHARACTERS_AN_ITEM = 50


async def in_turns(items: Iterable[Item], characters: Callable[[Item], int]) -> AsyncIterator[Item]:
    """Yields items; the loop turns whenever their texts add up to `CHARACTERS_A_TURN`."""
    taken = 0
    for item in items:
        if taken >= CHARACTERS_A_TURN:
            await asyncio.sleep(0)
            taken = 0
        taken += characters(item) + CHARACTERS_AN_ITEM
        yield item
