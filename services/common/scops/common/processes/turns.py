"""Turns at costly work, shared out by time, so that no site's pages keep another's waiting.

Who waits is asked for in the order of fair queueing: the site that has used the least time comes
first, whoever asked first (start-time fair queueing: Goyal, Vin, Cheng, SIGCOMM 1996). A turn is
not taken back; therefore sites whose turns take long hold few of them at once, and who is quick
need not wait for turns that have become long: there are half as many again for that.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial

from scops.common.contract.ids import monotonic_seconds

# Ends the turn that is held here; does nothing where none is.
_LEAVE: ContextVar[Callable[[], None]] = ContextVar("leave", default=lambda: None)
# Whose work is under way here: what politeness counts a host by; empty where it is nobody's.
_SITE: ContextVar[str] = ContextVar("site", default="")
# A turn is long from here on, and a site costly whose turns are long and take so many times what
# another's take.
LONG_SECONDS = 1.0
COSTLY_TIMES = 4.0
# Sites are compared with those that have asked within this time.
RECENT_SECONDS = 60.0
# What one long turn is remembered as after each further one: after twenty, an eighth.
FADES = 0.9
# Turns become long while nothing else happens; who waits is looked at this often.
POLL_SECONDS = 0.25
# Sites that are remembered; those that asked longest ago go first.
SITES_MAX = 100


@contextmanager
def working_for(site: str) -> Iterator[None]:
    """Says for which site everything is done that is called meanwhile."""
    token = _SITE.set(site)
    try:
        yield
    finally:
        _SITE.reset(token)


def leave_turn() -> None:
    """Ends the turn that is held here: what is left to do is to wait for a store.

    Another may begin, while this one waits for others to be written with.
    """
    _LEAVE.get()()


@dataclass(slots=True, eq=False)
class _Turn:
    """A turn that is held.

    Attributes:
        expected: seconds that it was taken to need.
        began: on the monotonic clock.
    """

    site: "_Site"
    expected: float
    began: float


@dataclass(slots=True, eq=False)
class _Site:
    """What is known of a site.

    Attributes:
        used: seconds of its turns, on a scale where a site that comes back starts with the others.
        asked: when it last did, on the monotonic clock.
        takes: seconds of its longest turn lately.
    """

    used: float
    asked: float
    takes: float = 0.0
    running: int = 0
    waiting: deque[asyncio.Future[_Turn]] = field(default_factory=deque)

    @property
    def is_active(self) -> bool:
        return bool(self.running or self.waiting)


class Turns:
    """A number of turns that sites take at the same work.

    Args:
        count: turns at once, beside half as many that have become long.
        costly_max: how many of them costly sites have at once, all together.
    """

    def __init__(
        self,
        count: int,
        *,
        costly_max: int,
        seconds_now: Callable[[], float] = monotonic_seconds,
    ) -> None:
        self.count = count
        self._costly_max = costly_max
        self._seconds_now = seconds_now
        # In the order of asking.
        self._sites: dict[str, _Site] = {}
        self._held: set[_Turn] = set()
        # Up to where fair queueing has come: who is new is not ahead of those who wait.
        self._reached = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Waits for a turn of the site that is worked for, and holds it until `leave_turn`."""
        held = await self._next(self._site(_SITE.get()))
        leave = partial(self._leave, held)
        token = _LEAVE.set(leave)
        try:
            yield
        finally:
            _LEAVE.reset(token)
            leave()

    def _leave(self, held: _Turn) -> None:
        if held not in self._held:
            return
        took, site = self._seconds_now() - held.began, held.site
        site.takes = max(took, site.takes * FADES)
        self._end(held, took)

    def _site(self, name: str) -> _Site:
        site = self._sites.pop(name, None) or _Site(self._reached, 0.0)
        site.asked = self._seconds_now()
        if not site.is_active:
            site.used = max(site.used, self._reached)
        self._sites[name] = site
        if len(self._sites) > SITES_MAX:
            self._forget()
        return site

    def _forget(self) -> None:
        idle = [name for name, site in self._sites.items() if not site.is_active]
        for name in idle[: len(self._sites) - SITES_MAX]:
            del self._sites[name]

    async def _next(self, site: _Site) -> _Turn:
        waiting: asyncio.Future[_Turn] = asyncio.get_running_loop().create_future()
        site.waiting.append(waiting)
        self._go_on()
        try:
            return await waiting
        except asyncio.CancelledError:
            if waiting.cancelled():
                with suppress(ValueError):
                    site.waiting.remove(waiting)
            else:
                # It was given in the same moment.
                self._end(waiting.result(), 0.0)
            raise

    def _end(self, held: _Turn, took: float) -> None:
        self._held.remove(held)
        held.site.used += took - held.expected
        held.site.running -= 1
        self._go_on()

    def _go_on(self) -> None:
        """Gives what is free to those who may have it, least used first."""
        while waiting := self._entitled():
            site = min(waiting, key=lambda one: one.used)
            taker = site.waiting.popleft()
            if taker.done():
                # It was cancelled, and has not noticed yet.
                continue
            self._reached = max(self._reached, site.used)
            # How long it takes is known at its end; until then it counts as its like.
            held = _Turn(site, site.takes, self._seconds_now())
            site.used += held.expected
            site.running += 1
            self._held.add(held)
            taker.set_result(held)
        if self._timer is None and any(site.waiting for site in self._sites.values()):
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(POLL_SECONDS, self._look_again)

    def _look_again(self) -> None:
        self._timer = None
        self._go_on()

    def _entitled(self) -> list[_Site]:
        """Returns the sites of which one may have the next turn."""
        waiting = [site for site in self._sites.values() if site.waiting]
        if not waiting or len(self._held) >= self.count + max(1, self.count // 2):
            return []
        takes = self._takes()
        # A site that is alone is compared with none. The quickest is not costly for its own sake.
        least = min(takes.values()) if len(takes) > 1 else 0.0
        costly_from = max(LONG_SECONDS, COSTLY_TIMES * least)
        costly = {site for site, seconds in takes.items() if seconds >= costly_from}
        quick = [site for site in waiting if site not in costly]
        if len(self._held) >= self.count:
            return quick if self._young() < self.count else []
        return waiting if sum(site.running for site in costly) < self._costly_max else quick

    def _takes(self) -> dict[_Site, float]:
        """Returns how long a turn takes of each site that has asked lately."""
        now = self._seconds_now()
        since = now - RECENT_SECONDS
        takes = {site: site.takes for site in self._sites.values() if site.asked > since}
        for turn in self._held:
            takes[turn.site] = max(takes.get(turn.site, turn.site.takes), now - turn.began)
        return takes

    def _young(self) -> int:
        """Returns how many of the turns that are held are not long."""
        since = self._seconds_now() - LONG_SECONDS
        return sum(turn.began > since for turn in self._held)
