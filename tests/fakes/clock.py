"""A clock that stands until it is moved."""

import asyncio
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
