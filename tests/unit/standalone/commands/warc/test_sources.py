"""Words of a call name files, folders, patterns, WACZ files and URLs."""

import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scops.standalone.commands.warc.records import Observed, WarcReader
from scops.standalone.commands.warc.sources import sources_of
from scops.standalone.terminal.exits import CommandError
from tests.fakes.files.warc_files import WHEN, WarcMaker

BODY = b"<p>The River plan costs 7 euros.</p>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.warc.gz", "a.warc.gz"):
        warc = WarcMaker()
        warc.response(f"https://a.test/{name}", BODY)
        warc.save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no records")
    with zipfile.ZipFile(tmp_path / "c.wacz", "w") as packed:
        packed.write(tmp_path / "a.warc.gz", "archive/inner.warc.gz")
        packed.writestr("pages/pages.jsonl", "{}")
    return tmp_path


@pytest.fixture
def origin(folder: Path) -> Iterator[str]:
    """Serves the folder."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_a_folder_and_a_pattern_are_their_files_by_name(folder: Path) -> None:
    """Each once, however often it is named."""
    names = [one.name for one in sources_of([f"{folder}/b*", str(folder)])]

    assert ["b.warc.gz", "a.warc.gz", "c.wacz/inner.warc.gz"] == names


def test_a_url_is_downloaded_when_its_turn_comes(origin: str) -> None:
    """Its name is the last part of the path, without what signs it."""
    (source,) = sources_of([f"{origin}/a.warc.gz?signed=1"])
    with source.opened() as stream:
        (one,) = WarcReader(lambda _: True, now=WHEN).read(stream)

    assert "a.warc.gz" == source.name
    assert isinstance(one, Observed)
    assert "https://a.test/a.warc.gz" == one.url


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("nothing-*.warc.gz", "WARC_NOT_FOUND"),
        ("https://a.test/a.wacz", "WACZ_AT_URL"),
        ("damaged.wacz", "WACZ_DAMAGED"),
    ],
)
def test_what_cannot_be_read_is_said_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, reason: str
) -> None:
    """With what to do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "damaged.wacz").write_bytes(b"no zip")
    with pytest.raises(CommandError) as refused:
        sources_of([word])

    assert reason == refused.value.reason
