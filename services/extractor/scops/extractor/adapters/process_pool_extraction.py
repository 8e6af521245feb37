"""Parsing in processes of their own, so that no page can hurt more than itself.

A body that takes too long, needs too much memory or crashes its process fails alone: the process
is killed and replaced, and pages in other processes never notice.
"""

import asyncio
import contextlib
import os
import sys
from dataclasses import dataclass

from scops.common.contract.errors import TransientError
from scops.common.contract.ids import monotonic_seconds
from scops.common.contract.messages.crawl import PageFetched
from scops.extractor.adapters.extraction_codec import read_result, request_parts
from scops.extractor.adapters.frames import BrokenFrame, pack_frame, receive_frame
from scops.extractor.metrics import PARSE_SECONDS, WORKERS_REPLACED
from scops.extractor.ports import PackedExtraction, ParseFailed

WORKER_MODULE = "scops.extractor.adapters.parse_worker"
# A process may have died of something else before it got the body: it gets a second one.
ATTEMPTS = 2
EXIT_SECONDS = 1.0
# Long enough that the start of a process is spread thin, short enough to return leaked memory.
PAGES_MAX = 2_000
# Imports take 1 s on a free core; on a machine under load many times that.
START_SECONDS = 60.0
_ENVIRONMENT_KEPT = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
_CRASHES = (asyncio.IncompleteReadError, BrokenFrame, OSError)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLimits:
    """What one parsing process may take.

    Attributes:
        memory_bytes: address space; a body that needs more fails.
        page_seconds: time for one body before the process is killed.
        pages_max: pages after which the process is replaced, to return its memory.
        start_seconds: time to start, imports included.
    """

    memory_bytes: int
    page_seconds: float
    pages_max: int = PAGES_MAX
    start_seconds: float = START_SECONDS


class ProcessPoolParser:
    """A `Parser` on a fixed number of processes, each started when first needed."""

    def __init__(self, *, workers: int, limits: WorkerLimits) -> None:
        self._limits = limits
        self._slots = asyncio.Semaphore(workers)
        self._idle: list[_Worker] = []
        self._closed = False

    async def parse(self, body: bytes, fetched: PageFetched) -> PackedExtraction:
        """Has a process parse the body; a second one where the first crashed."""
        request = pack_frame(request_parts(body, fetched))
        async with self._slots:
            for _ in range(ATTEMPTS):
                worker = await self._take()
                answer = await self._ask(worker, request)
                if answer is not None:
                    return read_result(answer)
        raise ParseFailed(
            f"The body ({len(body)} bytes) ended its parsing process {ATTEMPTS} times. "
            "Keep it and report it; other pages are not affected.",
            reason="PARSER_CRASHED",
        )

    async def close(self) -> None:
        """Ends the processes that are idle; those at work end with their page."""
        self._closed = True
        while self._idle:
            await self._idle.pop().kill()

    async def _take(self) -> "_Worker":
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            await self._replace(worker, cause="crash")
        return await _start_worker(self._limits)

    async def _ask(self, worker: "_Worker", request: bytes) -> tuple[bytes, ...] | None:
        """Returns the answer, or None when the process crashed."""
        cause = "cancelled"
        started = monotonic_seconds()
        try:
            async with asyncio.timeout(self._limits.page_seconds):
                answer = await worker.ask(request)
            PARSE_SECONDS.observe(monotonic_seconds() - started)
            cause = self._retirement(worker)
            return answer
        except TimeoutError as error:
            cause = "timeout"
            raise self._timed_out() from error
        except _CRASHES:
            cause = "crash"
            return None
        finally:
            if cause:
                await self._replace(worker, cause=cause)
            else:
                self._idle.append(worker)

    def _retirement(self, worker: "_Worker") -> str:
        if self._closed:
            return "closed"
        return "pages" if worker.pages >= self._limits.pages_max else ""

    async def _replace(self, worker: "_Worker", *, cause: str) -> None:
        WORKERS_REPLACED.labels(cause=cause).inc()
        await worker.kill()

    def _timed_out(self) -> ParseFailed:
        return ParseFailed(
            f"Parsing the body took longer than {self._limits.page_seconds:g} s. "
            "Raise SCOPS_EXTRACTOR_PAGE_SECONDS if such pages matter.",
            reason="PARSER_TIMEOUT",
        )


class _Worker:
    """One parsing process, asked one thing at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("the process was started with pipes")
        self._process = process
        self._input, self._output = process.stdin, process.stdout
        self.pages = 0

    @property
    def alive(self) -> bool:
        return self._process.returncode is None and not self._output.at_eof()

    async def ready(self) -> None:
        await receive_frame(self._output.readexactly)

    async def ask(self, request: bytes) -> tuple[bytes, ...]:
        self.pages += 1
        self._input.write(request)
        await self._input.drain()
        return await receive_frame(self._output.readexactly)

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


async def _start_worker(limits: WorkerLimits) -> _Worker:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        WORKER_MODULE,
        str(os.getpid()),
        str(limits.memory_bytes),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=_worker_environment(),
    )
    worker = _Worker(process)
    try:
        async with asyncio.timeout(limits.start_seconds):
            await worker.ready()
    except BaseException as error:
        # Also when we are cancelled: no process is left behind, and nothing is kept back.
        await worker.kill()
        if isinstance(error, (TimeoutError, *_CRASHES)):
            raise _not_started(limits) from error
        raise
    return worker


def _not_started(limits: WorkerLimits) -> TransientError:
    return TransientError(
        f"A parsing process did not start within {limits.start_seconds:g} s. Check that "
        f"`{sys.executable} -m {WORKER_MODULE}` can import its libraries within "
        f"{limits.memory_bytes} bytes of address space, and that the machine has memory left.",
        reason="PARSER_UNAVAILABLE",
    )


def _worker_environment() -> dict[str, str]:
    """Returns what a process needs to start, and none of the owner's secrets."""
    kept = {name: os.environ[name] for name in _ENVIRONMENT_KEPT if name in os.environ}
    # One thread: parallelism comes from processes, and each thread reserves address space.
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
