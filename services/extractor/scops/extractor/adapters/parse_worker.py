"""A parsing process: reads bodies from standard input, writes extractions to standard output.

It limits its own memory, dies with its owner, and ends after a body that its memory did not hold.
Started by `ProcessPoolParser` as `python -m scops.extractor.adapters.parse_worker`.
"""

import ctypes
import logging
import os
import resource
import signal
import sys
from typing import BinaryIO

from scops.extractor.adapters.extraction_codec import (
    failure_parts,
    read_request,
    result_parts,
)
from scops.extractor.adapters.frames import pack_frame, read_frames
from scops.extractor.extraction import extract, pack

PR_SET_PDEATHSIG = 1
READY = b"ready"
OUT_OF_MEMORY = (
    "Parsing the body needs more memory than one parsing process may take. "
    "Raise SCOPS_EXTRACTOR_WORKER_MEMORY_BYTES if such pages matter."
)


def main(arguments: list[str]) -> None:
    """Parses until standard input ends.

    Args:
        arguments: process id of the owner, bytes of address space.
    """
    owner, memory_bytes = (int(argument) for argument in arguments)
    _die_with(owner)
    # The owner hears of failures by frames; what libraries log about pages is noise.
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:
        # A library that prints must not write between frames.
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        _send(output, (READY,))
        _serve(sys.stdin.buffer, output)


def _serve(source: BinaryIO, output: BinaryIO) -> None:
    for parts in read_frames(source):
        try:
            body, fetched = read_request(parts)
            answer = result_parts(pack(extract(body, fetched)))
        except MemoryError:
            _send(output, failure_parts("PARSER_OUT_OF_MEMORY", OUT_OF_MEMORY))
            return
        # The edge of this process: whatever a page broke, the next one is parsed.
        except Exception as error:  # noqa: BLE001
            answer = failure_parts("PARSER_ERROR", f"{type(error).__name__}: {error}"[:1_000])
        _send(output, answer)


def _send(output: BinaryIO, parts: tuple[bytes, ...]) -> None:
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
