"""Time as a port: nothing else in Scops reads the wall clock."""

import asyncio
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The current instant, and waiting."""

    def now(self) -> datetime:
        """Returns the current instant, aware, in UTC."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Waits; 0 or less yields once."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(seconds, 0.0))
