"""Node.js beside the clients of others, before a system that knows the example site."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.system import System
from tests.fakes.servers.node import NODE, installed_folder

SCRIPT_SECONDS = 120


@pytest.fixture
def run_script(shared: System, tmp_path: Path) -> Callable[[str], str]:
    """Runs a module that imports the installed clients; returns what it printed.

    The address that `scops up` prints stands for that of the system.
    """
    folder = installed_folder("javascript-clients", target="setup-clients")
    (tmp_path / "node_modules").symlink_to(folder / "node_modules")

    def run(script: str) -> str:
        path = tmp_path / "script.mjs"
        path.write_text(script.replace("http://127.0.0.1:7301", shared.http_url))
        done = subprocess.run(
            [str(NODE), str(path)],
            capture_output=True,
            text=True,
            timeout=SCRIPT_SECONDS,
            check=False,
        )
        assert 0 == done.returncode, done.stdout[-2000:] + done.stderr[-3000:]
        return done.stdout

    return run
