"""Looks again at what was indexed lately whenever the store has been away.

A store that was killed may have lost the tail of what it had accepted. Whether it was killed
nobody says, so that every start and every interruption counts as one.
"""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import timedelta

from scops.common.contract.errors import ScopsError
from scops.common.observe.log import get_logger
from scops.indexer.upkeep.inventory import Tools
from scops.indexer.upkeep.reconcile import reconcile

log = get_logger("indexer")


async def recheck_forever(open_tools: Callable[[], Awaitable[Tools]]) -> None:
    """Watches the store until cancelled; a check that fails is made again."""
    checked: int | None = None
    is_away = False
    while True:
        tools = await open_tools()
        try:
            await tools.store.ping()
            interruptions = tools.store.interruptions
            if interruptions != checked:
                await recheck(tools, why="start" if checked is None else "store was away")
                checked = interruptions
            is_away = False
        except ScopsError as error:
            if not is_away:
                log.warning("index_recheck_waits", detail=error.message)
            is_away = True
        await tools.ports.clock.sleep(tools.ports.settings.recheck_poll_seconds)


async def recheck(tools: Tools, *, why: str) -> None:
    """Reconciles what was applied within the last minutes, and says so in the log.

    Raises:
        StoreUnavailable: the store, the database or the archive does not answer.
    """
    since = tools.ports.clock.now() - timedelta(seconds=tools.ports.settings.recheck_seconds)
    log.info("index_recheck_started", why=why, since=since.isoformat())
    done = await reconcile(tools, since=since)
    log.info("index_recheck_ended", **{key: count for key, count in asdict(done).items() if count})
