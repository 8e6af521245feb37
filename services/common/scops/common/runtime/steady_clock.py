"""Time that runs evenly, and is the same for everybody who works on one state.

Between two looks at the reference it follows the machine's clock of elapsed time, which nobody
sets; so a clock that is set wrong, or jumps, neither ends a lease early nor makes anybody wait.
"""

import math
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from scops.common.observe.log import get_logger
from scops.common.observe.metrics import CLOCK_JUMPS, CLOCK_SKEW_SECONDS
from scops.common.runtime.clock import Clock

log = get_logger(__name__)
FOLLOW_SECONDS = 5.0
# A difference that no clock gains between two looks, and no network makes.
JUMP_SECONDS = 0.5
# Of the time since the last look: faster than quartz drifts and NTP slews, too slow to matter to
# the pause of a host.
SLEW_RATIO = 0.001
# A reference that took longer to answer says too little of when it did.
ANSWER_SECONDS_MAX = 0.2
FIRST_LOOKS = 3

Reference = Callable[[], Awaitable[datetime]]


def elapsed_seconds() -> float:
    """Returns seconds that only grow, those of a suspended machine included where it tells."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class SteadyClock:
    """A `Clock` that follows a reference; `follow` every `FOLLOW_SECONDS`.

    Args:
        reference: the time that counts, such as the database's; None where it is this machine's.
        local: this machine's clock: what time begins with, and whose skew is shown.
        elapsed: seconds of a clock that nobody sets.
    """

    def __init__(
        self,
        local: Clock,
        *,
        reference: Reference | None = None,
        elapsed: Callable[[], float] = elapsed_seconds,
    ) -> None:
        self._local = local
        self._reference = reference
        self._elapsed = elapsed
        self._base, self._mark = local.now(), elapsed()
        self._followed = reference is None
        self._jumped = -math.inf

    def now(self) -> datetime:
        return self._base + timedelta(seconds=self._elapsed() - self._mark)

    async def sleep(self, seconds: float) -> None:
        await self._local.sleep(seconds)

    def settled(self, seconds: float) -> bool:
        """Says whether time is known and has run evenly for so long."""
        return self._followed and self._elapsed() - self._jumped >= seconds

    async def follow(self) -> None:
        """Looks at the reference once, and comes nearer to it; a jump is told, and taken over.

        Raises:
            StoreUnavailable: the reference does not answer; time runs on.
        """
        found = await self._look()
        if found is None:
            return
        ahead = (found - self.now()).total_seconds()
        CLOCK_SKEW_SECONDS.set((self._local.now() - self._told(found)).total_seconds())
        first, self._followed = not self._followed, True
        if first or abs(ahead) > JUMP_SECONDS:
            self._base, self._mark = found, self._elapsed()
            if not first:
                self._note_jump(ahead)
            return
        run = self._elapsed() - self._mark
        most = run * SLEW_RATIO
        self._base = self.now() + timedelta(seconds=min(max(ahead, -most), most))
        self._mark += run

    def _told(self, found: datetime) -> datetime:
        """Returns what the local clock is compared with: on one machine, time as it ran so far."""
        return self.now() if self._reference is None else found

    def _note_jump(self, ahead: float) -> None:
        self._jumped = self._elapsed()
        CLOCK_JUMPS.inc()
        log.error(
            "clock_jumped",
            seconds=round(ahead, 3),
            clock="machine" if self._reference is None else "database",
            next="Check NTP there. Nothing is asked of any host until running requests are over.",
        )

    async def _look(self) -> datetime | None:
        """Returns what the reference says now; None where it took too long to tell."""
        if self._reference is None:
            return self._local.now()
        best: tuple[float, datetime] | None = None
        for _ in range(1 if self._followed else FIRST_LOOKS):
            asked = self._elapsed()
            told = await self._reference()
            took = self._elapsed() - asked
            if best is None or took < best[0]:
                # It said so half of the way between asking and hearing; as of instant 0 then.
                best = (took, told - timedelta(seconds=asked + took / 2))
        assert best is not None
        if self._followed and best[0] > ANSWER_SECONDS_MAX:
            return None
        return best[1] + timedelta(seconds=self._elapsed())
