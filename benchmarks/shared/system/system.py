"""`scops up`, or a process a role, with data of its own, and what the process tree costs."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

import psutil

from benchmarks.shared.system import process_tree

READY_SECONDS_MAX = 60.0
READY_POLL_SECONDS = 0.02
STOP_SECONDS = 40.0
LOG_CHARACTERS = 3000


class System:
    """A running system.

    Args:
        settings: further variables.
        roles: each runs in a process of its own, after `scops provision`; none means that
            `scops up` runs all of them in one.

    Attributes:
        folder: its data.
        address: of the gateway.
        ready_seconds: from the start of the processes until each /readyz answered 200.
    """

    def __init__(
        self,
        folder: Path,
        *,
        python: str = sys.executable,
        settings: Mapping[str, str] | None = None,
        roles: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self.ready_seconds = 0.0
        gateway = free_port()
        self.address = f"127.0.0.1:{gateway}"
        self._roles = roles
        self._commands = [["run", role] for role in roles] or [["up"]]
        self._health_ports = [free_port() for _ in self._commands]
        self._children: list[subprocess.Popen[bytes]] = []
        self._processes: list[psutil.Process] = []
        self._python = python
        self._environment = {
            **os.environ,
            "SCOPS_DATA_DIR": str(folder / "data"),
            "SCOPS_GATEWAY_PORT": str(gateway),
            "SCOPS_FETCHER_ALLOWED_PRIVATE": "127.0.0.0/8:*",
            "SCOPS_FETCHER_DELAYS": "127.0.0.0/8=0",
            "SCOPS_LOG_LEVEL": "warning",
            "SCOPS_LOG_FORMAT": "json",
            **(settings or {}),
        }

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Starts the system, waits until it is ready, and stops it at the end.

        Raises:
            SystemExit: it ended or did not become ready; the message shows its last words.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "up.log").open("wb") as log:
            if self._roles:
                self._provision(log)
            try:
                self._start_all(log)
                self._wait_until_ready()
                yield self
            finally:
                self._stop()

    def cpu_seconds(self) -> float:
        """Returns the CPU time of the process tree so far."""
        return sum(map(process_tree.cpu_seconds, self._processes))

    def cpu_seconds_by_process(self) -> dict[str, float]:
        """Returns the same by living process."""
        found: dict[str, float] = {}
        for process in self._processes:
            found |= process_tree.cpu_seconds_by_process(process)
        return found

    def memory_mb(self) -> float:
        """Returns the memory of the process tree."""
        return sum(map(process_tree.memory_mb, self._processes))

    def resident_mb(self) -> float:
        """Returns the sum of the resident sets of the process tree."""
        return sum(map(process_tree.resident_mb, self._processes))

    def cpu_seconds_by_role(self) -> dict[str, float]:
        """Returns the CPU time so far of each role's process tree."""
        return {role: process_tree.cpu_seconds(tree) for role, tree in self._trees()}

    def pod_mb_by_role(self) -> dict[str, float]:
        """Returns what each role's process tree would hold in a pod of its own."""
        return {role: process_tree.pod_mb(tree) for role, tree in self._trees()}

    def _trees(self) -> Iterator[tuple[str, psutil.Process]]:
        return zip(self._roles, self._processes, strict=True)

    def counted(self, metric: str, **labels: str) -> float:
        """Returns a metric of the running system, summed over its other labels."""
        return sum(_counted(port, metric, labels) for port in self._health_ports)

    def embedded(self) -> int:
        """Returns how many texts were embedded so far because no vector was cached."""
        return int(self.counted("scops_indexer_embedded_total"))

    def log_tail(self) -> str:
        """Returns the last words of the system."""
        return (self.folder / "up.log").read_text(errors="replace")[-LOG_CHARACTERS:]

    def _provision(self, log: IO[bytes]) -> None:
        command = [self._python, "-m", "scops.standalone", "provision"]
        ended = subprocess.run(command, env=self._environment, stdout=log, stderr=log, check=False)
        if ended.returncode:
            raise SystemExit(f"scops provision failed:\n{self.log_tail()}")

    def _start_all(self, log: IO[bytes]) -> None:
        for words, port in zip(self._commands, self._health_ports, strict=True):
            environment = {**self._environment, "SCOPS_HEALTH_PORT": str(port)}
            command = [self._python, "-m", "scops.standalone", *words]
            child = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
            self._children.append(child)
            self._processes.append(psutil.Process(child.pid))

    def _wait_until_ready(self) -> None:
        started = time.perf_counter()
        while not all(map(_is_ready, self._health_ports)):
            waited = time.perf_counter() - started
            ended = any(child.poll() is not None for child in self._children)
            if ended or waited > READY_SECONDS_MAX:
                raise SystemExit(f"scops is not ready after {waited:.0f} s:\n{self.log_tail()}")
            time.sleep(READY_POLL_SECONDS)
        self.ready_seconds = time.perf_counter() - started

    def _stop(self) -> None:
        running = [child for child in self._children if child.poll() is None]
        descendants = [
            below
            for process in self._processes
            if process.is_running()
            for below in process.children(recursive=True)
        ]
        for child in running:
            child.send_signal(signal.SIGINT)
        for child in running:
            _wait_for_end(child)
        _, left = psutil.wait_procs(descendants, timeout=STOP_SECONDS / 4)
        for process in left:
            process.kill()


def _wait_for_end(child: "subprocess.Popen[bytes]") -> None:
    try:
        child.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _counted(port: int, metric: str, labels: Mapping[str, str]) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if _is_sample(line, metric, labels))


def _is_sample(line: str, metric: str, labels: Mapping[str, str]) -> bool:
    named = all(f'{name}="{value}"' in line for name, value in labels.items())
    return named and line.startswith((f"{metric} ", f"{metric}{{"))


def free_port() -> int:
    """Returns a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
