"""A nats-server of our own on fixed ports, as whoever runs roles in several processes has one."""

import json
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scops.common.bus.embedded.nats_child import find_binary
from tests.fakes.servers.machine import free_port

READY_SECONDS = 30.0
STOP_SECONDS = 20.0
POLL_SECONDS = 0.05
STORE_BYTES_MAX = 64 * 1024**3


class NatsServer:
    """A server that can be killed and started again on the same ports and store.

    Args:
        folder: for its configuration, log and store.
        authorization: a block to include, such as `scops nats-config` writes.
        store: where streams lie, if not in the folder.
    """

    def __init__(self, folder: Path, *, authorization: str = "", store: Path | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        client, monitor = free_port(), free_port()
        self.url = f"nats://127.0.0.1:{client}"
        self.monitor_url = f"http://127.0.0.1:{monitor}"
        self.log = folder / "nats.log"
        self.store = store or folder / "store"
        self._config = folder / "nats.conf"
        self._fixed = (
            f'listen: "127.0.0.1:{client}"\nhttp: "127.0.0.1:{monitor}"\n'
            f'jetstream {{ store_dir: "{self.store}", sync_interval: always\n'
            # Streams reserve their bounds; by default a server has three quarters of the disk.
            f"max_file_store: {STORE_BYTES_MAX} }}\n"
        )
        self._process: subprocess.Popen[bytes] | None = None
        self.authorize(authorization)

    @property
    def settings(self) -> dict[str, str]:
        """The settings that name it."""
        return {"SCOPS_NATS_URL": self.url, "SCOPS_NATS_MONITOR_URL": self.monitor_url}

    @property
    def pid(self) -> int:
        """The process id while it runs."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> "NatsServer":
        """Starts it and waits until it is well."""
        command = [find_binary(), "--config", str(self._config), "--log", str(self.log)]
        self._process = subprocess.Popen(command)
        limit = time.monotonic() + READY_SECONDS
        while not self._is_well():
            assert self._process.poll() is None, (
                f"nats-server ended:\n{self.log.read_text()[-2000:]}"
            )
            assert time.monotonic() < limit, "nats-server did not start"
            time.sleep(POLL_SECONDS)
        return self

    def authorize(self, authorization: str) -> None:
        """Takes another block of users; returns once a server that runs goes by it."""
        self._config.write_text(self._fixed + authorization)
        if self._process is None:
            return
        loaded = self._loaded()
        self._process.send_signal(signal.SIGHUP)
        limit = time.monotonic() + READY_SECONDS
        while loaded == self._loaded():
            assert time.monotonic() < limit, f"not reloaded:\n{self.log.read_text()[-2000:]}"
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        """Ends it gracefully."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it at once."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(STOP_SECONDS)
            self._process = None

    def _loaded(self) -> str:
        """Returns when the server last read its configuration."""
        with urllib.request.urlopen(f"{self.monitor_url}/varz", timeout=5) as answer:
            return str(json.loads(answer.read())["config_load_time"])

    def _is_well(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.monitor_url}/healthz", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


@contextmanager
def nats_server(folder: Path, *, authorization: str = "") -> Iterator[NatsServer]:
    """Runs a server while inside."""
    server = NatsServer(folder, authorization=authorization).start()
    try:
        yield server
    finally:
        server.kill()
