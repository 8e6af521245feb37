"""The template of child processes: it has imported their tasks, and forks one when asked.

A fork starts within milliseconds and shares what was imported; a process of its own would import
all of it again, and hold it. The template is given nothing that strangers wrote.
Started by `Template` as `python -m scops.common.processes.template`.
"""

import contextlib
import gc
import logging
import os
import pickle
import resource
import signal
import socket
import sys
from typing import Any

from scops.common.processes.child import NICENESS, die_with, failure, serve
from scops.common.processes.frames import BrokenFrame, pack_frame, unpack_frame
from scops.common.processes.tasks import ChildTask, Parts

# What the owner asks for, and how it is answered.
LOAD, KEEP, FORK, END = b"load", b"keep", b"fork", b"end"
READY = b"ready"
RECEIVED_BYTES = 256 * 1024


def main(arguments: list[str]) -> None:
    """Serves until the owner closes its end.

    Args:
        arguments: process id of the owner, descriptor of the socket to it.
    """
    owner, descriptor = (int(argument) for argument in arguments)
    die_with(owner)
    # The owner hears of failures by frames; what libraries log about pages is noise.
    logging.disable(logging.CRITICAL)
    # What answers people runs in the owner.
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    control = socket.socket(fileno=descriptor)
    _TemplateProcess(control).serve()


class _TemplateProcess:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        # Opened once, for all children: the table of a tokenizer, for example.
        self._kept: list[Any] = []

    def serve(self) -> None:
        while True:
            received = self._receive()
            if received is None:
                return
            (asked, *parts), descriptors = received
            try:
                answer = self._answer(asked, parts, descriptors)
            # The edge of this process: what one task cannot do is no other's loss.
            except Exception as error:  # noqa: BLE001
                answer = failure(error)
            finally:
                for descriptor in descriptors:
                    os.close(descriptor)
            self._control.sendall(pack_frame(answer))

    def _receive(self) -> tuple[Parts, list[int]] | None:
        """Returns the next frame with the descriptors that came with it; None at the end."""
        data, descriptors = b"", []
        while True:
            more, came, _, _ = socket.recv_fds(self._control, RECEIVED_BYTES, 1)
            descriptors += came
            data += more
            if not more:
                return None
            with contextlib.suppress(BrokenFrame):
                return unpack_frame(data), descriptors

    def _answer(self, asked: bytes, parts: list[bytes], descriptors: list[int]) -> Parts:
        if asked == FORK:
            return (READY, str(self._fork(int(parts[0]), descriptors[0])).encode())
        if asked == END:
            _end(int(parts[0]))
            return (READY,)
        if asked == LOAD:
            ChildTask.named(parts[0].decode()).load()
        if asked == KEEP:
            # The owner wrote it: it comes from the process that started this one.
            self._kept.append(pickle.loads(parts[0]))
        # What stands now is not looked through again, so that children go on sharing it.
        gc.collect()
        gc.freeze()
        return (READY,)

    def _fork(self, memory_bytes: int, descriptor: int) -> int:
        template = os.getpid()
        pid = os.fork()
        if pid:
            return pid
        status = 1
        try:
            die_with(template)
            self._control.close()
            resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
            with socket.socket(fileno=descriptor) as connection:
                serve(connection)
            status = 0
        finally:
            # Nothing of the template's own end is the child's to do.
            os._exit(status)


def _end(pid: int) -> None:
    """Kills a child, unless it has ended, and lets the system have its id back."""
    with contextlib.suppress(ChildProcessError):
        if os.waitpid(pid, os.WNOHANG) == (0, 0):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
