"""CPU time and memory of a process and everything it started."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import psutil

MEGABYTE = 1e6
Sample = TypeVar("Sample")


def cpu_seconds(root: psutil.Process) -> float:
    """Returns the CPU time of the tree so far, user and system, ended children included.

    A child that ended counts through its parent, which must have waited for it.
    """
    total = 0.0
    for process in _tree(root):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def cpu_seconds_by_process(root: psutil.Process) -> dict[str, float]:
    """Returns the CPU time of the living processes, by their number and command."""
    found = {}
    for process in _tree(root):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            found[f"{process.pid} {process.name()}"] = times.user + times.system
    return found


def memory_mb(root: psutil.Process) -> float:
    """Returns the memory of the tree; pages that its processes share count once (PSS)."""
    return sum(_proportional_bytes(process) for process in _tree(root)) / MEGABYTE


def resident_mb(root: psutil.Process) -> float:
    """Returns the sum of the resident sets; pages that processes share count in each (RSS)."""
    total = 0
    for process in _tree(root):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_info().rss
    return total / MEGABYTE


def pod_mb(root: psutil.Process) -> float:
    """Returns what the tree would hold in a pod of its own: nobody else shares its pages there."""
    total = root.memory_info().rss
    for process in root.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            total += process.memory_full_info().uss
    return total / MEGABYTE


@contextmanager
def sampled(read: Callable[[], Sample], *, every_seconds: float) -> Iterator[list[Sample]]:
    """Reads a value in a thread again and again while inside; yields what was read so far."""
    samples: list[Sample] = []
    ended = threading.Event()

    def sample() -> None:
        while True:
            samples.append(read())
            if ended.wait(every_seconds):
                return

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        ended.set()
        thread.join()


def _tree(root: psutil.Process) -> Iterator[psutil.Process]:
    yield root
    yield from root.children(recursive=True)


def _proportional_bytes(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except (psutil.AccessDenied, AttributeError):
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
