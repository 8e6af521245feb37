"""A small GGUF model on llama-cpp-python's server, as `make models` installs them."""

import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.shared.judged.vector_cache import cache_folder
from benchmarks.shared.system.system import free_port

CONTEXT_TOKENS = 8192
READY_SECONDS = 120.0
READY_POLL_SECONDS = 0.2
END_SECONDS = 30.0
LOG_CHARACTERS = 3000


@dataclass(frozen=True, slots=True)
class GgufServer:
    """A model that answers at an OpenAI-compatible endpoint."""

    url: str
    name: str


def gguf_is_installed() -> bool:
    """Returns whether `make models` has been run."""
    return _python().exists() and _weights().exists()


@contextmanager
def gguf_server() -> Iterator[GgufServer]:
    """Starts the server, waits until it lists its model, and ends it.

    Raises:
        SystemExit: it ended or did not become ready; the message shows its last words.
    """
    port = free_port()
    words = [_python(), "-m", "llama_cpp.server", "--model", _weights(), "--model_alias", "gemma"]
    words += ["--host", "127.0.0.1", "--port", port, "--n_ctx", CONTEXT_TOKENS]
    server = GgufServer(f"http://127.0.0.1:{port}/v1", "gemma")
    with tempfile.NamedTemporaryFile(prefix="scops-gguf-") as log:
        child = subprocess.Popen([str(word) for word in words], stdout=log, stderr=log)
        try:
            _wait(server, child, Path(log.name))
            yield server
        finally:
            # It keeps nothing, and finishes what it is saying before it heeds SIGTERM.
            child.kill()
            child.wait(END_SECONDS)


def _python() -> Path:
    return cache_folder().parent / "venv-llama" / "bin" / "python"


def _weights() -> Path:
    return cache_folder().parent / "models" / "gemma-3-270m-q4_k_m.gguf"


def _wait(server: GgufServer, child: "subprocess.Popen[bytes]", log: Path) -> None:
    limit = time.monotonic() + READY_SECONDS
    while not _answers(f"{server.url}/models"):
        if child.poll() is not None or time.monotonic() > limit:
            said = log.read_text(errors="replace")[-LOG_CHARACTERS:]
            raise SystemExit(f"benchmarks: the model's server is not ready:\n{said}")
        time.sleep(READY_POLL_SECONDS)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False
