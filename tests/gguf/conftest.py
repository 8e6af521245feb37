"""A small GGUF model on llama-cpp-python's server, as `make models` installs them."""

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.servers.machine import free_port

CACHE = Path(os.environ.get("SCOPS_CACHE_DIR", Path.home() / ".cache" / "scops"))
SERVER = CACHE / "venv-llama" / "bin" / "python"
WEIGHTS = CACHE / "models" / "gemma-3-270m-q4_k_m.gguf"
CONTEXT_TOKENS = 8192
READY_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A model that answers at an OpenAI-compatible endpoint."""

    url: str
    name: str


@pytest.fixture(scope="session")
def model_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    """Starts the server and waits until it lists its model."""
    if not SERVER.exists() or not WEIGHTS.exists():
        pytest.fail("there is no model here: run `make models`")
    port, log = free_port(), tmp_path_factory.mktemp("llama") / "server.log"
    words = [SERVER, "-m", "llama_cpp.server", "--model", WEIGHTS, "--model_alias", "gemma"]
    words += ["--host", "127.0.0.1", "--port", port, "--n_ctx", CONTEXT_TOKENS]
    with log.open("wb") as said:
        child = subprocess.Popen([str(word) for word in words], stdout=said, stderr=said)
    server = ModelServer(f"http://127.0.0.1:{port}/v1", "gemma")
    try:
        _wait(server, child, log)
        yield server
    finally:
        # It keeps nothing, and finishes what it is saying before it heeds SIGTERM.
        child.kill()
        child.wait(30)


def _wait(server: ModelServer, child: "subprocess.Popen[bytes]", log: Path) -> None:
    limit = time.monotonic() + READY_SECONDS
    while not _answers(f"{server.url}/models"):
        assert child.poll() is None, f"it ended:\n{log.read_text()[-4000:]}"
        assert time.monotonic() < limit, f"not ready:\n{log.read_text()[-4000:]}"
        time.sleep(0.2)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False
