"""One child process as its owner holds it: asked one thing at a time, and killed."""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from scops.common.processes.frames import BrokenFrame, pack_frame, receive_frame
from scops.common.processes.tasks import ChildTask, Parts

# What a child that died in the middle of an answer looks like.
CRASHES = (asyncio.IncompleteReadError, BrokenFrame, OSError)
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class ChildHandle:
    """A child process.

    Attributes:
        pid: of the process.
        knows: how much its template knew when it began.
        tasks: how many it was given.
    """

    def __init__(
        self,
        pid: int,
        connection: Connection,
        *,
        knows: int,
        end: Callable[[int], Awaitable[None]],
    ) -> None:
        """Holds a process that has started.

        Args:
            end: has the process of an id killed and waited for.
        """
        self.pid = pid
        self.knows = knows
        self.tasks = 0
        self._output, self._input = connection
        self._end = end
        self._began_with = self._resident_bytes()

    @property
    def alive(self) -> bool:
        """Whether it may be given a task."""
        return not self._output.at_eof()

    @property
    def grown_bytes(self) -> int:
        """Memory that it holds beyond what it began with; 0 where the system does not tell."""
        return max(0, self._resident_bytes() - self._began_with)

    async def run(self, task: ChildTask, parts: Parts) -> Parts:
        """Returns the answer to a task, with whether it was done."""
        self.tasks += 1
        self._input.write(pack_frame((task.name.encode(), *parts)))
        await self._input.drain()
        return await receive_frame(self._output.readexactly)

    async def kill(self) -> None:
        """Ends the process."""
        self._input.close()
        await self._end(self.pid)
        with contextlib.suppress(OSError):
            await self._input.wait_closed()

    def _resident_bytes(self) -> int:
        try:
            pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
