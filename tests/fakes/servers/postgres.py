"""A real PostgreSQL for tests: a container where an engine answers, Debian's binaries elsewhere.

    with postgres_server() as server:
        url = server.new_database()      # for SCOPS_DATABASE_URL
        server.kill(); server.start()    # a power cut; the port stays

A server is made for a process of tests; each test takes a database or a schema of its own.
"""

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import asyncpg
import psutil
from testcontainers.core.container import DockerContainer

from tests.fakes.servers.engine import image_of, in_containers
from tests.fakes.servers.machine import free_port
from tests.fakes.servers.program import publish

T = TypeVar("T")

USER = "scops"
PASSWORD = "sesame"
START_SECONDS_MAX = 90.0
STOP_SECONDS_MAX = 30.0
POLL_SECONDS = 0.05
IMAGE_PORT = 5432
INSTALLED = Path("/usr/lib/postgresql/15/bin")
# An unprivileged user that Debian has before and after PostgreSQL is installed.
UNPRIVILEGED = ("postgres", "nobody")
OPTIONS = {
    "max_connections": "200",
    "shared_buffers": "32MB",
    # Tests that race want to know of a deadlock at once.
    "deadlock_timeout": "200ms",
}
# Nothing committed survives a power cut with these; each commit is far cheaper.
HASTY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class _Cluster(Protocol):
    """Where the server runs."""

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def kill(self) -> None: ...

    def mark_standby(self) -> None: ...

    def log(self) -> str: ...

    def remove(self) -> None: ...


class PostgresServer:
    """A server on a port of 127.0.0.1 that stays the same over restarts."""

    def __init__(self, cluster: _Cluster, port: int) -> None:
        self._cluster = cluster
        self._databases = 0
        self.port = port

    def url(self, database: str = "postgres") -> str:
        """Returns the address of a database."""
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def new_database(self, *, template: str = "template1") -> str:
        """Makes a database like another one, by default an empty one; returns its address."""
        self._databases += 1
        name = f"test_{os.getpid()}_{self._databases}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def execute(self, statement: str, *, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Runs a statement as the server's owner; also where an event loop runs."""
        return apart(lambda: asyncio.run(_execute(self.url(database), statement)))

    def start(self) -> None:
        """Starts the server, and waits until it answers."""
        self._cluster.start()
        limit = time.monotonic() + START_SECONDS_MAX
        while True:
            try:
                self.execute("SELECT 1")
                return
            except (OSError, asyncpg.PostgresError) as error:
                if time.monotonic() > limit:
                    raise AssertionError(f"PostgreSQL did not start: {self._cluster.log()}") from (
                        error
                    )
                time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        """Ends every session and stops in order."""
        self._cluster.stop()

    def stand_by(self) -> None:
        """Starts the server again as a standby: it reads, and writes once it is promoted."""
        self._cluster.mark_standby()
        self._cluster.stop()
        self.start()

    def promote(self) -> None:
        """Makes a standby take writes."""
        self.execute("SELECT pg_promote()")

    def kill(self) -> None:
        """Ends the server and its sessions at once, as a crash does."""
        self._cluster.kill()


@contextmanager
def postgres_server(
    *,
    durable: bool = False,
    environment: dict[str, str] | None = None,
    tls: Path | None = None,
) -> Iterator[PostgresServer]:
    """Runs a server of its own.

    Args:
        durable: for tests that kill it: what was committed is there afterwards; slower.
        environment: further variables of its processes; with any, no container is used.
        tls: folder of its certificate; with one, no container is used.
    """
    options = OPTIONS | ({} if durable else HASTY) | (_tls(tls) if tls else {})
    port = free_port()
    in_container = environment is None and tls is None and in_containers()
    cluster = _Container(port, options) if in_container else _Processes(port, options, environment)
    server = PostgresServer(cluster, port)
    try:
        server.start()
        yield server
    finally:
        cluster.remove()


def own(folder: Path) -> None:
    """Gives a certificate and its key to the user of the server, and to nobody else."""
    as_user = _unprivileged()
    for file in (folder / "tls.crt", folder / "tls.key"):
        file.chmod(0o600)
        if as_user:
            os.chown(file, as_user["user"], as_user["group"])


def _tls(folder: Path) -> dict[str, str]:
    own(folder)
    files = {"ssl_cert_file": str(folder / "tls.crt"), "ssl_key_file": str(folder / "tls.key")}
    return {"ssl": "on"} | files


