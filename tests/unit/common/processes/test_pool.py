"""Child processes: limits hold, a task that breaks fails alone, and nothing is left behind."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psutil
import pytest

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import TransientError
from scops.common.processes.pool import ChildPool
from scops.common.processes.tasks import ChildTask, Parts, TaskFailed
from scops.common.processes.turns import working_for
from tests.unit.common.processes.children import (
    DIE,
    GROW,
    MEBIBYTE,
    MISSING,
    OPENED,
    PRINT,
    RAISE,
    REVERSE,
    SLEEP,
    SWELL,
    Opened,
    child_processes,
    limits,
    template_processes,
)

POLL_SECONDS = 0.02
DEATH_SECONDS = 20
LONG = b"100"


@asynccontextmanager
async def _pool(processes: int = 1, **changes: Any) -> AsyncIterator[ChildPool]:
    pool = ChildPool(processes=processes, limits=limits(**changes))
    try:
        yield pool
    finally:
        await pool.close()


async def _run(pool: ChildPool, task: ChildTask = REVERSE, part: bytes = b"owl") -> Parts:
    return await pool.run(task, (part,), seconds=60.0)


async def _ended(process: psutil.Process) -> None:
    """Waits until a child has ended; its template keeps its id until it is told."""
    while process in child_processes():
        await asyncio.sleep(POLL_SECONDS)


async def test_pool_has_a_process_for_each_core_unless_told() -> None:
    """Without a setting every core that the process may use works."""
    assert ChildPool.of_settings(CommonSettings()).processes == len(os.sched_getaffinity(0))
    assert 3 == ChildPool.of_settings(CommonSettings(child_processes=3)).processes


async def test_task_gets_its_parts_and_gives_its_answer() -> None:
    """Byte strings of any content and number go there and back."""
    parts = (b"", b"\x00\xff" * 100_000, b"owl")
    async with _pool() as pool:
        assert (b"", b"\xff\x00" * 100_000, b"lwo") == await pool.run(REVERSE, parts, seconds=60.0)
        assert () == await pool.run(REVERSE, (), seconds=60.0)


async def test_processes_start_when_needed() -> None:
    """A pool that did nothing runs nothing; one task at a time needs one process."""
    async with _pool(processes=3) as pool:
        before = len(child_processes())
        await _run(pool)
        await _run(pool)

        assert (0, 1) == (before, len(child_processes()))


async def test_closed_pool_leaves_no_process() -> None:
    """After close nothing runs."""
    async with _pool() as pool:
        await _run(pool)

    assert [] == child_processes()


async def test_slow_task_is_stopped_and_others_go_on() -> None:
    """A slow task delays no other site's; whoever gives it up ends its process."""
    async with _pool(processes=2) as pool:
        await asyncio.gather(_run(pool), _run(pool))
        slow = asyncio.create_task(_run(pool, SLEEP, LONG))
        await asyncio.sleep(0)
        with working_for("another"):
            others = [await _run(pool) for _ in range(3)]

        assert not slow.done()
        assert [(b"lwo",)] * 3 == others
        slow.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await slow


async def test_task_beyond_its_time_names_its_reason_and_loses_its_process() -> None:
    """The process is killed although its interpreter never lets go; the next task has another."""
    async with _pool() as pool:
        await _run(pool)
        with pytest.raises(TaskFailed) as failed:
            await pool.run(SLEEP, (LONG,), seconds=0.3)
        left = child_processes()

        assert ("TASK_TIMEOUT", []) == (failed.value.reason, left)
        assert (b"lwo",) == await _run(pool)


async def test_import_is_not_counted_as_time_of_the_task() -> None:
    """The first task of a process may take a thousandth of what its import takes."""
    async with _pool() as pool:
        assert (b"lwo",) == await pool.run(REVERSE, (b"owl",), seconds=0.25)


async def test_task_beyond_the_memory_fails_alone() -> None:
    """Address space is bounded; the next task is done."""
    async with _pool(memory_bytes=256 * MEBIBYTE) as pool:
        with pytest.raises(TaskFailed) as failed:
            await _run(pool, SWELL, str(300 * MEBIBYTE).encode())

        assert "TASK_OUT_OF_MEMORY" == failed.value.reason
        assert (b"lwo",) == await _run(pool)


