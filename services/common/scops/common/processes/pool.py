"""Tasks in processes of their own, so that no page can hurt more than itself.

A task that takes too long, needs too much memory or crashes its process fails alone: the process
is killed and replaced, and tasks in other processes never notice.
A process of Scops has one pool, which all its services share (`Platform.children`).
"""

import asyncio
import contextlib
import os
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from scops.common.config.settings import MEBIBYTE, CommonSettings
from scops.common.contract.errors import TransientError
from scops.common.contract.ids import monotonic_seconds
from scops.common.processes.child import DONE
from scops.common.processes.child_handle import CRASHES, ChildHandle
from scops.common.processes.metrics import CHILDREN_REPLACED, TASK_SECONDS
from scops.common.processes.tasks import (
    CRASHED,
    OUT_OF_MEMORY,
    TIMEOUT,
    ChildTask,
    Parts,
    TaskFailed,
)
from scops.common.processes.template_handle import Template
from scops.common.processes.turns import Turns

# A process may have died of something else before it got the task: it gets a second one.
ATTEMPTS = 2
# Long enough that the start of a process is spread thin, short enough to return leaked memory.
TASKS_MAX = 2_000
# A process that one task has swollen by this is replaced; most grow by 30 to 100 MiB.
GROWN_BYTES_MAX = 128 * MEBIBYTE
# Imports take 1 s on a free core; on a machine under load many times that.
START_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildLimits:
    """What one child process may take.

    Attributes:
        memory_bytes: address space; a task that needs more fails.
        grown_bytes_max: memory held after a task, beyond what the process began with, at which it
            is replaced.
        tasks_max: tasks after which the process is replaced, to return its memory.
        start_seconds: time to start a process, and to import a task, each.
    """

    memory_bytes: int
    grown_bytes_max: int = GROWN_BYTES_MAX
    tasks_max: int = TASKS_MAX
    start_seconds: float = START_SECONDS


class ChildPool:
    """Child processes, each forked from a template when first needed; more while tasks take long.

    What is named beforehand (`warm`, `share`) is imported and opened once, by the template.
    """

    def __init__(self, *, processes: int, limits: ChildLimits) -> None:
        self.processes = processes
        self._limits = limits
        self._turns = Turns(processes, costly_max=max(1, processes - 1))
        self._idle: list[ChildHandle] = []
        self._closed = False
        self._template = Template(
            memory_bytes=limits.memory_bytes, start_seconds=limits.start_seconds
        )
        self._background: set[asyncio.Task[None]] = set()

    @classmethod
    def of_settings(cls, common: CommonSettings) -> "ChildPool":
        """Returns the pool that the settings describe."""
        return cls(
            processes=common.child_processes or len(os.sched_getaffinity(0)),
            limits=ChildLimits(memory_bytes=common.child_memory_bytes),
        )

    async def run(self, task: ChildTask, parts: Sequence[bytes], *, seconds: float) -> Parts:
        """Has a process do a task; a second one where the first crashed.

        Processes are shared out between the sites that are worked for (`Turns`).

        Args:
            seconds: time for the task, after which its process is killed; waiting for a process
                and importing the task are not counted.

        Raises:
            TaskFailed: the task broke, crashed twice, or took more than it may.
            TransientError: no process could be started.
        """
        async with self._turns.turn():
            for _ in range(ATTEMPTS):
                child = await self._take(task)
                answer = await self._ask(child, task, tuple(parts), seconds)
                if answer is not None:
                    return _result(answer)
        raise TaskFailed(
            f"The task {task.name} ended its process {ATTEMPTS} times on {_size(parts)} bytes.",
            reason=CRASHED,
        )

    def warm(self, tasks: Sequence[ChildTask]) -> None:
        """Has tasks imported now, in the background, for all processes that will be needed."""
        self._in_background(*(partial(self._template.load, task) for task in dict.fromkeys(tasks)))

    def share(self, value: object) -> None:
        """Has all processes that will be needed share what unpickling a value opens."""
        self._in_background(partial(self._template.keep, value))

    async def close(self) -> None:
        """Ends the processes that are idle; those at work end with their task."""
        self._closed = True
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        while self._idle:
            await self._idle.pop().kill()
        await self._template.close()

    async def _take(self, task: ChildTask) -> ChildHandle:
        """Returns a process that has imported the task; an idle one if there is any."""
        await self._template.load(task)
        while self._idle:
            child = self._idle.pop()
            if child.alive and child.knows == self._template.knows:
                return child
            # One that died between two tasks costs no task; one that knows less than the next
            # would import for itself.
            await self._replace(child, cause="outdated" if child.alive else "crash")
        return await self._template.child()

    async def _ask(
        self, child: ChildHandle, task: ChildTask, parts: Parts, seconds: float
    ) -> Parts | None:
        """Returns the answer, or None when the process crashed."""
        cause = "cancelled"
        started = monotonic_seconds()
        try:
            async with asyncio.timeout(seconds):
                answer = await child.run(task, parts)
            TASK_SECONDS.labels(task=task.function).observe(monotonic_seconds() - started)
            cause = self._retirement(child, answer)
            return answer
        except TimeoutError as error:
            cause = "timeout"
            raise TaskFailed(
                f"The task {task.name} took longer than {seconds:g} s on {_size(parts)} bytes.",
                reason=TIMEOUT,
            ) from error
        except CRASHES:
            cause = "crash"
            return None
        finally:
            if cause:
                await self._replace(child, cause=cause)
            else:
                self._idle.append(child)

    def _retirement(self, child: ChildHandle, answer: Parts) -> str:
        if self._closed or len(self._idle) >= self.processes:
            return "closed"
        # After a task that its memory did not hold, a process ends by itself.
        out_of_memory = OUT_OF_MEMORY.encode() in answer[1:2] and answer[0] != DONE
        if out_of_memory or child.grown_bytes >= self._limits.grown_bytes_max:
            return "memory"
        return "tasks" if child.tasks >= self._limits.tasks_max else ""

    async def _replace(self, child: ChildHandle, *, cause: str) -> None:
        CHILDREN_REPLACED.labels(cause=cause).inc()
        await child.kill()

    def _in_background(self, *works: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begins what is done one after the other; who needs it is told what cannot be done."""

        async def work_off() -> None:
            for work in works:
                with contextlib.suppress(TransientError):
                    await work()

        task = asyncio.get_running_loop().create_task(work_off(), name="child processes")
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def _result(answer: Parts) -> Parts:
    outcome, *rest = answer
    if outcome == DONE:
        return tuple(rest)
    reason, detail = (part.decode("utf-8", "replace") for part in rest)
    raise TaskFailed(detail or "A task needs more memory than a process may take.", reason=reason)


def _size(parts: Sequence[bytes]) -> int:
    return sum(len(part) for part in parts)
