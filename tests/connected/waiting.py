"""Waits for what happens elsewhere, with a bound."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable


async def until(
    holds: Callable[[], bool | Awaitable[bool]], *, timeout_seconds: float = 20.0
) -> None:
    """Polls until a condition holds; fails the test when it does not in time."""
    deadline = time.monotonic() + timeout_seconds
    while time.monotonic() < deadline:
        held = holds()
        if inspect.isawaitable(held):
            held = await held
        if held:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"{holds} did not hold within {timeout_seconds} s")
