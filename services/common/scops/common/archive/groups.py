"""Lets those who put at the same time wait for the disk together."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from scops.common.archive.segment_store import BlobEntry

# Patient writers wait for others until none has come for so long, but not longer than that, and
# not until more have come than these.
LINGER_SECONDS = 0.1
LINGER_SECONDS_MAX = 0.5
GROUP_BLOBS = 256
GROUP_BYTES = 8 * 1024 * 1024

Write = Callable[[Sequence[BlobEntry]], None]


class Groups:
    """Gathers what is to be written, and writes it in a thread, one group after the other.

    Args:
        write: writes a group; blocks.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        self._waiting: list[tuple[Sequence[BlobEntry], asyncio.Future[None]]] = []
        self._came = asyncio.Event()
        self._is_due = False
        self._task: asyncio.Task[None] | None = None

    async def add(self, entries: Sequence[BlobEntry], *, patient: bool) -> None:
        """Returns when the entries are written; raises as `write` does."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((entries, done))
        self._is_due = self._is_due or not patient or self._is_full()
        self._came.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._go_on(), name="archive-groups")
        await done

    def _is_full(self) -> bool:
        waiting = [entry for entries, _ in self._waiting for entry in entries]
        size = sum(len(entry.blob.data) for entry in waiting)
        return len(waiting) >= GROUP_BLOBS or size >= GROUP_BYTES

    async def _go_on(self) -> None:
        while self._waiting:
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_SECONDS_MAX):
                    await self._until_nobody_comes()
            self._is_due = False
            group, self._waiting = self._waiting, []
            await self._write_group(group)

    async def _until_nobody_comes(self) -> None:
        while not self._is_due:
            self._came.clear()
            async with asyncio.timeout(LINGER_SECONDS):
                await self._came.wait()

    async def _write_group(
        self, group: Sequence[tuple[Sequence[BlobEntry], asyncio.Future[None]]]
    ) -> None:
        entries = [entry for some, _ in group for entry in some]
        (error,) = await asyncio.gather(
            asyncio.to_thread(self._write, entries), return_exceptions=True
        )
        for _, done in group:
            if done.done():
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)
