"""Ends background tasks for certain, or says which one would not."""

import asyncio
from collections.abc import Collection
from typing import Any

from scops.common.observe.log import get_logger

log = get_logger(__name__)
CANCEL_ATTEMPTS = 5
CANCEL_WAIT_SECONDS = 1.0


async def cancel_all(tasks: Collection["asyncio.Task[Any]"]) -> None:
    """Cancels tasks and waits for their end, for a bounded time.

    One request to cancel may be lost: `asyncio.wait_for` of Python 3.11 swallows it when its
    result arrives at the same moment (python/cpython#86296). So it is repeated.
    """
    waiting = {task for task in tasks if not task.done()}
    for _ in range(CANCEL_ATTEMPTS):
        if not waiting:
            return
        for task in waiting:
            task.cancel()
        _, waiting = await asyncio.wait(waiting, timeout=CANCEL_WAIT_SECONDS)
    if waiting:
        log.error("tasks_not_ended", tasks=sorted(task.get_name() for task in waiting))
