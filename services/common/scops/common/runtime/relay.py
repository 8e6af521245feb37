"""The loop that publishes an outbox, and what is left of it when its service stops."""

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy import Table

from scops.common.bus.ports import Publisher
from scops.common.contract.errors import TransientError
from scops.common.db.database import Database
from scops.common.db.outbox import RELAY_BATCH, note_waiting, relay
from scops.common.db.types import EPOCH
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock
from scops.common.runtime.service import Loop
from scops.common.runtime.wakeup import Wakeup

log = get_logger(__name__)
SLEEP_SECONDS = 1.0
# Between two looks at how much waits, for the metrics.
NOTED = timedelta(seconds=1)
# What a stop spends on the rest at most.
REST_SECONDS_MAX = 5.0


@dataclass(slots=True, kw_only=True)
class OutboxRelay:
    """Publishes the outbox of one service.

    Attributes:
        wakeup: notified when a transaction has added rows.
        seconds: between two looks where nobody notifies.
    """

    database: Database
    outbox: Table
    publisher: Publisher
    clock: Clock
    wakeup: Wakeup = field(default_factory=Wakeup)
    seconds: float = SLEEP_SECONDS

    def loop(self) -> Loop:
        """Returns the loop that publishes: at once when woken, else by the clock."""
        noted = EPOCH

        async def step() -> bool:
            nonlocal noted
            now = self.clock.now()
            # A clock that was set back makes nothing look fresh.
            if abs(now - noted) >= NOTED:
                await note_waiting(self.database, self.outbox, now=now)
                noted = now
            return await self._publish() == RELAY_BATCH

        return Loop.every(self.seconds, step, name="outbox", pause=self.wakeup.wait)

    async def publish_rest(self) -> None:
        """Publishes what the last transactions of a stopping service left; failures stay there."""
        try:
            async with asyncio.timeout(REST_SECONDS_MAX):
                while await self._publish() == RELAY_BATCH:
                    pass
        except (TransientError, TimeoutError) as error:
            # The rows are safe: the next process, or another replica, publishes them.
            log.warning("outbox_left", error=str(error) or "it took too long")

    async def _publish(self) -> int:
        return await relay(self.database, self.outbox, self.publisher, clock=self.clock)
