"""Parsing processes: limits hold, a broken body fails alone, and nothing is left behind."""

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

from scops.common.contract.errors import TransientError
from scops.extractor.adapters.process_pool_extraction import ProcessPoolParser
from scops.extractor.ports import PackedExtraction, ParseFailed
from tests.unit.extractor.pages import ARTICLE, fetched, page
from tests.unit.extractor.pools import MEBIBYTE, limits, worker_processes

GOOD = page(ARTICLE)
# Takes seconds on any machine.
SLOW = b"<p>owl vole</p>" * 800_000
POLL_SECONDS = 0.02
DEATH_SECONDS = 20


@asynccontextmanager
async def _pool(workers: int = 1, **changes: Any) -> AsyncIterator[ProcessPoolParser]:
    pool = ProcessPoolParser(workers=workers, limits=limits(**changes))
    try:
        yield pool
    finally:
        await pool.close()


async def _parse_good(pool: ProcessPoolParser) -> PackedExtraction:
    return await pool.parse(GOOD, fetched())


async def _kill_workers(seen: set[int]) -> None:
    """Kills each worker once, as soon as it runs, until cancelled."""
    while True:
        for process in worker_processes():
            if process.pid not in seen and process.cpu_times().user > 0:
                seen.add(process.pid)
                process.kill()
        await asyncio.sleep(POLL_SECONDS)


async def test_processes_start_when_needed() -> None:
    """A pool that parsed nothing runs nothing; one page needs one process."""
    async with _pool(workers=3) as pool:
        before = len(worker_processes())
        await _parse_good(pool)
        await _parse_good(pool)

        assert (before, len(worker_processes())) == (0, 1)


async def test_closed_pool_leaves_no_process() -> None:
    """After close nothing runs."""
    async with _pool() as pool:
        await _parse_good(pool)

    assert worker_processes() == []


async def test_slow_body_is_stopped_and_others_go_on() -> None:
    """A body beyond its time fails alone; the other process never waits for it."""
    async with _pool(workers=2) as pool:
        await asyncio.gather(_parse_good(pool), _parse_good(pool))
        slow = asyncio.create_task(pool.parse(SLOW, fetched()))
        await asyncio.sleep(0)
        others = [await _parse_good(pool) for _ in range(3)]

        assert not slow.done()
        assert len(others) == 3
        slow.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await slow


async def test_timeout_names_its_reason_and_replaces_the_process() -> None:
    """The killed process is replaced for the next page."""
    async with _pool(page_seconds=0.5) as pool:
        with pytest.raises(ParseFailed) as failed:
            await pool.parse(SLOW, fetched())
        left = worker_processes()

        assert (failed.value.reason, left) == ("PARSER_TIMEOUT", [])


async def test_body_beyond_the_memory_fails_alone() -> None:
    """Address space is bounded; the next page is parsed."""
    async with _pool(memory_bytes=256 * MEBIBYTE) as pool:
        with pytest.raises(ParseFailed) as failed:
            await pool.parse(b"<p>owl</p>" * 1_500_000, fetched())
        good = await _parse_good(pool)

        assert failed.value.reason in ("PARSER_OUT_OF_MEMORY", "PARSER_CRASHED")
        assert good.text


async def test_body_that_crashes_twice_fails() -> None:
    """A crash is tried once more, in a new process, and then is the body's."""
    killed: set[int] = set()
    async with _pool() as pool:
        killer = asyncio.create_task(_kill_workers(killed))
        with pytest.raises((ParseFailed, TransientError)) as failed:
            await pool.parse(SLOW, fetched())
        killer.cancel()
        good = await _parse_good(pool)

        assert failed.value.reason in ("PARSER_CRASHED", "PARSER_UNAVAILABLE")
        assert good.text


async def test_process_that_died_idle_is_replaced_unseen() -> None:
    """A process killed between two pages costs no page."""
    async with _pool() as pool:
        await _parse_good(pool)
        (idle,) = worker_processes()
        idle.kill()
        idle.wait(DEATH_SECONDS)

        assert (await _parse_good(pool)).text


async def test_cancelled_parse_frees_its_process() -> None:
    """A caller that gives up leaves no process that still works for it."""
    async with _pool() as pool:
        await _parse_good(pool)
        task = asyncio.create_task(pool.parse(SLOW, fetched()))
        await asyncio.sleep(POLL_SECONDS)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert worker_processes() == []
        assert (await _parse_good(pool)).text


async def test_process_retires_after_its_pages() -> None:
    """A process that parsed its number of pages makes room for a new one."""
    async with _pool(pages_max=2) as pool:
        pids = []
        for _ in range(3):
            before = worker_processes()
            await _parse_good(pool)
            pids.append([process.pid for process in before or worker_processes()])

        assert pids[0] == pids[1]
        assert pids[2] != pids[1]


async def test_process_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What reads untrusted pages does not hold the owner's environment."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "owl")
    async with _pool() as pool:
        await _parse_good(pool)
        (worker,) = worker_processes()

        assert "AWS_SECRET_ACCESS_KEY" not in worker.environ()


async def test_process_that_cannot_start_is_a_passing_fault() -> None:
    """Without memory to start, the page waits for a better time instead of failing."""
    async with _pool(start_seconds=0.01) as pool:
        with pytest.raises(TransientError) as failed:
            await _parse_good(pool)

        assert failed.value.reason == "PARSER_UNAVAILABLE"
        assert worker_processes() == []


_OWNER = """
import asyncio, os, signal, sys
from tests.unit.extractor.pages import ARTICLE, fetched, page
from tests.unit.extractor.pools import limits, worker_processes
from scops.extractor.adapters.process_pool_extraction import ProcessPoolParser

async def main():
    pool = ProcessPoolParser(workers=1, limits=limits())
    await pool.parse(page(ARTICLE), fetched())
    print(worker_processes()[0].pid, flush=True)
    busy = asyncio.create_task(pool.parse(b"<p>owl vole</p>" * 800_000, fetched()))
    await asyncio.sleep(0.2)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def test_processes_die_with_their_owner() -> None:
    """kill -9 of the owner leaves no parsing process, not even a busy one."""
    owner = subprocess.run(
        [sys.executable, "-c", _OWNER], capture_output=True, text=True, check=False, timeout=100
    )
    worker = psutil.Process(pid) if psutil.pid_exists(pid := int(owner.stdout)) else None
    if worker is not None:
        worker.wait(DEATH_SECONDS)

    assert owner.returncode == -signal.SIGKILL
    assert not psutil.pid_exists(pid)
    assert os.getpid() != pid
