"""A nats-server of our own on fixed ports, as whoever runs roles in several processes has one.

It runs in a container where an engine answers, and from the package's binary elsewhere.
"""

import json
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scops.common.bus.embedded.nats_child import find_binary
from tests.fakes.servers.machine import free_ports
from tests.fakes.servers.program import Program, Start, listen_host, start

READY_SECONDS = 30.0
POLL_SECONDS = 0.05
STORE_BYTES_MAX = 64 * 1024**3
TLS_FIRST = "handshake_first: true"


class NatsServer:
    """A server that can be killed and started again on the same ports and store.

    Args:
        folder: for its configuration, log and store.
        authorization: a block to include, such as `scops nats-config` writes.
        store: where streams lie, if not in the folder.
        tls: what its TLS takes, such as `TLS_FIRST`; certificate and key are in the folder.
    """

    def __init__(
        self,
        folder: Path,
        *,
        authorization: str = "",
        store: Path | None = None,
        tls: str = "",
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._ports = client, monitor = free_ports(2)
        self.url = f"{'tls' if tls else 'nats'}://127.0.0.1:{client}"
        self.monitor_url = f"http://127.0.0.1:{monitor}"
        self.log = folder / "nats.log"
        self.store = store or folder / "store"
        self._config = folder / "nats.conf"
        self._fixed = (
            f'listen: "{listen_host()}:{client}"\nhttp: "{listen_host()}:{monitor}"\n'
            # As in deploy/k8s/base/nats.conf.
            'ping_interval: "10s"\nping_max: 2\n'
            f'jetstream {{ store_dir: "{self.store}", sync_interval: always\n'
            # Streams reserve their bounds; by default a server has three quarters of the disk.
            f"max_file_store: {STORE_BYTES_MAX} }}\n"
        )
        if tls:
            files = f'cert_file: "{folder}/tls.crt", key_file: "{folder}/tls.key"'
            self._fixed += f"tls {{ {files}, {tls} }}\n"
        self._program: Program | None = None
        self.authorize(authorization)

    @property
    def settings(self) -> dict[str, str]:
        """The settings that name it."""
        return {"SCOPS_NATS_URL": self.url, "SCOPS_NATS_MONITOR_URL": self.monitor_url}

    @property
    def pid(self) -> int:
        """The process id while it runs."""
        assert self._program is not None
        return self._program.pid

    def start(self) -> "NatsServer":
        """Starts it and waits until it is well."""
        self._program = start(
            Start(
                service="nats",
                binary=find_binary,
                arguments=["--config", str(self._config), "--log", str(self.log)],
                log=self.log.with_name("nats.out"),
                ports=self._ports,
                folders=[self._config.parent, self.store],
            )
        )
        try:
            self._wait_well(self._program)
        except BaseException:
            self.kill()
            raise
        return self

    def authorize(self, authorization: str) -> None:
        """Takes another block of users; returns once a server that runs goes by it."""
        self._config.write_text(self._fixed + authorization)
        if self._program is not None:
            self.reload()

    def reload(self) -> None:
        """Has the server read its configuration and certificate; returns once it has."""
        assert self._program is not None
        loaded = self._loaded()
        self._program.send(signal.SIGHUP)
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

    def _wait_well(self, program: Program) -> None:
        limit = time.monotonic() + READY_SECONDS
        while not self._is_well():
            assert not program.has_ended(), (
                f"nats-server ended:\n{program.log_tail()}\n{self.log.read_text()[-2000:]}"
            )
            assert time.monotonic() < limit, "nats-server did not start"
            time.sleep(POLL_SECONDS)

    def _end(self, number: signal.Signals) -> None:
        if self._program is not None:
            self._program.end(number)
            self._program = None

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
def nats_server(folder: Path, *, authorization: str = "", tls: str = "") -> Iterator[NatsServer]:
    """Runs a server while inside."""
    server = NatsServer(folder, authorization=authorization, tls=tls).start()
    try:
        yield server
    finally:
        server.kill()
