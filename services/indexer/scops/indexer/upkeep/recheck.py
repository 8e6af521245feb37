"""Looks again at what was indexed lately whenever the store has been away.

A store that was killed may have lost the tail of what it had accepted. Whether it was killed
nobody says, so that every start and every interruption counts as one.
"""

from dataclasses import asdict, dataclass
from datetime import timedelta

from scops.common.contract.errors import ScopsError
from scops.common.observe.log import get_logger
from scops.indexer.upkeep.inventory import MaintenanceTools
from scops.indexer.upkeep.reconcile import reconcile

log = get_logger("indexer")


@dataclass(slots=True)
class IndexRecheck:
    """Watches the store; make `step` a loop.

    Attributes:
        checked: interruptions of the store that were followed by a look; None before the first.
    """

    tools: MaintenanceTools
    checked: int | None = None
    is_away: bool = False

    async def step(self) -> None:
        """Looks again where the store has been away; what fails is done by the next step."""
        tools = self.tools
        try:
            await tools.store.ping()
            interruptions = tools.store.interruptions
            if interruptions != self.checked:
                await recheck(tools, why="start" if self.checked is None else "store was away")
                self.checked = interruptions
            self.is_away = False
        except ScopsError as error:
            if not self.is_away:
                log.warning("index_recheck_waits", detail=error.message)
            self.is_away = True


async def recheck(tools: MaintenanceTools, *, why: str) -> None:
    """Reconciles what was applied within the last minutes, and says so in the log.

    Raises:
        StoreUnavailable: the store, the database or the archive does not answer.
    """
    since = tools.ports.clock.now() - timedelta(seconds=tools.ports.settings.recheck_seconds)
    log.info("index_recheck_started", why=why, since=since.isoformat())
    done = await reconcile(tools, since=since)
    log.info("index_recheck_ended", **{key: count for key, count in asdict(done).items() if count})
