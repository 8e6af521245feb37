"""Builders for child processes, and tasks that they are given."""

import os
import sys
import time
from dataclasses import dataclass, replace
from typing import Any

import psutil

from scops.common.processes.pool import ChildLimits
from scops.common.processes.tasks import ChildTask, Parts
from scops.common.processes.template_handle import TEMPLATE_MODULE

MEBIBYTE = 1024 * 1024
REVERSE, SLEEP, SWELL, GROW, DIE, RAISE = (
    ChildTask(__name__, name) for name in ("reverse", "sleep", "swell", "grow", "die", "fail")
)
PRINT, OPENED = ChildTask(__name__, "say"), ChildTask(__name__, "opened")
MISSING = ChildTask(__name__, "no_such_function")


def limits(**changes: Any) -> ChildLimits:
    """Returns limits that suit tests on a busy machine."""
    usual = ChildLimits(memory_bytes=1024 * MEBIBYTE, tasks_max=1_000, start_seconds=60.0)
    return replace(usual, **changes)


def template_processes() -> list[psutil.Process]:
    """Returns the templates that this process started and that still run."""
    return [child for child in psutil.Process().children() if _is_ours(child)]


def child_processes() -> list[psutil.Process]:
    """Returns the child processes that the templates forked and that still run."""
    below = [child for template in template_processes() for child in template.children()]
    return [child for child in below if _is_ours(child)]


def _is_ours(process: psutil.Process) -> bool:
    try:
        return TEMPLATE_MODULE in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def reverse(parts: Parts) -> Parts:
    """Returns each part backwards."""
    return tuple(part[::-1] for part in parts)


def sleep(parts: Parts) -> Parts:
    """Works for the seconds of its part, without letting go of the interpreter."""
    until = time.monotonic() + float(parts[0])
    while time.monotonic() < until:
        pass
    return parts


def swell(parts: Parts) -> Parts:
    """Needs the bytes of its part."""
    return (str(len(bytearray(int(parts[0])))).encode(),)


_KEPT: list[bytes] = []


def grow(parts: Parts) -> Parts:
    """Keeps the bytes of its part."""
    _KEPT.append(b"x" * int(parts[0]))
    return parts


def die(parts: Parts) -> Parts:
    """Ends its process."""
    os._exit(3)


def fail(parts: Parts) -> Parts:
    """Raises what a task's bug would."""
    raise ValueError(parts[0].decode())


def say(parts: Parts) -> Parts:
    """Prints, as libraries do."""
    sys.stdout.write("owl" * 1_000)
    print("owl", flush=True)
    return parts


@dataclass(frozen=True)
class Opened:
    """Notes, where it is unpickled, what was opened and by which process."""

    name: str

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, (self.name,)


_OPENED: list[bytes] = []


def _opened(name: str) -> Opened:
    _OPENED[:] = (name.encode(), str(os.getpid()).encode())
    return Opened(name)


def opened(parts: Parts) -> Parts:
    """Returns what was opened, and the process that did it."""
    return tuple(_OPENED)
