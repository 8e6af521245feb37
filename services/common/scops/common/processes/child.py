"""A child process: reads tasks from standard input, writes their answers to standard output.

It limits its own memory, dies with its owner, and ends after a task that its memory did not hold.
Started by `ChildPool` as `python -m scops.common.processes.child`.
"""

import ctypes
import logging
import os
import resource
import signal
import sys
from typing import BinaryIO

from scops.common.processes.frames import pack_frame, read_frames
from scops.common.processes.tasks import ERROR, OUT_OF_MEMORY, ChildTask, Parts, TaskFunction

# Priority of a process whose work can wait: a ninth of its owner's share of a busy machine.
NICENESS = 10
PR_SET_PDEATHSIG = 1
# What the owner asks for, and how it is answered.
LOAD, RUN = b"load", b"run"
READY, DONE, FAILED = b"ready", b"done", b"failed"
DETAIL_CHARACTERS_MAX = 1_000
# What a task of this size leaves is given back at once, which takes some milliseconds.
TRIMMED_BYTES_MIN = 64 * 1024


def main(arguments: list[str]) -> None:
    """Works until standard input ends.

    Args:
        arguments: process id of the owner, bytes of address space.
    """
    owner, memory_bytes = (int(argument) for argument in arguments)
    _die_with(owner)
    # The owner hears of failures by frames; what libraries log about pages is noise.
    logging.disable(logging.CRITICAL)
    # What answers people runs in the owner.
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:
        # A library that prints must not write between frames.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        _send(output, (READY,))
        _serve(sys.stdin.buffer, output)


def _serve(source: BinaryIO, output: BinaryIO) -> None:
    loaded: dict[bytes, TaskFunction] = {}
    for asked, name, *parts in read_frames(source):
        try:
            if name not in loaded:
                loaded[name] = ChildTask.named(name.decode()).load()
            answer = (READY,) if asked == LOAD else (DONE, *loaded[name](tuple(parts)))
        except MemoryError:
            _send(output, (FAILED, OUT_OF_MEMORY.encode(), b""))
            return
        # The edge of this process: whatever a page broke, the next one is worked on.
        except Exception as error:  # noqa: BLE001
            answer = _failure(error)
        _send(output, answer)
        taken = sum(map(len, parts))
        del parts, answer
        if taken >= TRIMMED_BYTES_MIN:
            _give_back()


def _give_back() -> None:
    """Returns memory that is free to the system, where its C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _failure(error: Exception) -> Parts:
    detail = f"{type(error).__name__}: {error}"[:DETAIL_CHARACTERS_MAX]
    return (FAILED, ERROR.encode(), detail.encode("utf-8", "replace"))


def _send(output: BinaryIO, parts: Parts) -> None:
    output.write(pack_frame(parts))
    output.flush()


def _die_with(owner: int) -> None:
    """Asks the kernel for SIGKILL when the owner dies; elsewhere standard input ends instead."""
    # An interrupt from a terminal is the owner's to handle.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != owner:  # It died before the kernel was asked.
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
