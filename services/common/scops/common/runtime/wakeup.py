"""Wakes sleeping loops of one process; only a hint, since state is what tells the work."""

import asyncio
from collections import deque


class Wakeup:
    """Wakes one sleeper for each call; a call that finds none is remembered once."""

    def __init__(self) -> None:
        self._sleepers: deque[asyncio.Future[None]] = deque()
        self._pending = False

    def notify(self) -> None:
        """Wakes the sleeper that has slept longest."""
        while self._sleepers:
            sleeper = self._sleepers.popleft()
            if not sleeper.done():
                sleeper.set_result(None)
                return
        self._pending = True

    async def wait(self, seconds: float) -> None:
        """Sleeps until it is woken, at most for `seconds`."""
        if self._pending or seconds <= 0:
            self._pending = False
            return
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append(sleeper)
        try:
            async with asyncio.timeout(seconds):
                await sleeper
        except TimeoutError:
            return
        finally:
            if sleeper in self._sleepers:
                self._sleepers.remove(sleeper)