async def test_process_that_stays_swollen_is_replaced() -> None:
    """What a task leaves in memory goes with its process."""
    async with _pool(grown_bytes_max=150 * MEBIBYTE) as pool:
        await _run(pool, GROW, str(20 * MEBIBYTE).encode())
        (kept,) = child_processes()
        await _run(pool, GROW, str(200 * MEBIBYTE).encode())

        assert [] == child_processes()
        assert not psutil.pid_exists(kept.pid)


async def test_task_that_crashes_twice_fails() -> None:
    """A crash is tried once more, in a new process, and then is the task's."""
    async with _pool() as pool:
        with pytest.raises(TaskFailed) as failed:
            await _run(pool, DIE)

        assert "TASK_CRASHED" == failed.value.reason
        assert (b"lwo",) == await _run(pool)


async def test_task_whose_process_is_killed_once_is_done() -> None:
    """The second attempt is given where the first process was shot down."""
    async with _pool() as pool:
        await _run(pool, SLEEP, b"0")
        (first,) = child_processes()
        task = asyncio.create_task(_run(pool, SLEEP, b"0.5"))
        await asyncio.sleep(0.2)
        first.kill()

        assert (b"0.5",) == await task


async def test_error_of_a_task_is_told_and_harms_no_other() -> None:
    """A bug that some page finds is that page's failure; the process goes on."""
    async with _pool() as pool:
        await _run(pool)
        with pytest.raises(TaskFailed) as failed:
            await _run(pool, RAISE, b"no owl")
        (same,) = child_processes()

        assert ("TASK_ERROR", "ValueError: no owl") == (failed.value.reason, failed.value.message)
        assert (b"lwo",) == await _run(pool)
        assert [same.pid] == [child.pid for child in child_processes()]


async def test_printing_disturbs_no_answer() -> None:
    """What a library prints does not come between frames."""
    async with _pool() as pool:
        assert (b"owl",) == await _run(pool, PRINT)
        assert (b"lwo",) == await _run(pool)


async def test_process_that_died_idle_is_replaced_unseen() -> None:
    """A process killed between two tasks costs no task."""
    async with _pool() as pool:
        await _run(pool)
        (idle,) = child_processes()
        idle.kill()
        await _ended(idle)

        assert (b"lwo",) == await _run(pool)


async def test_cancelled_task_frees_its_process() -> None:
    """A caller that gives up leaves no process that still works for it."""
    async with _pool() as pool:
        await _run(pool, SLEEP, b"0")
        task = asyncio.create_task(_run(pool, SLEEP, LONG))
        await asyncio.sleep(POLL_SECONDS)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert [] == child_processes()
        assert (b"lwo",) == await _run(pool)


async def test_process_retires_after_its_tasks() -> None:
    """A process that did its number of tasks makes room for a new one."""
    async with _pool(tasks_max=2) as pool:
        pids = []
        for _ in range(3):
            before = child_processes()
            await _run(pool)
            pids.append([process.pid for process in before or child_processes()])

        assert pids[0] == pids[1]
        assert pids[2] != pids[1]


async def test_idle_process_that_knows_less_makes_room() -> None:
    """It would import for itself what a new one has."""
    async with _pool() as pool:
        await _run(pool)
        (before,) = child_processes()
        await _run(pool, PRINT)
        (after,) = child_processes()
        await _run(pool)

        assert before != after
        assert [after] == child_processes()


async def test_process_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads untrusted pages does not hold the owner's environment."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "owl")
    monkeypatch.setenv("SCOPS_DATABASE_URL", "postgresql://owl:vole@db/scops")
    async with _pool() as pool:
        await _run(pool)
        (child,) = child_processes()

        assert not {"AWS_SECRET_ACCESS_KEY", "SCOPS_DATABASE_URL"} & set(child.environ())


@pytest.mark.parametrize("task", [MISSING, ChildTask("scops.no_such_module", "owl")])
async def test_task_that_cannot_be_imported_is_a_passing_fault(task: ChildTask) -> None:
    """Without memory to import, a page waits for a better time instead of failing."""
    async with _pool() as pool:
        with pytest.raises(TransientError) as failed:
            await _run(pool, task)

        assert "CHILD_UNAVAILABLE" == failed.value.reason
        assert [] == child_processes()


