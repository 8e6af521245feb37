"""Players of web archives, which open files of Scops: pywb and ReplayWeb.page.

`make setup-players` installs both.
"""

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copy

import httpx
import uvicorn
from starlette.staticfiles import StaticFiles

from tests.fakes.servers.machine import free_port
from tests.fakes.servers.node import installed_folder

START_SECONDS = 60.0
STOP_SECONDS = 20.0
POLL_SECONDS = 0.1
# As the guide of ReplayWeb.page embeds an archive.
EMBEDDING = """<!doctype html><script src="ui.js"></script>
<replay-web-page source="{source}" url="{url}" embed="replayonly" style="height: 600px">
</replay-web-page>"""


def _players() -> Path:
    return installed_folder("players", target="setup-players")


class Pywb:
    """A pywb with collections in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        folder.mkdir()

    def add(self, file: Path, collection: str) -> None:
        """Takes a file in as a new collection, a WACZ file with the index that lies in it."""
        self._manage("init", collection)
        unpack = ["--unpack-wacz"] if file.suffix == ".wacz" else []
        self._manage("add", *unpack, collection, str(file))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Serves the collections."""
        words = ["--bind", "127.0.0.1", "--port", str(self._port), "--directory", str(self._folder)]
        with (self._folder / "pywb.log").open("wb") as log:
            child = subprocess.Popen(
                [_players() / "pywb/bin/pywb", *words], stdout=log, stderr=log, cwd=self._folder
            )
        try:
            _wait_for(f"http://127.0.0.1:{self._port}/")
            yield
        finally:
            child.terminate()
            child.wait(STOP_SECONDS)

    def original(self, collection: str, stamp: str, url: str) -> httpx.Response:
        """Asks for a page of a time as it was recorded, without what pywb adds to it."""
        asked = f"http://127.0.0.1:{self._port}/{collection}/{stamp}id_/{url}"
        return httpx.get(asked, timeout=START_SECONDS)

    def _manage(self, *words: str) -> None:
        program = _players() / "pywb/bin/wb-manager"
        done = subprocess.run(
            [program, *words], cwd=self._folder, capture_output=True, text=True, check=False
        )
        assert 0 == done.returncode, done.stderr[-2000:]


@contextmanager
def replay_web_page(folder: Path, file: Path, url: str) -> Iterator[str]:
    """Serves a page that embeds ReplayWeb.page at a URL of a file; yields its address.

    Args:
        folder: a new one, of which it is served.
    """
    replay = _players() / "replay"
    (folder / "replay").mkdir(parents=True)
    copy(replay / "ui.js", folder)
    copy(replay / "sw.js", folder / "replay")
    copy(file, folder)
    (folder / "index.html").write_text(EMBEDDING.format(source=f"/{file.name}", url=url))
    port = free_port()
    site = StaticFiles(directory=folder, html=True)
    server = uvicorn.Server(uvicorn.Config(site, port=port, lifespan="off", log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        _wait_for(f"http://127.0.0.1:{port}/")
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.should_exit = True
        thread.join(STOP_SECONDS)


def _wait_for(url: str) -> None:
    ends = time.monotonic() + START_SECONDS
    while True:
        try:
            httpx.get(url)
            return
        except httpx.TransportError:
            assert time.monotonic() < ends, f"{url} did not answer"
            time.sleep(POLL_SECONDS)
