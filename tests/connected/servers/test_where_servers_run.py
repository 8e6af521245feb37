"""Where servers of tests run: in containers where an engine answers, from binaries elsewhere."""

import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.fakes.servers import engine

VERSION = b'{"ApiVersion": "1.44"}'
Serve = Callable[..., Path]


@pytest.fixture(autouse=True)
def sockets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The usual sockets are of a folder; engines that this machine runs are none of them."""
    monkeypatch.setattr(engine, "SOCKETS", (tmp_path / "docker.sock", tmp_path / "podman.sock"))
    monkeypatch.setattr(engine, "ANSWER_SECONDS_MAX", 1)
    return tmp_path


@pytest.fixture
def serve(sockets: Path) -> Iterator[Serve]:
    """Serves a socket as an engine does, at once or late."""
    with ExitStack() as stack:

        def listen(name: str, *, late_seconds: float = 0.0) -> Path:
            path = sockets / name
            handler = type("Engine", (_Engine,), {"late_seconds": late_seconds})
            server = _Server(str(path), handler)
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            return path

        yield listen


def test_without_an_engine_binaries_run() -> None:
    """An engine that is installed and not up is none."""
    assert engine.chosen_engine({}) is None


@pytest.mark.parametrize("name", ["docker.sock", "podman.sock"])
def test_a_usual_socket_that_answers_has_the_containers(serve: Serve, name: str) -> None:
    """Podman's counts as Docker's does."""
    path = serve(name)

    assert f"unix://{path}" == engine.chosen_engine({})


def test_the_engine_that_is_named_goes_before_the_usual_ones(serve: Serve) -> None:
    """And it alone is asked: one that is away is not replaced by another."""
    serve("docker.sock")
    named = f"unix://{serve('named.sock')}"

    assert named == engine.chosen_engine({"DOCKER_HOST": named})
    assert engine.chosen_engine({"DOCKER_HOST": f"{named}.away"}) is None


def test_an_engine_that_answers_late_is_left_alone(serve: Serve) -> None:
    """Servers start for many tests; the next that answers at once is taken."""
    serve("docker.sock", late_seconds=3.0)
    assert engine.chosen_engine({}) is None

    path = serve("podman.sock")
    assert f"unix://{path}" == engine.chosen_engine({})


def test_an_engine_that_is_asked_for_may_take_its_time(serve: Serve) -> None:
    """A busy machine does not turn a run of containers into an error."""
    path = serve("docker.sock", late_seconds=2.0)

    assert f"unix://{path}" == engine.chosen_engine({"TEST_SERVERS": "containers"})


def test_binaries_run_where_they_are_asked_for(serve: Serve) -> None:
    """Whatever answers."""
    serve("docker.sock")

    assert engine.chosen_engine({"TEST_SERVERS": "binaries"}) is None


def test_containers_that_are_asked_for_are_not_replaced() -> None:
    """A run that shall show containers does not pass on binaries; a misspelt word is none."""
    with pytest.raises(AssertionError, match="no container engine answers"):
        engine.chosen_engine({"TEST_SERVERS": "containers"})
    with pytest.raises(AssertionError, match="it takes 'containers' and 'binaries'"):
        engine.chosen_engine({"TEST_SERVERS": "container"})


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Has nothing to say of a client that waits no longer."""


class _Engine(BaseHTTPRequestHandler):
    """Answers what a client asks an engine first."""

    late_seconds = 0.0

    def do_GET(self) -> None:
        time.sleep(self.late_seconds)
        body = b"OK" if self.path.endswith("/_ping") else VERSION
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def address_string(self) -> str:
        return "a socket"
