"""A server's program for tests: a child process of the cached binary, or the image's container.

Both have the same folders, listen on the same ports of 127.0.0.1, and take the same signals.
"""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import docker
from testcontainers.core.container import DockerContainer

from tests.fakes.servers.engine import image_of, in_containers

STOP_SECONDS_MAX = 30.0
TAIL_CHARACTERS = 3000


@dataclass(frozen=True, slots=True)
class Start:
    """What a program is started with.

    Attributes:
        service: whose image of the compose file is taken for a container.
        binary: finds the path of the program for a child process.
        entry: the path of the program in the image, if not what the image starts.
        ports: what is reached from the machine, under the same number inside and outside.
        folders: what it may write, under the same path inside and outside.
    """

    service: str
    binary: Callable[[], str]
    arguments: Sequence[str]
    log: Path
    ports: Sequence[int]
    folders: Sequence[Path]
    entry: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


class Program(Protocol):
    """A program that was started."""

    @property
    def pid(self) -> int:
        """The process id, as the machine knows it."""
        ...

    def has_ended(self) -> bool:
        """Returns whether it ended by itself."""
        ...

    def send(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        ...

    def end(self, number: signal.Signals) -> None:
        """Ends it by a signal, and by SIGKILL where that takes too long; waits."""
        ...

    def log_tail(self) -> str:
        """Returns its last words."""
        ...


def listen_host() -> str:
    """Returns the address that a program has to listen on to be reached at 127.0.0.1."""
    return "0.0.0.0" if in_containers() else "127.0.0.1"


def start(what: Start) -> Program:
    """Starts a program in a container where an engine answers, else as a child process."""
    return _Container(what) if in_containers() else _Child(what)


def publish(container: DockerContainer, inside: int, outside: int) -> None:
    """Makes a container's port one of 127.0.0.1, and of no other address."""
    # Engines take an address; the annotation of testcontainers knows none.
    container.ports[f"{inside}/tcp"] = ("127.0.0.1", outside)  # type: ignore[assignment]


class _Child:
    """A child process."""

    def __init__(self, what: Start) -> None:
        self._log = what.log
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [what.binary(), *what.arguments],
                env={**os.environ, **what.environment},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self, number: signal.Signals) -> None:
        if self.has_ended():
            return
        self.send(number)
        try:
            self._process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def log_tail(self) -> str:
        return self._log.read_text(errors="replace")[-TAIL_CHARACTERS:]


class _Container:
    """A container that is removed once it ended; what it wrote into its folders stays."""

    def __init__(self, what: Start) -> None:
        self._last_words = ""
        self._container = DockerContainer(image_of(what.service)).with_envs(**what.environment)
        self._container.with_command(list(what.arguments))
        owner = {"user": f"{os.getuid()}:{os.getgid()}"}
        self._container.with_kwargs(**owner, **({"entrypoint": what.entry} if what.entry else {}))
        for folder in what.folders:
            folder.mkdir(parents=True, exist_ok=True)
            self._container.with_volume_mapping(folder, str(folder), "rw")
        for port in what.ports:
            publish(self._container, port, port)
        self._container.start()

    @property
    def pid(self) -> int:
        wrapped = self._container.get_wrapped_container()
        wrapped.reload()
        return int(wrapped.attrs["State"]["Pid"])

    def has_ended(self) -> bool:
        if self._last_words:
            return True
        self._container.reload()
        return self._container.status in ("exited", "dead")

    def send(self, number: signal.Signals) -> None:
        self._container.get_wrapped_container().kill(signal=number.name)

    def end(self, number: signal.Signals) -> None:
        if self._last_words:
            return
        wrapped = self._container.get_wrapped_container()
        if not self.has_ended():
            self.send(number)
            try:
                wrapped.wait(timeout=STOP_SECONDS_MAX)
            except (docker.errors.DockerException, OSError):
                wrapped.kill()
        self._last_words = self.log_tail() or "It said nothing."
        self._container.stop()

    def log_tail(self) -> str:
        if self._last_words:
            return self._last_words
        return b"".join(self._container.get_logs()).decode(errors="replace")[-TAIL_CHARACTERS:]
