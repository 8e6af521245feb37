"""What the machine has for servers of tests: free ports, and small disks."""

import itertools
import os
import random
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Below the ports of connections, which begin at 32768 (ip(7), ip_local_port_range).
PORTS = (15_000, 32_000)
# Each process of tests has its own: another must not take one before its server starts. Each has
# the port after it too, where a gateway serves HTTP.
WORKERS_MAX = 8
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % WORKERS_MAX
MINE = range(PORTS[0] + 2 * WORKER, PORTS[1], 2 * WORKERS_MAX)
# In an order of chance, so that whoever runs beside has others; none twice before all others: who
# has one may start on it, or again, much later. Not the chance of the tests, which has their seed.
_next = itertools.cycle(random.SystemRandom().sample(MINE, len(MINE)))


def free_port() -> int:
    """Returns a port that nobody listened on a moment ago."""
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    """Returns ports that are free now, all different, and given to nobody before.

    None is of those that the system gives to connections, so that none is taken by a connection
    before its server starts, or while it is down.
    """
    return list(itertools.islice(filter(_is_free, _next), count))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


@contextmanager
def small_disk(folder: Path, *, mebibytes: int) -> Iterator[Path]:
    """Mounts a disk that is soon full on a folder; needs the right to."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(folder)]
    subprocess.run(mount, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
