"""Clocks of simulated machines."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime, timedelta

from tests.fakes.clock import ManualClock


class SkewedClock:
    """The clock of one machine: so much ahead of true time, or behind it."""

    def __init__(self, true: ManualClock) -> None:
        self._true = true
        self.ahead = timedelta()

    def now(self) -> datetime:
        return self._true.now() + self.ahead

    async def sleep(self, seconds: float) -> None:
        await self._true.sleep(seconds)


def endless(seconds: float) -> AbstractAsyncContextManager[object]:
    """Limits nothing: simulated time stands while a question is answered."""
    return _endless()


@asynccontextmanager
async def _endless() -> AsyncIterator[None]:
    yield
