"""A token bucket for each principal: it fills steadily, and a call takes from it what it costs."""

from collections.abc import Callable

# A principal who has not called for so long may spend that much at once.
BURST_SECONDS = 10.0
# Buckets that are held; full ones go first, which changes nothing for their principals.
BUCKETS_MAX = 10_000


class Budgets:
    """Budgets of principals, as this process has seen them call.

    Args:
        units_per_second: that each bucket gains; 0 bounds nobody.
        now: seconds of a clock that never goes back.
    """

    def __init__(self, units_per_second: float, now: Callable[[], float]) -> None:
        self._rate = units_per_second
        self._now = now
        # Units that are left, and when that was.
        self._left: dict[str, tuple[float, float]] = {}

    @property
    def size(self) -> float:
        """Units that a full bucket holds."""
        return self._rate * BURST_SECONDS

    def take(self, principal: str, units: int) -> float:
        """Takes units; returns 0, or after how many seconds they could be taken."""
        if not self._rate:
            return 0.0
        now = self._now()
        left = self._filled(principal, now)
        if left < units:
            return (units - left) / self._rate
        if len(self._left) >= BUCKETS_MAX:
            self._forget_full(now)
        self._left[principal] = (left - units, now)
        return 0.0

    def left(self, principal: str) -> float:
        """Returns the units that a principal may spend now."""
        return self._filled(principal, self._now())

    def _filled(self, principal: str, now: float) -> float:
        left, then = self._left.get(principal, (self.size, now))
        return min(self.size, left + (now - then) * self._rate)

    def _forget_full(self, now: float) -> None:
        """Drops buckets that are full, and the emptiest never: those are of whom calls most."""
        kept = {name: at for name, at in self._left.items() if self._filled(name, now) < self.size}
        if len(kept) >= BUCKETS_MAX:
            emptiest = sorted(kept, key=lambda name: self._filled(name, now))[: BUCKETS_MAX // 2]
            kept = {name: kept[name] for name in emptiest}
        self._left = kept
