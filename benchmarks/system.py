"""`scops up` as a child process with data of its own, and what its process tree costs."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

import psutil

from benchmarks import process_tree

READY_SECONDS_MAX = 60.0
READY_POLL_SECONDS = 0.02
STOP_SECONDS = 40.0
LOG_CHARACTERS = 3000


class System:
    """A running system.

    Attributes:
        folder: its data.
        address: of the gateway.
        ready_seconds: from the start of the process until /readyz answered 200.
    """

    def __init__(self, folder: Path, *, python: str = sys.executable) -> None:
        self.folder = folder
        self.ready_seconds = 0.0
        gateway, health = _free_port(), _free_port()
        self.address = f"127.0.0.1:{gateway}"
        self._health_url = f"http://127.0.0.1:{health}"
        self._python = python
        self._environment = {
            **os.environ,
            "SCOPS_DATA_DIR": str(folder / "data"),
            "SCOPS_GATEWAY_PORT": str(gateway),
            "SCOPS_HEALTH_PORT": str(health),
            "SCOPS_FETCHER_ALLOWED_PRIVATE": "127.0.0.0/8:*",
            "SCOPS_FETCHER_DELAYS": "127.0.0.0/8=0",
            "SCOPS_LOG_LEVEL": "warning",
            "SCOPS_LOG_FORMAT": "json",
        }

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Starts the system, waits until it is ready, and stops it at the end.

        Raises:
            SystemExit: it ended or did not become ready; the message shows its last words.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "up.log").open("wb") as log:
            self._child = self._start(log)
            self._process = psutil.Process(self._child.pid)
            try:
                self._wait_until_ready()
                yield self
            finally:
                self._stop()

    def cpu_seconds(self) -> float:
        """Returns the CPU time of the process tree so far."""
        return process_tree.cpu_seconds(self._process)

    def cpu_seconds_by_process(self) -> dict[str, float]:
        """Returns the same by living process."""
        return process_tree.cpu_seconds_by_process(self._process)

    def memory_mb(self) -> float:
        """Returns the memory of the process tree."""
        return process_tree.memory_mb(self._process)

    def resident_mb(self) -> float:
        """Returns the sum of the resident sets of the process tree."""
        return process_tree.resident_mb(self._process)

    def counted(self, metric: str) -> float:
        """Returns a metric of the running system, summed over its labels."""
        with urllib.request.urlopen(f"{self._health_url}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if _is_sample(line, metric))

    def embedded(self) -> int:
        """Returns how many texts were embedded so far because no vector was cached."""
        return int(self.counted("scops_indexer_embedded_total"))

    def log_tail(self) -> str:
        """Returns the last words of the system."""
        return (self.folder / "up.log").read_text(errors="replace")[-LOG_CHARACTERS:]

    def _start(self, log: IO[bytes]) -> "subprocess.Popen[bytes]":
        command = [self._python, "-m", "scops.standalone", "up"]
        return subprocess.Popen(command, env=self._environment, stdout=log, stderr=log)

    def _wait_until_ready(self) -> None:
        started = time.perf_counter()
        while not self._is_ready():
            waited = time.perf_counter() - started
            if self._child.poll() is not None or waited > READY_SECONDS_MAX:
                raise SystemExit(f"scops up is not ready after {waited:.0f} s:\n{self.log_tail()}")
            time.sleep(READY_POLL_SECONDS)
        self.ready_seconds = time.perf_counter() - started

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self._health_url}/readyz", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _stop(self) -> None:
        if self._child.poll() is not None:
            return
        descendants = self._process.children(recursive=True)
        self._child.send_signal(signal.SIGINT)
        try:
            self._child.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        _, left = psutil.wait_procs(descendants, timeout=STOP_SECONDS / 4)
        for process in left:
            process.kill()


def _is_sample(line: str, metric: str) -> bool:
    return line.startswith((f"{metric} ", f"{metric}{{"))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
