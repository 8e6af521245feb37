"""A firewall before servers on this machine: packets are lost for real, and nobody is told.

Needs the right to set rules of iptables; each rule names ports, and is gone at the end.
"""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

BINARY = "iptables"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """What share of the packets is lost, of those to a server and of those from it."""

    requests: float = 0.0
    answers: float = 0.0


@contextmanager
def losing(ports: Sequence[int], loss: Loss) -> Iterator[None]:
    """Loses packets of the servers on these ports of 127.0.0.1, while inside."""
    assert shutil.which(BINARY), f"{BINARY} is missing: `make setup`."
    ways = (("--dport", loss.requests), ("--sport", loss.answers))
    with ExitStack() as rules:
        for port in ports:
            for way, share in ways:
                if share:
                    rules.enter_context(_rule(way, port, share))
        yield


@contextmanager
def _rule(way: str, port: int, share: float) -> Iterator[None]:
    rule = ["INPUT", "-i", "lo", "-p", "tcp", way, str(port)]
    if share < 1:
        rule += ["-m", "statistic", "--mode", "random", "--probability", str(share)]
    rule += ["-j", "DROP"]
    _iptables("-I", *rule)
    try:
        yield
    finally:
        _iptables("-D", *rule)


def _iptables(*words: str) -> None:
    subprocess.run([BINARY, "-w", *words], check=True)
