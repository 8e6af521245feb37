"""Counts of pending messages, believed for a moment: each costs requests to the bus."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from scops.common.contract.service_table import Role
from scops.common.runtime.clock import Clock

BELIEVED = timedelta(seconds=2)
"""How long a count is believed."""


class CachedBacklog:
    """Asks for a role's pending messages at most once in `BELIEVED`.

    Args:
        count: the count itself; what it raises is raised and not kept.
    """

    def __init__(self, count: Callable[[Role], Awaitable[int]], *, clock: Clock) -> None:
        self._count = count
        self._clock = clock
        self._known: dict[Role, tuple[datetime, int]] = {}
        # Who comes while somebody asks waits for that answer.
        self._asking = asyncio.Lock()

    async def __call__(self, role: Role) -> int:
        fresh = self._fresh(role)
        if fresh is not None:
            return fresh
        async with self._asking:
            fresh = self._fresh(role)
            if fresh is None:
                asked = self._clock.now()
                fresh = await self._count(role)
                self._known[role] = (asked, fresh)
            return fresh

    def _fresh(self, role: Role) -> int | None:
        known = self._known.get(role)
        # A clock that was set back makes nothing look fresh.
        if known is None or abs(self._clock.now() - known[0]) >= BELIEVED:
            return None
        return known[1]
