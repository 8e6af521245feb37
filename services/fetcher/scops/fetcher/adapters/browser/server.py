"""Serves a Chromium to fetchers of other machines, by Playwright's protocol; started anew often.

Whoever knows the token drives the browser, and can do with it no more than a page may: it is
started here, without a network, and its bounds are ours.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

from scops.common.contract.errors import InvalidInput
from scops.common.observe.log import get_logger
from scops.fetcher.adapters.browser.chromium import found_browser, launch_options

log = get_logger("fetcher.browser_server")
TOKEN_LENGTH_MIN = 16
AGE_SECONDS = 3600.0
MEMORY_BYTES = 1536 * 1024 * 1024
POLL_SECONDS = 1.0
STOP_SECONDS = 10.0
# A server that ends at once does not get better by being started again at once.
RESTART_SECONDS = 5.0
CLIENT = "the extra: pip install 'scops[browser]'"


def read_token(file: Path) -> str:
    """Returns the token in a file.

    Raises:
        InvalidInput: it cannot be read, or is too short to keep anybody out.
    """
    try:
        token = file.read_text().strip()
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.") from error
    if len(token) < TOKEN_LENGTH_MIN or not token.isalnum():
        raise InvalidInput(
            f"{file} holds no token: letters and digits, {TOKEN_LENGTH_MIN} or more. Draw one, "
            "such as by: openssl rand -hex 24."
        )
    return token


def serve(named: str, *, host: str, port: int, token: str, sandbox: bool) -> None:
    """Serves until the process is asked to end; a browser that grows or ages is replaced.

    Args:
        named: the path of Chromium, or `auto`.
        sandbox: Chromium's own; off where a container takes what it needs, and is one.

    Raises:
        InvalidInput: there is none.
    """
    executable = found_browser(named)
    if not executable:
        raise InvalidInput(f"There is no Chromium to serve. Install one, and {CLIENT}.")
    stopping = _Stopping()
    while not stopping.asked:
        with tempfile.TemporaryDirectory(prefix="scops-browser-") as folder:
            config = Path(folder) / "server.json"
            options = launch_options(executable, folder=folder, sandbox=sandbox)
            config.write_text(json.dumps(_server_options(options, host, port, token)))
            config.chmod(0o600)
            _serve_one(config, stopping)
        if not stopping.asked:
            stopping.wait(RESTART_SECONDS)


def _server_options(options: dict[str, object], host: str, port: int, token: str) -> object:
    """Returns the options as Playwright's command reads them."""
    return {
        "executablePath": options["executable_path"],
        "args": options["args"],
        "chromiumSandbox": options["chromium_sandbox"],
        "timeout": options["timeout"],
        "host": host,
        "port": port,
        "wsPath": f"/{token}",
    }


def _serve_one(config: Path, stopping: "_Stopping") -> None:
    command = [
        *(sys.executable, "-m", "playwright", "launch-server"),
        *("--browser", "chromium", "--config", str(config)),
    ]
    # It prints its address, with the token.
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    started = time.monotonic()
    log.info("browser_serving", pid=child.pid)
    while child.poll() is None and not stopping.asked:
        if time.monotonic() - started > AGE_SECONDS or memory_bytes(child.pid) > MEMORY_BYTES:
            log.info("browser_replaced", seconds=round(time.monotonic() - started))
            break
        _reap(besides=child.pid)
        stopping.wait(POLL_SECONDS)
    _end(child)


def _reap(*, besides: int) -> None:
    """Takes the ends of processes whose parents ended before them.

    In a container they are ours, as its first process: nobody else asks, and what is not asked for
    counts against the container's bound of processes.
    """
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid == besides:
                return
            os.waitpid(ended.si_pid, 0)


def _end(child: "subprocess.Popen[bytes]") -> None:
    child.terminate()
    try:
        child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        log.info("browser_killed", pid=child.pid)
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    child.wait()


def memory_bytes(process_id: int) -> int:
    """Returns what a process and all below it hold; what they share is counted once.

    Chromium is in a session of its own, so it is found by its parents. Where the kernel tells of a
    process no more than its pages (Chromium's own sandbox hides them), those are counted in full.
    """
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            stat = (entry / "stat").read_text()
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    below, found = {process_id}, 1
    while found:
        more = {pid for pid, parent in parents.items() if parent in below} - below
        below, found = below | more, len(more)
    return sum(_held_bytes(Path("/proc") / str(pid)) for pid in below)


def _held_bytes(process: Path) -> int:
    with suppress(OSError):
        rollup = (process / "smaps_rollup").read_text()
        return int(rollup.partition("\nPss:")[2].split(maxsplit=1)[0]) * 1024
    with suppress(OSError):
        return int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


class _Stopping:
    """Whether somebody has asked this process to end."""

    def __init__(self) -> None:
        self.asked = False
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, self._ask)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True

    def wait(self, seconds: float) -> None:
        """Waits for a while, or until it is asked to end."""
        until = time.monotonic() + seconds
        while not self.asked and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))
