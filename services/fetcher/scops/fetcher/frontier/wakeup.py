"""Wakes sleeping workers of one process; only a hint, since state is what tells the work."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from scops.common.contract.service_table import Lane


class Wakeup:
    """Wakes one sleeper for each call; a call that finds none is remembered once."""

    def __init__(self) -> None:
        self._sleepers: deque[asyncio.Future[None]] = deque()
        self._pending = False

    def notify(self) -> None:
        """Wakes the sleeper that has slept longest."""
        while self._sleepers:
            sleeper = self._sleepers.popleft()
            if not sleeper.done():
                sleeper.set_result(None)
                return
        self._pending = True

    async def wait(self, seconds: float) -> None:
        """Sleeps until it is woken, at most for `seconds`."""
        if self._pending or seconds <= 0:
            self._pending = False
            return
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append(sleeper)
        try:
            async with asyncio.timeout(seconds):
                await sleeper
        except TimeoutError:
            return
        finally:
            if sleeper in self._sleepers:
                self._sleepers.remove(sleeper)


@dataclass(frozen=True, slots=True)
class Signals:
    """What a committed transaction wakes.

    Attributes:
        general: workers that serve both lanes.
        reserved: workers that serve the lane `now` alone.
        outbox: the relay.
        asking: leases of fetches whose host may still be asked for something.
    """

    general: Wakeup = field(default_factory=Wakeup)
    reserved: Wakeup = field(default_factory=Wakeup)
    outbox: Wakeup = field(default_factory=Wakeup)
    asking: set[str] = field(default_factory=set)

    def end(self, lease_ids: Sequence[str]) -> None:
        """Says that leases have ended, or end with the transaction about to be committed.

        Who asks for the next one before a commit shares it, and its wait for the disk.
        """
        for lease_id in lease_ids:
            if lease_id in self.asking:
                self.asking.discard(lease_id)
                self.general.notify()

    def queued(self, lane: Lane) -> None:
        """Says that something may be leased on a lane."""
        if lane is Lane.NOW:
            self.reserved.notify()
        self.general.notify()
