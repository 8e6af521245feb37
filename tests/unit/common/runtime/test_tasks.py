"""Background tasks end, even those that miss the first request to."""

import asyncio

from scops.common.runtime import tasks
from scops.common.runtime.tasks import cancel_all


async def test_a_task_that_swallows_a_cancellation_is_asked_again() -> None:
    """A lost request to cancel must not hang a stop."""
    swallowed: list[str] = []

    async def stubborn() -> None:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                if swallowed:
                    raise
                swallowed.append("once")

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)

    async with asyncio.timeout(tasks.CANCEL_WAIT_SECONDS * 3):
        await cancel_all([task])

    assert swallowed == ["once"]
    assert task.cancelled()


async def test_no_tasks_is_done_at_once() -> None:
    """There is nothing to wait for."""
    await cancel_all([])
