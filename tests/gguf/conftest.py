"""The small GGUF model that `make models` installs, on its server."""

from collections.abc import Iterator

import pytest

from benchmarks.shared.system.gguf_server import GgufServer, gguf_is_installed, gguf_server


@pytest.fixture(scope="session")
def model_server() -> Iterator[GgufServer]:
    """Starts the server and waits until it lists its model."""
    if not gguf_is_installed():
        pytest.fail("there is no model here: run `make models`")
    with gguf_server() as server:
        yield server
