"""A nats-server of our own, as whoever runs roles in several processes has one."""

import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scops.common.bus.nats_child import find_binary
from tests.e2e.system import POLL_SECONDS, free_port

READY_SECONDS = 30.0
STOP_SECONDS = 20.0


@contextmanager
def nats_server(folder: Path) -> Iterator[dict[str, str]]:
    """Runs a server with its store in a folder; gives the settings that name it."""
    folder.mkdir(parents=True)
    client, monitor = free_port(), free_port()
    config = folder / "nats.conf"
    config.write_text(
        f'listen: "127.0.0.1:{client}"\nhttp: "127.0.0.1:{monitor}"\n'
        f'jetstream {{ store_dir: "{folder / "store"}", sync_interval: always }}\n'
    )
    monitor_url = f"http://127.0.0.1:{monitor}"
    command = [find_binary(), "--config", str(config), "--log", str(folder / "log")]
    server = subprocess.Popen(command)
    try:
        _wait_healthy(f"{monitor_url}/healthz")
        yield {
            "SCOPS_NATS_URL": f"nats://127.0.0.1:{client}",
            "SCOPS_NATS_MONITOR_URL": monitor_url,
        }
    finally:
        server.terminate()
        server.wait(STOP_SECONDS)


def _wait_healthy(url: str) -> None:
    limit = time.monotonic() + READY_SECONDS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < limit, "nats-server did not start"
        time.sleep(POLL_SECONDS)
