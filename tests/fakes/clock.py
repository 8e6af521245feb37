"""A clock that stands until it is moved."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class ManualClock:
    """Time that tests move; sleeping moves it by the time slept."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)
        # As on a real clock, the others have their turn: a loop that never ends can be cancelled.
        await asyncio.sleep(0)

    def advance(self, seconds: float) -> None:
        """Moves time forward."""
        self._now += timedelta(seconds=max(seconds, 0.0))

    def turn_back(self, seconds: float) -> None:
        """Sets time back, as an administrator or NTP may."""
        self._now -= timedelta(seconds=seconds)


class PassingClock(ManualClock):
    """Time that passes by itself, and is slept through."""

    def __init__(self, start: datetime = START) -> None:
        super().__init__(start)
        self._began = time.monotonic()

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=time.monotonic() - self._began)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(seconds, 0.0))
