"""Words of a call name files, folders, patterns, WACZ files and URLs."""

import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scops.standalone.commands.warc.records import Observed, WarcReader
from scops.standalone.commands.warc.sources import sources_of
from scops.standalone.commands.warc.web_files import WebFiles
from scops.standalone.terminal.exits import CommandError
from tests.fakes.files.range_server import RangeServer
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
def server(folder: Path) -> Iterator[RangeServer]:
    """Serves the folder."""
    with closing(RangeServer()) as running:
        running.files = {f"/{one.name}": one.read_bytes() for one in folder.iterdir()}
        yield running


@pytest.fixture
def web() -> Iterator[WebFiles]:
    with closing(WebFiles(sleep=lambda _: None)) as opened:
        yield opened


def test_a_folder_and_a_pattern_are_their_files_by_name(folder: Path, web: WebFiles) -> None:
    """Each once, however often it is named."""
    names = [one.name for one in sources_of([f"{folder}/b*", str(folder)], web)]

    assert ["b.warc.gz", "a.warc.gz", "c.wacz/inner.warc.gz"] == names


@pytest.mark.parametrize(
    ("file", "name", "url"),
    [
        ("a.warc.gz", "a.warc.gz", "https://a.test/a.warc.gz"),
        ("c.wacz", "c.wacz/inner.warc.gz", "https://a.test/a.warc.gz"),
    ],
)
def test_a_url_is_read_when_its_turn_comes(
    server: RangeServer, web: WebFiles, file: str, name: str, url: str
) -> None:
    """Its name is the last part of the path, without what signs it; of a WACZ file parts come."""
    (source,) = sources_of([f"{server.origin}/{file}?signed=1"], web)
    (one,) = source.read(WarcReader(lambda _: True, now=WHEN))

    assert name == source.name
    assert isinstance(one, Observed)
    assert url == one.url


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("nothing-*.warc.gz", "WARC_NOT_FOUND"),
        ("http://127.0.0.1:9/a.wacz", "WACZ_DAMAGED"),
        ("damaged.wacz", "WACZ_DAMAGED"),
    ],
)
def test_what_cannot_be_read_is_said_before_anything_is_sent(
    tmp_path: Path, web: WebFiles, monkeypatch: pytest.MonkeyPatch, word: str, reason: str
) -> None:
    """With what to do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "damaged.wacz").write_bytes(b"no zip")
    with pytest.raises(CommandError) as refused:
        sources_of([word], web)

    assert reason == refused.value.reason
