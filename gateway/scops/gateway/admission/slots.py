"""How many calls are worked on at once: as many as stay about as fast as one alone is.

The number follows the time that calls take (additive increase, multiplicative decrease, as TCP
does): it grows while they are fast and all slots are taken, and shrinks, to half at most, when they
take more than half as long again as one alone. How long that is, is learnt from calls that nobody
disturbed, as they come in quiet hours; where none has come for long, it is measured with one slot,
as BBR does with its round trip, amid whoever is refused meanwhile, and therefore believed with
care. A burst waits for a slot. More than can be done for a while is no burst, and who comes then is
refused at once, but for a few who have no other call, and these wait no longer than half of what
one alone takes: those who are let in are fast, instead of all being slow. (Compare "BBR", ACM Queue
14(5), 2016, and "Fail at Scale", ACM Queue 13(8), 2015.)
"""

import asyncio
import math
import statistics
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

SLOTS_FIRST, SLOTS_MIN = 16.0, 1.0
# Calls after which the number is looked at.
WINDOW_CALLS = 20
SLOWER_MAX = 1.5
SHRINK_MIN = 0.5
# It grows by one of so many, and by one at most: each look at whether one more is one too many
# costs those who are let in meanwhile.
GROWTH = 64.0
# Calls alone that say how fast they are, and windows with all slots taken for which that holds.
ALONE_CALLS = 5
ALONE_HOLDS = 50
# Calls that take longer even alone wait for a model and not for each other: as many go as ever.
LONG_SECONDS = 1.0
WAITING_MAX = 256
WAIT_SECONDS_MAX = 2.0
# With no slot free for so long it is no burst.
PATIENCE_SECONDS = 5.0
# Of the time, smoothed over SMOOTHED_SECONDS: that a slot was free. Less is too much; a moment
# between two calls does not count for more than it is.
FREE_SHARE_MIN = 0.08
SMOOTHED_SECONDS = PATIENCE_SECONDS / -math.log(FREE_SHARE_MIN)
# When it is no burst: of the slots, for how many calls may wait, and of the time of one alone, how
# long.
WAITING_SHARE = 0.5
WAITING_ALONE_SHARE = 0.5


class NoSlot(Exception):
    """All slots are taken, and will be."""


