"""Lets those who put at the same time wait for the disk together."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from scops.common.archive.segment_store import BlobEntry

# Patient writers wait for others until none has come for so long, but not longer than that, and
# not until more have come than these.
LINGER_SECONDS = 0.1
LINGER_SECONDS_MAX = 0.5
GROUP_BLOBS = 256
# More where a blob is longer. Who comes while a group is written waits for so many bytes.
GROUP_BYTES = 2 * 1024 * 1024

Write = Callable[[Sequence[BlobEntry]], None]


@dataclass(slots=True, eq=False)
class _Put:
    """What somebody waits for, with how many of its blobs are not written."""

    done: asyncio.Future[None]
    left: int


class _Line:
    """The blobs that wait, first come, first written."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[BlobEntry, _Put]] = deque()
        self.size = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, entries: Sequence[BlobEntry], put: _Put) -> None:
        self._waiting.extend((entry, put) for entry in entries)
        self.size += sum(len(entry.blob.data) for entry in entries)

    def fill(self, group: list[tuple[BlobEntry, _Put]]) -> None:
        """Gives to a group what has room in it; an empty one takes at least a blob."""
        size = sum(len(entry.blob.data) for entry, _ in group)
        while self._waiting and len(group) < GROUP_BLOBS:
            entry, put = self._waiting[0]
            size += len(entry.blob.data)
            if group and size > GROUP_BYTES:
                return
            group.append((entry, put))
            self._waiting.popleft()
            self.size -= len(entry.blob.data)


class Groups:
    """Gathers what is to be written, and writes it in a thread, one group after the other.

    Who is not patient is in the next group, before those who are; these have what room it leaves.

    Args:
        write: writes a group; blocks.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        self._prompt = _Line()
        self._patient = _Line()
        self._came = asyncio.Event()
        self._is_due = False
        self._task: asyncio.Task[None] | None = None

    async def add(self, entries: Sequence[BlobEntry], *, patient: bool) -> None:
        """Returns when the entries are written; raises as `write` does."""
        if not entries:
            return
        put = _Put(asyncio.get_running_loop().create_future(), len(entries))
        (self._patient if patient else self._prompt).add(entries, put)
        self._is_due = self._is_due or not patient or self._is_full()
        self._came.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._go_on(), name="archive-groups")
        await put.done

    def _is_full(self) -> bool:
        return len(self._patient) >= GROUP_BLOBS or self._patient.size >= GROUP_BYTES

    async def _go_on(self) -> None:
        while self._prompt or self._patient:
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_SECONDS_MAX):
                    await self._until_nobody_comes()
            group: list[tuple[BlobEntry, _Put]] = []
            self._prompt.fill(group)
            self._patient.fill(group)
            # Who has waited and found no room does not wait for others again.
            self._is_due = bool(self._prompt or self._patient)
            await self._write_group(group)

    async def _until_nobody_comes(self) -> None:
        while not self._is_due:
            self._came.clear()
            async with asyncio.timeout(LINGER_SECONDS):
                await self._came.wait()

    async def _write_group(self, group: Sequence[tuple[BlobEntry, _Put]]) -> None:
        entries = [entry for entry, _ in group]
        (error,) = await asyncio.gather(
            asyncio.to_thread(self._write, entries), return_exceptions=True
        )
        for _, put in group:
            put.left -= 1
            if put.done.done():
                continue
            if error is not None:
                put.done.set_exception(error)
            elif not put.left:
                put.done.set_result(None)
