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
        if time.monotonic() - started > AGE_SECONDS or _memory(child.pid) > MEMORY_BYTES:
            log.info("browser_replaced", seconds=round(time.monotonic() - started))
            break
        stopping.wait(POLL_SECONDS)
    _end(child)


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


def _memory(leader: int) -> int:
    """Returns the bytes that the processes of a session hold, what they share counted once each."""
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            session = int((entry / "stat").read_text().rpartition(")")[2].split()[3])
            if session == leader:
                total += int((entry / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError):
            continue
    return total


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
