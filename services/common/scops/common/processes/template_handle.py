"""The template of child processes as its owner holds it: started when first needed."""

import asyncio
import os
import pickle
import socket
import sys
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from scops.common.contract.errors import TransientError
from scops.common.processes.child_handle import CRASHES, ChildHandle, Connection
from scops.common.processes.frames import pack_frame, receive_frame
from scops.common.processes.tasks import ChildTask, Parts
from scops.common.processes.template import END, FORK, KEEP, LOAD, READY

Made = TypeVar("Made")

TEMPLATE_MODULE = "scops.common.processes.template"
# The last is where tesseract finds its data.
_ENVIRONMENT_KEPT = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TESSDATA_PREFIX")


@dataclass(frozen=True, slots=True)
class _Running:
    """A template process, and the way to it."""

    process: asyncio.subprocess.Process
    control: socket.socket
    connection: Connection

    @property
    def alive(self) -> bool:
        return self.process.returncode is None and not self.connection[0].at_eof()

    async def ask(self, parts: Parts, *, descriptor: int | None = None) -> Parts:
        """Returns the answer to a request; nothing of an earlier one is on its way."""
        output, into = self.connection
        if descriptor is None:
            into.write(pack_frame(parts))
            await into.drain()
        else:
            socket.send_fds(self.control, [pack_frame(parts)], [descriptor])
        return await receive_frame(output.readexactly)

    async def end(self) -> None:
        """Kills it, and its children with it."""
        self.connection[1].close()
        with suppress(ProcessLookupError):
            if self.process.returncode is None:
                self.process.kill()
        await self.process.wait()


class Template:
    """Makes child processes, by a template process of its own.

    A template that fails or is too slow is killed, its children with it, and the next child has
    another one.

    Attributes:
        knows: how much children have from the beginning: tasks imported, values shared.
    """

    def __init__(self, *, memory_bytes: int, start_seconds: float) -> None:
        self._memory_bytes = memory_bytes
        self._start_seconds = start_seconds
        self._running: _Running | None = None
        self._kept: list[bytes] = []
        self._loaded: set[str] = set()
        self.knows = 0
        self._children = 0
        self._closed = False
        # One request at a time, and each to its end, also where its caller has given up.
        self._lock = asyncio.Lock()
        self._requests: set[asyncio.Task[Any]] = set()

    async def load(self, task: ChildTask) -> None:
        """Has the template import a task, for all children that come after.

        Raises:
            TransientError: it could not.
        """
        if not self._has(task):
            await asyncio.shield(self._begun(self._load(task)))

    async def keep(self, value: object) -> None:
        """Has the template hold a value: children share what unpickling it opens.

        Raises:
            TransientError: it could not.
        """
        self._kept.append(pickle.dumps(value))
        if self._running is not None:
            await asyncio.shield(self._begun(self._keep(self._kept[-1])))

    async def child(self) -> ChildHandle:
        """Returns a new child, which has what the template has.

        Raises:
            TransientError: there is none in time.
        """
        forking = self._begun(self._fork())
        try:
            return await asyncio.shield(forking)
        except asyncio.CancelledError:
            forking.add_done_callback(self._drop)
            raise

    async def close(self) -> None:
        """Ends the template, once its last child has ended."""
        self._closed = True
        while self._requests:
            await asyncio.wait(self._requests)
        if not self._children:
            await self._stop()

    def _has(self, task: ChildTask) -> bool:
        running = self._running
        return running is not None and running.alive and task.name in self._loaded

    async def _load(self, task: ChildTask) -> None:
        if self._has(task):
            return
        answer = await self._ask((LOAD, task.name.encode()), what=f"import {task.module}")
        if answer != (READY,):
            why = answer[-1].decode("utf-8", "replace")
            raise child_unavailable(f"import {task.module} ({why})")
        self._loaded.add(task.name)
        self.knows += 1

    async def _keep(self, value: bytes) -> None:
        await self._ask((KEEP, value), what="open what children share")
        self.knows += 1

    async def _fork(self) -> ChildHandle:
        own, other = socket.socketpair()
        try:
            with other:
                parts = (FORK, str(self._memory_bytes).encode())
                answer = await self._ask(parts, what="start", descriptor=other.fileno())
            if answer[0] != READY:
                raise child_unavailable(f"start ({answer[-1].decode('utf-8', 'replace')})")
            connection = await asyncio.open_connection(sock=own)
        except BaseException:
            own.close()
            raise
        self._children += 1
        return ChildHandle(
            int(answer[1]),
            connection,
            knows=self.knows,
            end=partial(self._end, self._running),
        )

    async def _end(self, running: _Running | None, pid: int) -> None:
        await asyncio.shield(self._begun(self._ended(running, pid)))

    async def _ended(self, running: _Running | None, pid: int) -> None:
        # With another template it has ended long ago, and its id may be another process's.
        if running is self._running:
            with suppress(TransientError):
                await self._ask((END, str(pid).encode()), what="end")
        self._children -= 1
        if self._closed and not self._children:
            await self._stop()

    async def _ask(self, parts: Parts, *, what: str, descriptor: int | None = None) -> Parts:
        async with self._lock:
            try:
                async with asyncio.timeout(self._start_seconds):
                    running = await self._started()
                    return await running.ask(parts, descriptor=descriptor)
            except (TimeoutError, *CRASHES) as error:
                await self._stop()
                raise child_unavailable(f"{what} within {self._start_seconds:g} s") from error

    async def _started(self) -> _Running:
        if self._running is not None and self._running.alive:
            return self._running
        await self._stop()
        self._running = await _start()
        for kept in self._kept:
            await self._running.ask((KEEP, kept))
        self.knows = len(self._kept)
        return self._running

    async def _stop(self) -> None:
        running, self._running = self._running, None
        self._loaded.clear()
        self.knows = 0
        if running is not None:
            await running.end()

    def _begun(self, work: Coroutine[Any, Any, Made]) -> asyncio.Task[Made]:
        task = asyncio.create_task(work, name="child template")
        self._requests.add(task)
        task.add_done_callback(self._requests.discard)
        # Whoever has given up hears of no error.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    def _drop(self, forking: asyncio.Task[ChildHandle]) -> None:
        if not forking.cancelled() and forking.exception() is None:
            self._begun(forking.result().kill())


async def _start() -> _Running:
    own, other = socket.socketpair()
    try:
        with other:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                TEMPLATE_MODULE,
                str(os.getpid()),
                str(other.fileno()),
                pass_fds=(other.fileno(),),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env=_child_environment(),
            )
        return _Running(process, own, await asyncio.open_connection(sock=own))
    except BaseException:
        own.close()
        raise


def child_unavailable(what: str) -> TransientError:
    """Returns the error of a child that could not do something."""
    return TransientError(
        f"A child process could not {what}. Check that `{sys.executable} -m {TEMPLATE_MODULE}` "
        "can import its libraries, that a fork of it has room within SCOPS_CHILD_MEMORY_BYTES of "
        "address space, and that the machine has memory left.",
        reason="CHILD_UNAVAILABLE",
    )


def _child_environment() -> dict[str, str]:
    """Returns what a process needs to start, and none of the owner's secrets."""
    kept = {name: os.environ[name] for name in _ENVIRONMENT_KEPT if name in os.environ}
    # One thread: parallelism comes from processes, each thread reserves address space, and a
    # process with several cannot be forked.
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    return {**kept, **threads}
