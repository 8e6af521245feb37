"""Looks again at what was indexed lately whenever the store has been away.

A store that was killed may have lost the tail of what it had accepted. Whether it was killed
nobody says, so that every start and every interruption counts as one. What is looked at begins
some time before the store was last known to be well, however long it was away: that instant is
kept in the rows, so that an indexer that starts after the store came back knows it too.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from scops.common.contract.errors import ScopsError
from scops.common.db.types import EPOCH
from scops.common.observe.log import get_logger
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.indexer.upkeep.reconcile import reconcile

log = get_logger("indexer")
# Between two notes of a store that is well; the margin of a look is far longer.
NOTED_SECONDS = 30.0


@dataclass(slots=True)
class IndexRecheck:
    """Watches the store; make `step` a loop.

    Attributes:
        checked: interruptions of the store that were followed by a look; None before the first.
        healthy: when the store was last well, with nothing of before left to look at.
        noted: when that was written down last.
    """

    tools: MaintenanceTools
    checked: int | None = None
    healthy: datetime | None = None
    noted: datetime = EPOCH
    is_away: bool = False

    async def step(self) -> None:
        """Looks again where the store has been away; what fails is done by the next step."""
        tools = self.tools
        try:
            if self.healthy is None:
                self.healthy = await tools.inventory.healthy_time()
            asked = tools.ports.clock.now()
            await tools.store.ping()
            interruptions = tools.store.interruptions
            if interruptions != self.checked:
                why = "start" if self.checked is None else "store was away"
                await recheck(tools, healthy=self.healthy, why=why)
                self.checked = interruptions
            # Not the time of the answer: the store may have gone right after it.
            self.healthy = asked
            if not timedelta() <= asked - self.noted < timedelta(seconds=NOTED_SECONDS):
                await tools.inventory.note_healthy(now=asked)
                self.noted = asked
            self.is_away = False
        except ScopsError as error:
            if not self.is_away:
                log.warning("index_recheck_waits", detail=error.message)
            self.is_away = True


async def recheck(tools: MaintenanceTools, *, healthy: datetime, why: str) -> None:
    """Reconciles what was applied since shortly before the store was last well, and says so.

    Raises:
        StoreUnavailable: the store, the database or the archive does not answer.
    """
    margin = timedelta(seconds=tools.ports.settings.recheck_seconds)
    since = healthy - margin if healthy > EPOCH else EPOCH
    log.info("index_recheck_started", why=why, since=since.isoformat())
    done = await reconcile(tools, since=since)
    log.info("index_recheck_ended", **{key: count for key, count in asdict(done).items() if count})
