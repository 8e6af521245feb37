"""What a child process does: reads tasks from its connection, and writes their answers to it.

It limits its own memory, dies with its template, and ends after a task that its memory did not
hold.
"""

import ctypes
import os
import signal
import socket
import sys
from typing import BinaryIO

from scops.common.processes.frames import pack_frame, read_frames
from scops.common.processes.tasks import ERROR, OUT_OF_MEMORY, ChildTask, Parts, TaskFunction

# Priority of a process whose work can wait: a ninth of its owner's share of a busy machine.
NICENESS = 10
PR_SET_PDEATHSIG = 1
# How a task is answered.
DONE, FAILED = b"done", b"failed"
DETAIL_CHARACTERS_MAX = 1_000
# What a task of this size leaves is given back at once, which takes some milliseconds.
TRIMMED_BYTES_MIN = 64 * 1024


def serve(connection: socket.socket) -> None:
    """Works until the owner closes its end, or a task has taken more memory than there is."""
    loaded: dict[bytes, TaskFunction] = {}
    with connection.makefile("rb") as source, connection.makefile("wb") as output:
        for name, *parts in read_frames(source):
            try:
                if name not in loaded:
                    loaded[name] = ChildTask.named(name.decode()).load()
                answer = (DONE, *loaded[name](tuple(parts)))
            except MemoryError:
                _send(output, (FAILED, OUT_OF_MEMORY.encode(), b""))
                return
            # The edge of this process: whatever a page broke, the next one is worked on.
            except Exception as error:  # noqa: BLE001
                answer = failure(error)
            _send(output, answer)
            taken = sum(map(len, parts))
            del parts, answer
            if taken >= TRIMMED_BYTES_MIN:
                _give_back()


def failure(error: Exception) -> Parts:
    """Returns how an error is told."""
    detail = f"{type(error).__name__}: {error}"[:DETAIL_CHARACTERS_MAX]
    return (FAILED, ERROR.encode(), detail.encode("utf-8", "replace"))


def die_with(parent: int) -> None:
    """Asks the kernel for SIGKILL when the parent dies; elsewhere the connection ends instead."""
    # An interrupt from a terminal is the owner's to handle.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # It died before the kernel was asked.
        os._exit(1)


def _give_back() -> None:
    """Returns memory that is free to the system, where its C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _send(output: BinaryIO, parts: Parts) -> None:
    output.write(pack_frame(parts))
    output.flush()
