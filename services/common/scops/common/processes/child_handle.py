"""One child process as its owner holds it: started, asked one thing at a time, killed."""

import asyncio
import contextlib
import os
import sys
from pathlib import Path

from scops.common.contract.errors import TransientError
from scops.common.processes.child import LOAD, READY, RUN
from scops.common.processes.frames import BrokenFrame, pack_frame, receive_frame
from scops.common.processes.tasks import ChildTask, Parts

CHILD_MODULE = "scops.common.processes.child"
# What a child that died in the middle of an answer looks like.
CRASHES = (asyncio.IncompleteReadError, BrokenFrame, OSError)
EXIT_SECONDS = 1.0
_ENVIRONMENT_KEPT = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")


class ChildHandle:
    """A child process.

    Attributes:
        tasks: how many it was given.
        loaded: names of the tasks whose modules it has imported.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("the process was started with pipes")
        self._process = process
        self._input, self._output = process.stdin, process.stdout
        self.tasks = 0
        self.loaded: set[str] = set()

    @property
    def alive(self) -> bool:
        """Whether it may be given a task."""
        return self._process.returncode is None and not self._output.at_eof()

    @property
    def resident_bytes(self) -> int:
        """Memory that it holds; 0 where the system does not tell."""
        try:
            pages = Path(f"/proc/{self._process.pid}/statm").read_text(encoding="ascii").split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    async def load(self, task: ChildTask, *, seconds: float) -> None:
        """Has the child import a task, unless it has.

        Raises:
            TransientError: it could not.
        """
        if task.name in self.loaded:
            return
        try:
            async with asyncio.timeout(seconds):
                answer = await self._ask((LOAD, task.name.encode()))
        except (TimeoutError, *CRASHES) as error:
            raise child_unavailable(f"import {task.module} within {seconds:g} s") from error
        if answer != (READY,):
            why = answer[-1].decode("utf-8", "replace")
            raise child_unavailable(f"import {task.module} ({why})")
        self.loaded.add(task.name)

    async def run(self, task: ChildTask, parts: Parts) -> Parts:
        """Returns the answer to a task, with whether it was done."""
        self.tasks += 1
        return await self._ask((RUN, task.name.encode(), *parts))

    async def ready(self) -> None:
        """Waits until the child has started."""
        await receive_frame(self._output.readexactly)

    async def kill(self) -> None:
        """Ends the process; one that has closed its output is given time to end by itself."""
        self._input.close()
        if self._output.at_eof():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(EXIT_SECONDS):
                    await self._process.wait()
        with contextlib.suppress(ProcessLookupError):
            if self._process.returncode is None:
                self._process.kill()
        await self._process.wait()

    async def _ask(self, parts: Parts) -> Parts:
        self._input.write(pack_frame(parts))
        await self._input.drain()
        return await receive_frame(self._output.readexactly)


async def start_child(*, memory_bytes: int, seconds: float) -> ChildHandle:
    """Starts a child process.

    Raises:
        TransientError: it did not start in time.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        CHILD_MODULE,
        str(os.getpid()),
        str(memory_bytes),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=_child_environment(),
    )
    child = ChildHandle(process)
    try:
        async with asyncio.timeout(seconds):
            await child.ready()
    except BaseException as error:
        # Also when we are cancelled: no process is left behind, and nothing is kept back.
        await child.kill()
        if isinstance(error, (TimeoutError, *CRASHES)):
            raise child_unavailable(f"start within {seconds:g} s") from error
        raise
    return child


def child_unavailable(what: str) -> TransientError:
    """Returns the error of a child that could not do something."""
    return TransientError(
        f"A child process could not {what}. Check that `{sys.executable} -m {CHILD_MODULE}` can "
        "import its libraries within SCOPS_CHILD_MEMORY_BYTES of address space, and that the "
        "machine has memory left.",
        reason="CHILD_UNAVAILABLE",
    )


def _child_environment() -> dict[str, str]:
    """Returns what a process needs to start, and none of the owner's secrets."""
    kept = {name: os.environ[name] for name in _ENVIRONMENT_KEPT if name in os.environ}
    # One thread: parallelism comes from processes, and each thread reserves address space.
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    return {**kept, **threads}