class _Processes:
    """A cluster of Debian's binaries, in a folder of an unprivileged user."""

    def __init__(
        self, port: int, options: dict[str, str], environment: dict[str, str] | None = None
    ) -> None:
        self._environment = {**os.environ, **(environment or {})}
        self._folder = Path(tempfile.mkdtemp(prefix="scops-postgres-", dir="/tmp"))
        self._port = port
        self._options = options
        self._as_user = _unprivileged()
        self._server: subprocess.Popen[bytes] | None = None
        if self._as_user:
            os.chown(self._folder, self._as_user["user"], self._as_user["group"])
        self._make()

    def start(self) -> None:
        options = self._options | {
            "listen_addresses": "127.0.0.1",
            "port": str(self._port),
            "unix_socket_directories": "",
        }
        command = [str(_binary("postgres")), "-D", str(self._folder / "data")]
        command += [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with self._log_path.open("ab") as log:
            self._server = subprocess.Popen(
                command,
                cwd=self._folder,
                env=self._environment,
                stdout=log,
                stderr=log,
                **self._as_user,
            )

    def stop(self) -> None:
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(STOP_SECONDS_MAX)
            self._server = None

    def kill(self) -> None:
        assert self._server is not None, "the server runs"
        sessions = psutil.Process(self._server.pid).children(recursive=True)
        self._server.kill()
        self._server.wait(STOP_SECONDS_MAX)
        self._server = None
        for session in sessions:
            # Without their parent they would only notice at their next statement.
            if session.is_running():
                session.kill()
        # A new server refuses to start while one of the old has the shared memory.
        psutil.wait_procs(sessions, timeout=STOP_SECONDS_MAX)

    def mark_standby(self) -> None:
        (self._folder / "data" / "standby.signal").touch()

    def log(self) -> str:
        return self._log_path.read_text(errors="replace")[-4000:]

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def _log_path(self) -> Path:
        return self._folder / "log"

    def _make(self) -> None:
        password = self._folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        command = [str(_binary("initdb")), "-D", str(self._folder / "data"), "-U", USER]
        command += ["--auth=scram-sha-256", f"--pwfile={password}", "--no-sync", "-E", "UTF8"]
        # A locale that sorts otherwise than Python does, as installations have.
        made = subprocess.run(
            [*command, "--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8"],
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
            **self._as_user,
        )
        assert made.returncode == 0, f"initdb failed: {made.stderr}"


class _Container:
    """A cluster in a container."""

    def __init__(self, port: int, options: dict[str, str]) -> None:
        command = ["postgres"]
        command += [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        self._started = False
        self._container = (
            DockerContainer(image_of("postgres"))
            .with_env("POSTGRES_USER", USER)
            .with_env("POSTGRES_PASSWORD", PASSWORD)
            .with_env("POSTGRES_DB", "postgres")
            .with_env("POSTGRES_INITDB_ARGS", "--locale-provider=icu --icu-locale=en-US")
            .with_command(command)
        )
        publish(self._container, IMAGE_PORT, port)

    def start(self) -> None:
        if self._started:
            self._container.get_wrapped_container().start()
        else:
            self._container.start()
        self._started = True

    def stop(self) -> None:
        self._container.get_wrapped_container().stop()

    def kill(self) -> None:
        self._container.get_wrapped_container().kill()

    def mark_standby(self) -> None:
        self._container.exec(["touch", "/var/lib/postgresql/data/standby.signal"])

    def log(self) -> str:
        return b"".join(self._container.get_logs()).decode(errors="replace")[-4000:]

    def remove(self) -> None:
        self._container.stop()


def _binary(name: str) -> Path:
    """Returns a server binary; the server needs more than a copy of one file."""
    cache = Path(os.environ.get("SCOPS_CACHE_DIR") or "~/.cache/scops").expanduser()
    unpacked = cache / "postgresql-15" / INSTALLED.relative_to("/")
    for folder in (INSTALLED, unpacked):
        if (folder / name).exists():
            return folder / name
    raise AssertionError(
        f"No PostgreSQL in {INSTALLED} nor {unpacked}: run `make setup`, "
        "or `apt-get install postgresql-15`."
    )


def _unprivileged() -> dict[str, Any]:
    """Returns the options of a child process that drop root, which PostgreSQL refuses."""
    if os.geteuid() != 0:
        return {}
    for name in UNPRIVILEGED:
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise AssertionError(f"PostgreSQL refuses root, and there is no user of {UNPRIVILEGED}")


async def _execute(url: str, statement: str) -> list[tuple[Any, ...]]:
    connection = await asyncpg.connect(url, timeout=5)
    try:
        return [tuple(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


def apart(work: Callable[[], T]) -> T:
    """Does something in a thread of its own, where no event loop runs yet."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()
