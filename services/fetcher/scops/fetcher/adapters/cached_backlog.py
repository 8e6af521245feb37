"""Counts of pending messages, believed for a moment: each costs requests to the bus."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from scops.common.clock import Clock
from scops.common.contract import Role


class CachedBacklog:
    """Asks for a role's pending messages at most once in `seconds`.

    Args:
        count: the count itself; what it raises is raised and not kept.
    """

    def __init__(
        self, count: Callable[[Role], Awaitable[int]], *, clock: Clock, seconds: float
    ) -> None:
        self._count = count
        self._clock = clock
        self._age = timedelta(seconds=seconds)
        self._known: dict[Role, tuple[datetime, int]] = {}

    async def __call__(self, role: Role) -> int:
        now = self._clock.now()
        known = self._known.get(role)
        if known is None or now - known[0] >= self._age:
            known = (now, await self._count(role))
            self._known[role] = known
        return known[1]