async def test_process_that_cannot_start_is_a_passing_fault() -> None:
    """A machine too busy to start a process fails no page."""
    async with _pool(start_seconds=0.01) as pool:
        with pytest.raises(TransientError) as failed:
            await _run(pool)

        assert "CHILD_UNAVAILABLE" == failed.value.reason
        assert [] == child_processes()


_OWNER = """
import asyncio, os, signal
from tests.unit.common.processes.children import REVERSE, SLEEP, child_processes, limits
from scops.common.processes.pool import ChildPool

async def main():
    pool = ChildPool(processes=1, limits=limits())
    await pool.run(REVERSE, (b"owl",), seconds=60.0)
    print(child_processes()[0].pid, flush=True)
    busy = asyncio.create_task(pool.run(SLEEP, (b"100",), seconds=200.0))
    await asyncio.sleep(0.2)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def test_processes_die_with_their_owner() -> None:
    """kill -9 of the owner leaves no child process, not even a busy one."""
    owner = subprocess.run(
        [sys.executable, "-c", _OWNER], capture_output=True, text=True, check=False, timeout=100
    )
    child = psutil.Process(pid) if psutil.pid_exists(pid := int(owner.stdout)) else None
    if child is not None:
        child.wait(DEATH_SECONDS)

    assert owner.returncode == -signal.SIGKILL
    assert not psutil.pid_exists(pid)
    assert os.getpid() != pid


async def _at_rest(pool: ChildPool) -> None:
    """Waits until what was named beforehand is imported and opened."""
    await asyncio.gather(*pool._background)


async def test_what_is_named_beforehand_is_imported_before_the_first_task() -> None:
    """By the template, for all processes that come; none is started for it."""
    async with _pool() as pool:
        pool.warm([SLEEP, REVERSE])
        await _at_rest(pool)
        before = child_processes()
        await _run(pool)

        assert [] == before
        assert 2 == pool._template.knows == pool._idle[0].knows


async def test_what_is_shared_is_opened_once_for_all_processes() -> None:
    """Also by a template that takes the place of one that was killed."""
    async with _pool(processes=2) as pool:
        pool.share(Opened("owl"))
        await asyncio.gather(_run(pool, OPENED), _run(pool, OPENED))
        first = [await _run(pool, OPENED) for _ in range(3)]
        (template,) = template_processes()
        template.kill()
        template.wait(DEATH_SECONDS)
        second = await _run(pool, OPENED)

    assert {(b"owl", str(template.pid).encode())} == set(first)
    assert b"owl" == second[0]
    assert second not in first


async def test_processes_that_come_together_are_forked_from_one_template() -> None:
    """However many, and whatever they import."""
    async with _pool(processes=3) as pool:
        await asyncio.gather(*(_run(pool, SLEEP, b"0.2") for _ in range(3)), _run(pool, PRINT))

        assert 1 == len(template_processes())


async def test_a_closed_pool_leaves_no_template() -> None:
    """Nor one that was just being started."""
    pool = ChildPool(processes=1, limits=limits())
    pool.warm([REVERSE])
    await asyncio.sleep(0.05)
    await pool.close()

    assert [] == template_processes()


async def test_a_task_at_work_ends_though_the_pool_is_closed() -> None:
    """Then nothing is left of either."""
    pool = ChildPool(processes=1, limits=limits())
    await _run(pool)
    task = asyncio.create_task(_run(pool, SLEEP, b"0.5"))
    await asyncio.sleep(0.2)
    await pool.close()

    assert (b"0.5",) == await task
    assert [] == child_processes() + template_processes()


async def test_who_gives_up_while_a_process_is_forked_leaves_none() -> None:
    """It is ended as soon as it is there."""
    async with _pool() as pool:
        await _run(pool)
        (idle,) = child_processes()
        idle.kill()
        await _ended(idle)
        given_up = asyncio.create_task(_run(pool))
        while not pool._template._requests:
            await asyncio.sleep(0)
        given_up.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await given_up
        while pool._template._requests:
            await asyncio.sleep(POLL_SECONDS)

        assert [] == child_processes()
        assert (b"lwo",) == await _run(pool)
