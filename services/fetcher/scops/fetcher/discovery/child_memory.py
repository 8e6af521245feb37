"""A bound on what reading a stranger's file may take, beside what its process holds already."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def more_memory_at_most(more_bytes: int) -> Iterator[None]:
    """Bounds the address space of this process to what it holds and some more.

    Raises:
        MemoryError: what is done inside needs more.
    """
    limits = resource.getrlimit(resource.RLIMIT_AS)
    held = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    wanted = held * os.sysconf("SC_PAGE_SIZE") + more_bytes
    bound = wanted if limits[0] == resource.RLIM_INFINITY else min(wanted, limits[0])
    resource.setrlimit(resource.RLIMIT_AS, (bound, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