class Slots:
    """The slots of one kind of calls.

    Args:
        most: that there ever are.
        now: seconds of a clock that never goes back.
    """

    def __init__(self, most: int, now: Callable[[], float]) -> None:
        self._most = float(most)
        self._now = now
        self.limit = min(SLOTS_FIRST, self._most)
        self._taken: Counter[str] = Counter()
        self._waiting: deque[tuple[str, asyncio.Future[None]]] = deque()
        self._free_share, self._looked = 1.0, now()
        # Calls that come a second, smoothed, and when the last one came.
        self._rate, self._came = 0.0, now()
        self._seconds: list[float] = []
        # Of a call, lately; 0 while it is not known.
        self._lately = 0.0
        self._was_full = False
        # Of one call alone; 0 while it is not known. And of the last ones that nobody disturbed.
        self._alone = 0.0
        self._undisturbed: deque[float] = deque(maxlen=ALONE_CALLS)
        # Calls that have come so far: none came during a call that leaves at the same count.
        self._count = 0
        self._full_windows = 0
        # Since when there is one slot, to learn it again; None while there are more.
        self._measured_since: float | None = None

    @property
    def taken(self) -> int:
        """Slots that are taken now."""
        return self._taken.total()

    @asynccontextmanager
    async def slot(self, principal: str, wait_seconds: float) -> AsyncIterator[None]:
        """Holds a slot.

        Args:
            wait_seconds: that the call can wait at most.

        Raises:
            NoSlot: there is none, and waiting would not help, or has not.
        """
        self._note_arrival()
        await self._enter(principal, min(wait_seconds, WAIT_SECONDS_MAX))
        begun, is_done = self._now(), False
        alone_at = self._count if self.taken == 1 else None
        try:
            yield
            is_done = True
        finally:
            is_alone = alone_at == self._count
            self._leave(principal, begun if is_done else None, is_alone=is_alone)

    async def _enter(self, principal: str, wait_seconds: float) -> None:
        self._look()
        # Whoever waits does so because no slot is free.
        if self.taken < self._open:
            self._taken[principal] += 1
            return
        self._was_full = True
        is_burst = not self._is_overloaded
        if not self._may_wait(principal, is_burst):
            raise NoSlot
        if not is_burst:
            wait_seconds = min(wait_seconds, self._alone * WAITING_ALONE_SHARE or wait_seconds)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (principal, turn)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(wait_seconds):
                await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            if entry in self._waiting:
                self._waiting.remove(entry)
            else:
                # A slot was given at the very moment: it goes to the next.
                self._free(principal)
            if isinstance(error, TimeoutError):
                raise NoSlot from error
            raise

    def _may_wait(self, principal: str, is_burst: bool) -> bool:
        """Returns whether a call may wait: in a burst, or as one of few who have no other."""
        if is_burst:
            return len(self._waiting) < WAITING_MAX
        has_other = self._taken[principal] or any(one == principal for one, _ in self._waiting)
        return not has_other and len(self._waiting) < max(1, int(self.limit * WAITING_SHARE))

    @property
    def _is_overloaded(self) -> bool:
        """Whether more has come than can be done, or hardly any slot was free, for a while."""
        is_too_much = self._rate * self._lately > self.limit
        return is_too_much or self._free_share <= FREE_SHARE_MIN

    def _note_arrival(self) -> None:
        now = self._now()
        kept = math.exp((self._came - now) / PATIENCE_SECONDS)
        self._rate = kept * self._rate + 1.0 / PATIENCE_SECONDS
        self._came = now
        self._count += 1

    def _look(self) -> None:
        """Notes whether a slot was free since the last change."""
        now = self._now()
        kept = math.exp((self._looked - now) / SMOOTHED_SECONDS)
        is_free = self.taken < self._open
        self._free_share = kept * self._free_share + (1.0 - kept) * is_free
        self._looked = now

    @property
    def _open(self) -> int:
        """Slots that there are now."""
        return int(self.limit) if self._measured_since is None else 1

    def _leave(self, principal: str, begun: float | None, *, is_alone: bool) -> None:
        self._look()
        if begun is not None:
            self._note(begun, self._now() - begun, is_alone)
        self._free(principal)

    def _free(self, principal: str) -> None:
        self._taken[principal] -= 1
        if not self._taken[principal]:
            del self._taken[principal]
        while self.taken < self._open:
            # Who has left without knowing it yet takes itself out.
            waiting = [one for one in self._waiting if not one[1].done()]
            if not waiting:
                break
            # Who holds the fewest comes first, and of those who has waited longest.
            entry = min(waiting, key=lambda one: self._taken[one[0]])
            self._waiting.remove(entry)
            self._taken[entry[0]] += 1
            entry[1].set_result(None)

    def _note(self, begun: float, seconds: float, is_alone: bool) -> None:
        """Learns from the time that a call took."""
        if is_alone:
            self._undisturbed.append(seconds)
            if len(self._undisturbed) == ALONE_CALLS:
                self._alone, self._full_windows = statistics.median(self._undisturbed), 0
        if self._measured_since is None:
            self._seconds.append(seconds)
            if len(self._seconds) >= WINDOW_CALLS:
                self._lately = self._typical()
                self._follow(self._lately)
        elif begun >= self._measured_since:
            self._seconds.append(seconds)
            if len(self._seconds) >= ALONE_CALLS or seconds > LONG_SECONDS:
                self._believe(self._typical())
                self._measured_since = None

    def _believe(self, measured: float) -> None:
        """Takes what one call alone took amid whoever was refused.

        That may be too much by them. Where it is too slow even so, fewer slots would not help:
        what is behind them has become slower.
        """
        known = self._alone or measured
        self._alone = min(measured, max(known, measured / SLOWER_MAX))

    def _typical(self) -> float:
        """Returns the median of what was noted, and begins anew."""
        typical = statistics.median(self._seconds)
        self._seconds.clear()
        return typical

    def _follow(self, typical: float) -> None:
        """Changes the number by a window's time, or has it measured against one call alone."""
        was_full, self._was_full = self._was_full, False
        if not was_full:
            return
        self._full_windows += 1
        is_slow = typical > self._alone * SLOWER_MAX
        # Slow calls have it asked whether one alone is slow as well.
        if is_slow or self._full_windows >= ALONE_HOLDS:
            self._full_windows = 0
            self._measured_since = self._now()
        if not self._alone or self._alone > LONG_SECONDS:
            return
        if is_slow:
            factor = max(SHRINK_MIN, self._alone * SLOWER_MAX / typical)
            self.limit = max(SLOTS_MIN, min(self.limit * factor, self.limit - 1))
        else:
            self.limit = min(self._most, self.limit + min(1.0, self.limit / GROWTH))
