"""What is written as WARC and WACZ is what tools of web archives read, and what we read."""

import gzip
import hashlib
import json
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.content.v1.content_pb2 import PortableVersion
from scops.standalone.commands.warc.record_index import RecordIndex
from scops.standalone.commands.warc.records import Observed, Repeated, WarcReader
from scops.standalone.commands.warc.served import Served
from scops.standalone.commands.warc.sources import sources_of
from scops.standalone.commands.warc.wacz import write_wacz
from scops.standalone.commands.warc.web_files import WebFiles
from scops.standalone.commands.warc.writing import WarcFileWriter

URL, OTHER = "https://b.test/page", "https://a.test/Other?b=2&a=1"
BODY = b"<html><body><p>The River plan costs 7 euros.</p></body></html>"
AT = datetime(2024, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)
NOW = AT + timedelta(days=100)
ID = "00000000-0000-0000-0000-00000000000"


def version(number: int, *, days: int = 0, **given: Any) -> pb.ExportedVersion:
    one = pb.ExportedVersion(version=f"{ID}{number}", title=f"Title {number}", **given)
    one.observed_from_time.FromDatetime(AT)
    one.last_verified_time.FromDatetime(AT + timedelta(days=days))
    return one


@pytest.fixture
def index() -> Iterator[RecordIndex]:
    with RecordIndex() as opened:
        yield opened


@pytest.fixture
def written(tmp_path: Path, index: RecordIndex) -> WarcFileWriter:
    """A body that was verified later, a text alone, another body, and what is not kept."""
    text = gzip.compress(PortableVersion(text="Only its text.").SerializeToString())
    name = "a.warc.gz"
    with WarcFileWriter(tmp_path / name, "scops/0", name=name, index=index) as writer:
        writer.add(URL, version(1, days=1, body=BODY, media_type="text/html", charset="utf-8"))
        writer.add("https://b.test/text", version(2, content=text))
        writer.add(OTHER, version(3, body=b"plain", media_type="text/plain"))
        writer.add("https://b.test/gone", version(4, left_out_reason="expired"))
        writer.finish()
    return writer


@pytest.fixture
def wacz(written: WarcFileWriter, index: RecordIndex, tmp_path: Path) -> Path:
    path, inner = tmp_path / "a.wacz", tmp_path / "a.warc.gz"
    assert written.bodies > 0
    write_wacz(path, inner, index, name=inner.name, title="docs", now=NOW)
    return path


def test_bodies_are_resources_and_texts_are_conversions(
    written: WarcFileWriter, tmp_path: Path
) -> None:
    """Dated as they were observed; a later look is a revisit of the first."""
    with (tmp_path / "a.warc.gz").open("rb") as file:
        records = [
            (one.rec_type, one.rec_headers["WARC-Target-URI"], one.content_stream().read())
            for one in ArchiveIterator(file)
        ]

    assert (2, 1, 1) == (written.bodies, written.texts, written.left_out)
    assert [
        ("resource", URL, BODY),
        ("revisit", URL, b""),
        ("conversion", "https://b.test/text", b"Only its text."),
        ("resource", OTHER, b"plain"),
    ] == records[1:]


def test_warcio_finds_nothing_wrong_with_the_file(
    written: WarcFileWriter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Digests of blocks and payloads hold, which is noticed where one does not."""
    file, spoilt = tmp_path / "a.warc.gz", tmp_path / "spoilt.warc"
    plain = gzip.decompress(file.read_bytes())
    spoilt.write_bytes(plain.replace(b"River", b"Other"))
    found = [_checked(file), _checked(spoilt)]

    assert written.bodies > 0
    assert [0, 1] == found, capsys.readouterr().out


def _checked(file: Path) -> int:
    checker = Checker(type("Options", (), {"inputs": [str(file)], "verbose": True})())
    checker.process_all()
    return int(checker.exit_value)


def test_what_is_written_is_what_is_read(wacz: Path) -> None:
    """Instants in microseconds, so that ids of versions come out as they were."""
    with closing(WebFiles()) as web:
        (source,) = sources_of([str(wacz)], web)
        found = list(source.read(WarcReader(lambda _: True, now=NOW)))
    first, again, _, other = found

    served = Served(body=BODY, media_type="text/html", charset="utf-8")
    assert "a.wacz/a.warc.gz" == source.name
    assert Observed(URL, AT, served) == first
    assert Observed(URL, AT + timedelta(days=1), Repeated(URL, AT)) == again
    assert isinstance(other, Observed)


def test_a_wacz_file_has_what_its_standard_asks_for(wacz: Path) -> None:
    """Nothing packed twice, digests of everything, a sorted index whose places are records."""
    with zipfile.ZipFile(wacz) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
        kinds = {one.compress_type for one in packed.infolist()}
        extras = [bool(one.extra) for one in packed.infolist()]
    package = json.loads(files["datapackage.json"])
    digest = json.loads(files["datapackage-digest.json"])
    head, *pages = map(json.loads, files["pages/pages.jsonl"].splitlines())
    lines = [line.split(" ", 2) for line in files["indexes/index.cdx"].decode().splitlines()]
    warc = files["archive/a.warc.gz"]

    assert {zipfile.ZIP_STORED} == kinds
    # ReplayWeb.page looks for extra fields before the data only where the directory has some too.
    assert [True] * 5 == extras
    assert ("data-package", "1.1.1") == (package["profile"], package["wacz_version"])
    for one in package["resources"]:
        content = files[one["path"]]
        assert one["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        assert one["bytes"] == len(content)
    assert 3 == len(package["resources"])
    assert digest["hash"] == f"sha256:{hashlib.sha256(files['datapackage.json']).hexdigest()}"
    assert ("json-pages-1.0", [URL, OTHER]) == (head["format"], [page["url"] for page in pages])
    assert {"2024-03-01T12:00:00Z"} == {page["ts"] for page in pages}
    assert lines == sorted(lines)
    assert ["test,a)/other?a=1&b=2", "test,b)/page", "test,b)/page"] == [key for key, *_ in lines]
    for _, _, fields in lines:
        place = json.loads(fields)
        record = gzip.decompress(warc[int(place["offset"]) :][: int(place["length"])])
        assert place["url"].encode() in record
        assert "a.warc.gz" == place["filename"]


def test_a_file_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    """It has its name once it is whole."""

    def write() -> None:
        with WarcFileWriter(tmp_path / "b.warc.gz", "scops/0", name="b.warc.gz") as writer:
            writer.add(URL, version(1, body=BODY))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()

    assert [] == list(tmp_path.glob("b.*"))


def test_memory_does_not_grow_with_the_index() -> None:
    """Lines are held on the disk, also while they are sorted."""
    peaks = []
    for count in (2_000, 40_000):
        with RecordIndex() as index:
            before = _resident_mb()
            for number in range(count):
                index.add(f"https://a.test/{number * 7919 % count}", AT, {"title": "x" * 600})
            read = sum(1 for _ in index.by_key())
            peaks.append(_resident_mb() - before)
        assert count == read

    assert peaks[1] < 12


def _resident_mb() -> float:
    return float(psutil.Process().memory_info().rss) / 2**20
