"""A real Weaviate for tests: its image where a container engine answers, the binary elsewhere.

A missing binary is an error that names the command; tests never skip it.
"""

import os
import shutil
import signal
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from scops.common.config.settings import CommonSettings
from tests.fakes.servers.machine import free_ports
from tests.fakes.servers.program import Program, Start, listen_host, start

BINARY = "weaviate-server"
READY_SECONDS_MAX = 60.0
POLL_SECONDS = 0.1
ENTRY = "/bin/weaviate"
LEAN = {
    # While it starts it knows no collection yet, and would make one of what is inserted.
    "AUTOSCHEMA_ENABLED": "false",
    "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
    "DEFAULT_VECTORIZER_MODULE": "none",
    "DISABLE_TELEMETRY": "true",
    "PROMETHEUS_MONITORING_ENABLED": "false",
    "GO_PROFILING_DISABLE": "true",
    "GOMEMLIMIT": "1GiB",
    "LOG_LEVEL": "warning",
    "CLUSTER_HOSTNAME": "node1",
    "RAFT_BOOTSTRAP_EXPECT": "1",
    # A node alone leads as soon as it has waited in vain for another leader.
    "RAFT_TIMEOUTS_MULTIPLIER": "1",
}


class WeaviateServer:
    """A server with its data in a folder; it may be killed and started again.

    Args:
        tls: its certificate and key, for both of its ports.

    Attributes:
        settings: the variables that name it to Scops.
        environment: variables of its own from the next start on.
    """

    def __init__(self, folder: Path, *, tls: tuple[Path, Path] | None = None) -> None:
        self._folder = folder
        self._tls = tls
        self.environment: dict[str, str] = {}
        self._ports = free_ports(6)
        self._program: Program | None = None
        self.settings = {
            "SCOPS_WEAVIATE_URL": f"{'https' if tls else 'http'}://127.0.0.1:{self._ports[0]}",
            "SCOPS_WEAVIATE_GRPC": f"127.0.0.1:{self._ports[1]}",
        }

    def common(self, **changes: Any) -> CommonSettings:
        """Returns common settings that name this server."""
        named = {key.removeprefix("SCOPS_").lower(): text for key, text in self.settings.items()}
        return CommonSettings(**(named | changes))

    def start(self) -> Self:
        """Starts the server and waits until it is ready.

        Raises:
            RuntimeError: it ended, or is not ready in time; with its last words.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        http, grpc, *_ = self._ports
        arguments = ["--host", listen_host(), "--port", str(http), "--scheme", "http"]
        if self._tls is not None:
            certificate, key = map(str, self._tls)
            arguments = ["--tls-host", listen_host(), "--tls-port", str(http), "--scheme", "https"]
            arguments += ["--tls-certificate", certificate, "--tls-key", key]
        self._program = start(
            Start(
                service="weaviate",
                binary=find_binary,
                entry=ENTRY,
                arguments=arguments,
                log=self._folder / "log",
                ports=[http, grpc],
                folders=[self._folder],
                environment=self._environment(),
            )
        )
        try:
            self._wait_ready(self._program)
        except BaseException:
            self.kill()
            raise
        return self

    def kill(self) -> None:
        """Ends the server without warning, as a crash does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ends the server gracefully."""
        self._end(signal.SIGTERM)

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Has the server answer nobody for a while, with every connection open."""
        assert self._program is not None, "the server was started"
        self._program.send(signal.SIGSTOP)
        try:
            yield
        finally:
            self._program.send(signal.SIGCONT)

    def log_tail(self) -> str:
        """Returns the last words of the server."""
        assert self._program is not None, "the server was started"
        return self._program.log_tail()

    def _wait_ready(self, program: Program) -> None:
        limit = time.monotonic() + READY_SECONDS_MAX
        while not _is_ready(self.settings["SCOPS_WEAVIATE_URL"]):
            if program.has_ended() or time.monotonic() > limit:
                raise RuntimeError(f"Weaviate did not start:\n{program.log_tail()}")
            time.sleep(POLL_SECONDS)

    def _end(self, number: signal.Signals) -> None:
        if self._program is not None:
            self._program.end(number)

    def _environment(self) -> dict[str, str]:
        _, grpc, gossip, data, raft, raft_rpc = self._ports
        names = ("GRPC_CERT_FILE", "GRPC_KEY_FILE")
        files = dict(zip(names, map(str, self._tls), strict=True)) if self._tls else {}
        return {
            **LEAN,
            **files,
            **self.environment,
            "PERSISTENCE_DATA_PATH": str(self._folder / "data"),
            "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
            "GRPC_PORT": str(grpc),
            "CLUSTER_GOSSIP_BIND_PORT": str(gossip),
            "CLUSTER_DATA_BIND_PORT": str(data),
            "RAFT_PORT": str(raft),
            "RAFT_INTERNAL_RPC_PORT": str(raft_rpc),
        }


def find_binary() -> str:
    """Returns the path of the server's binary.

    Raises:
        RuntimeError: it is not there; the message names the command that builds it.
    """
    cache = Path(os.environ.get("SCOPS_CACHE_DIR") or "~/.cache/scops").expanduser()
    built = cache / "bin" / BINARY
    found = str(built) if built.exists() else shutil.which(BINARY)
    if found is None:
        raise RuntimeError(f"{built} is missing; `make setup-servers` builds it.")
    return found


@contextmanager
def running_weaviate(folder: Path) -> Iterator[dict[str, str]]:
    """Runs a server and gives the settings that name it."""
    server = WeaviateServer(folder).start()
    try:
        yield server.settings
    finally:
        server.kill()


def _is_ready(url: str) -> bool:
    try:
        # Whose certificate it is, is what tests are about.
        unverified = ssl._create_unverified_context() if url.startswith("https") else None
        ready = f"{url}/v1/.well-known/ready"
        with urllib.request.urlopen(ready, timeout=2, context=unverified) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
