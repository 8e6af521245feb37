"""Measures for how long an event loop did nothing else, and texts that are made to take long."""

import asyncio
import contextlib
import gc
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

# Of each class of characters that rules tell apart, and what they look for.
UNITS = (
    *" \n\ta1A_-.,é中\"(?:!…。#*|'",
    *("It a. ", "It. ", "A1. ", "A? ", "x:\n", "it\n", "a.b ", "1. ", "- a\n", "U.S. ", "e.g. "),
    *("1999 ", "in 1999, ", "(1700-1800) ", "may ", "may 1 ", "1990s ", "two years ago ", "3/4 "),
    *("since ", "from 1990 to ", "“a” ", "[1]", "..", ". a ", "?!", "\u200b\n", "\u3000", "中。"),
)
PIECES = ("It ", "may", "1999", ". ", "\n", ":", "?", " ", "a", "(", ")", "中", "“", "-", "from ")
ATTEMPTS = 3


@dataclass(slots=True)
class Stalls:
    """The longest CPU time that the loop's thread took between two ticks, in seconds."""

    longest: float = 0.0


@contextlib.asynccontextmanager
async def measured_stalls() -> AsyncIterator[Stalls]:
    """Ticks as often as the loop allows; CPU time, so that a busy machine counts for nothing."""
    stalls = Stalls()

    async def tick() -> None:
        while True:
            began = time.thread_time()
            await asyncio.sleep(0)
            stalls.longest = max(stalls.longest, time.thread_time() - began)

    # As a process of roles does: what a run of tests has left is not looked through again.
    gc.collect()
    gc.freeze()
    ticking = asyncio.create_task(tick())
    try:
        yield stalls
        await asyncio.sleep(0)
    finally:
        ticking.cancel()
        gc.unfreeze()


def hostile_texts(characters: int, *, seed: int, count: int) -> list[str]:
    """Returns texts of a length: runs of each unit, and of random pieces one after another."""
    chance = random.Random(seed)
    units = [
        *UNITS,
        *("".join(chance.choices(PIECES, k=chance.randint(2, 6))) for _ in range(count)),
    ]
    return [(unit * (characters // len(unit) + 1))[:characters] for unit in units]


def cpu_seconds(work: Callable[[], object], *, enough: float) -> float:
    """Returns the least CPU time of some attempts; one within `enough` is."""
    least = float("inf")
    for _ in range(ATTEMPTS):
        began = time.thread_time()
        work()
        least = min(least, time.thread_time() - began)
        if least < enough:
            break
    return least
