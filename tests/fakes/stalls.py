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
# CPU time of `_piece` on the machine that the bounds of tests are meant for, while it is quiet.
PIECE_SECONDS = 0.0004


@dataclass(slots=True)
class Stalls:
    """The longest CPU time that the loop's thread took between two ticks, in paced seconds."""

    longest: float = 0.0


@contextlib.asynccontextmanager
async def measured_stalls() -> AsyncIterator[Stalls]:
    """Ticks as often as the loop allows; CPU time, so that a busy machine counts for nothing.

    Nor does a slow one: a turn is paced (`paced`) by what the machine does right after it.
    """
    stalls = Stalls()

    async def tick() -> None:
        while True:
            began = time.thread_time()
            await asyncio.sleep(0)
            turn = time.thread_time() - began
            if turn > stalls.longest:
                stalls.longest = max(stalls.longest, paced(turn))

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
    """Returns the least paced CPU time of some attempts; one within `enough` is."""
    least = float("inf")
    for _ in range(ATTEMPTS):
        began = time.thread_time()
        work()
        least = min(least, paced(time.thread_time() - began))
        if least < enough:
            break
    return least


def paced(seconds: float) -> float:
    """Returns CPU seconds as those of the machine that bounds are meant for.

    Processors are shared with neighbours that slow each instruction down, which CPU time does not
    leave out: a fixed piece of work right after tells by how much. A fast machine gains nothing.
    """
    return seconds / max(1.0, min(_piece_seconds() for _ in range(ATTEMPTS)) / PIECE_SECONDS)


def _piece_seconds() -> float:
    began = time.thread_time()
    _piece()
    return time.thread_time() - began


def _piece() -> int:
    return sum(len({str(number): number}) for number in range(4_000))
