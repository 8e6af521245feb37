"""Lets a loop sleep until there is work or its interval is over."""

import asyncio


class Wake:
    """A bell between whoever makes work and the loop that does it."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wakes the loop at once; it is remembered while the loop works."""
        self._rung.set()

    async def wait(self, seconds: float) -> None:
        """Returns when the bell rings, or after some seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        except TimeoutError:
            pass
        self._rung.clear()
