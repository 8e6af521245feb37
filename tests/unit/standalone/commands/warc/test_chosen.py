"""Of the records that an index names only those are read that the scope holds."""

import gzip
import json
import zipfile
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scops.common.contract.messages.types import RuleKind, Scope, ScopeRule
from scops.standalone.commands.warc.chosen import ChosenRecords
from scops.standalone.commands.warc.records import Observed, Passed, WarcReader
from scops.standalone.commands.warc.served import Served
from scops.standalone.commands.warc.wanted import WantedPages
from scops.standalone.commands.warc.web_files import WebFiles
from tests.fakes.files.range_server import RangeServer
from tests.fakes.files.warc_files import WHEN, WarcMaker

OURS, THEIRS = "https://a.test/", "https://b.test/"
WANTED = WantedPages(Scope(rules=(ScopeRule(kind=RuleKind.PREFIX, pattern="a.test"),)))


@pytest.fixture
def server() -> Iterator[RangeServer]:
    with closing(RangeServer()) as running:
        yield running


@pytest.fixture
def web() -> Iterator[WebFiles]:
    with closing(WebFiles(sleep=lambda _: None)) as opened:
        yield opened


class Crawl:
    """A WARC file with records of two sites, and the lines of its index."""

    def __init__(self) -> None:
        warc, self.lines, self.places = WarcMaker(), list[str](), list[tuple[int, int]]()
        for url in (f"{OURS}1", f"{THEIRS}1", f"{OURS}2", f"{OURS}3", f"{THEIRS}2"):
            start = len(warc.data)
            warc.response(url, f"<p>This is {url}.</p>".encode())
            self.places.append((start, len(warc.data) - start))
            fields = {"url": url, "filename": "crawl/x.warc.gz", "status": "200"}
            placed = {"offset": str(start), "length": str(len(warc.data) - start)}
            self.lines.append(f"test,a)/ 20240301120000 {json.dumps(fields | placed)}\n")
        self.data = warc.data

    @property
    def index(self) -> bytes:
        """The lines, in another order than that of the file."""
        return "".join(reversed(self.lines)).encode()


def read(
    indexes: list[str], web: WebFiles, base: str = ""
) -> tuple[list[str], list[str], list[str]]:
    """Returns the URLs of what was taken, why others were not, and what is damaged."""
    taken, left_out, damaged = [], [], []

    with closing(ChosenRecords(WANTED, web)) as chosen:
        reader = WarcReader(WANTED.admits, now=WHEN)
        for source in chosen.sources(indexes, base):
            try:
                for one in source.read(reader):
                    if isinstance(one, Passed):
                        left_out.append(one.why)
                    elif isinstance(one, Observed):
                        assert isinstance(one.showed, Served)
                        assert one.url.encode() in one.showed.body
                        taken.append(one.url)
            except OSError as error:
                damaged.append(str(error))
    return taken, left_out, damaged


@pytest.mark.parametrize("packed", [False, True])
def test_of_a_folder_the_places_of_our_records_are_read(
    tmp_path: Path, web: WebFiles, packed: bool
) -> None:
    """In the order of the file; files of an index lie below its folder."""
    crawl = Crawl()
    (tmp_path / "crawl").mkdir()
    # What is not ours is no record at all here.
    data = bytearray(crawl.data)
    for number in (1, 4):
        start, length = crawl.places[number]
        data[start : start + length] = bytes(length)
    (tmp_path / "crawl/x.warc.gz").write_bytes(data)
    index = tmp_path / "index.cdxj.gz"
    index.write_bytes(gzip.compress(crawl.index) if packed else crawl.index)
    taken, left_out, damaged = read([str(index)], web)

    assert [f"{OURS}{number}" for number in (1, 2, 3)] == taken
    assert ["outside of the scope"] * 2 == left_out
    assert [] == damaged


def test_of_a_url_only_the_ranges_of_our_records_are_asked_for(
    server: RangeServer, web: WebFiles
) -> None:
    """Neighbours by one request, all over one connection."""
    crawl = Crawl()
    server.files = {"/crawl/x.warc.gz": crawl.data, "/paths/index.cdxj": crawl.index}
    taken, _, damaged = read([f"{server.origin}/paths/index.cdxj"], web, base=server.origin)
    (first, alone), (second, _), (third, last) = (crawl.places[number] for number in (0, 2, 3))

    assert [f"{OURS}{number}" for number in (1, 2, 3)] == taken
    assert [] == damaged
    assert [
        ("/paths/index.cdxj", ""),
        ("/crawl/x.warc.gz", f"bytes={first}-{first + alone - 1}"),
        ("/crawl/x.warc.gz", f"bytes={second}-{third + last - 1}"),
    ] == server.asked
    assert 1 == len(server.connections)


def test_what_an_index_server_answers_is_an_index(server: RangeServer, web: WebFiles) -> None:
    """Lines of JSON alone, as Common Crawl's and pywb's give them."""
    crawl = Crawl()
    lines = "".join(line.split(" ", 2)[2] for line in crawl.lines)
    server.files = {"/crawl/x.warc.gz": crawl.data, "/index": lines.encode()}
    taken, _, _ = read([f"{server.origin}/index?url=a.test/*&output=json"], web, server.origin)

    assert 3 == len(taken)


@pytest.mark.parametrize(
    "tags", [('"one"', '"two"'), ('W/"one"', 'W/"two"'), ("", "")], ids=["strong", "weak", "none"]
)
def test_a_file_that_changed_between_two_parts_is_noticed(
    server: RangeServer, web: WebFiles, tags: tuple[str, str]
) -> None:
    """By If-Range, by its ETag, or by its size; nothing more of it is read."""
    crawl = Crawl()
    path = "/x.warc.gz"
    server.files, server.tags = {path: crawl.data}, {path: tags[0]}
    web.part(f"{server.origin}{path}", 0, 10)
    server.files, server.tags = {path: crawl.data + b"more"}, {path: tags[1]}

    with pytest.raises(OSError, match="changed while it was read"):
        web.part(f"{server.origin}{path}", 10, 10)


def test_a_busy_server_is_asked_again_when_it_says(server: RangeServer) -> None:
    """Retry-After is obeyed; where it asks for too long, that is said."""
    slept: list[float] = []
    server.files = {"/x": b"0123456789"}
    server.busy = [(503, "7"), (429, "")]
    with closing(WebFiles(sleep=slept.append)) as web:
        data = web.part(f"{server.origin}/x", 2, 3)
        server.busy = [(503, "3600")]
        with pytest.raises(OSError, match="ask again in 3600 s"):
            web.part(f"{server.origin}/x", 2, 3)

    assert b"234" == data
    assert [7.0, 2.0] == slept


def test_what_is_not_there_is_said_of_its_file(server: RangeServer, web: WebFiles) -> None:
    """Missing files, an index of another file, a server that gives no parts; others are read."""
    crawl = Crawl()
    moved = crawl.index.replace(b"crawl/x.warc.gz", b"crawl/y.warc.gz")
    short = crawl.index.replace(b"crawl/x.warc.gz", b"crawl/z.warc.gz")
    server.files = {
        "/crawl/x.warc.gz": crawl.data,
        "/crawl/y.warc.gz": bytes(len(crawl.data)),
        "/index.cdxj": crawl.index + moved + short,
    }
    taken, _, damaged = read([f"{server.origin}/index.cdxj"], web)
    server.takes_ranges = False
    none, _, whole = read([f"{server.origin}/index.cdxj"], web)

    assert 3 == len(taken)
    assert [
        "no record lies at byte 0; the index is of another file",
        "answered 404 to a request for a part",
    ] == damaged
    assert [] == none
    assert "is not given in parts; download it first" in whole


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"filename": "../../etc/x.warc.gz"}, "in a file that does not lie below --base"),
        ({"filename": "https://evil.test/x"}, "in a file that does not lie below --base"),
        ({"length": "0"}, "without a place in the index"),
        ({"offset": "many"}, "without a place in the index"),
        ({"length": str(2**40)}, "bodies of more than"),
    ],
)
def test_lines_that_cannot_be_followed_are_left_out(
    tmp_path: Path, web: WebFiles, fields: dict[str, str], why: str
) -> None:
    """Counted by why."""
    line = {"url": OURS, "filename": "x.warc.gz", "offset": "0", "length": "10"} | fields
    index = tmp_path / "index.cdxj"
    index.write_text(f"!meta 0\n\ntest,a)/ 20240301120000 {json.dumps(line)}\n")
    _, left_out, damaged = read([str(index)], web)

    assert 1 == len(left_out)
    assert left_out[0].startswith(why)
    assert [] == damaged


@pytest.mark.parametrize("keyed", [True, False])
def test_of_a_parquet_index_only_row_groups_of_our_hosts_are_read(
    server: RangeServer, web: WebFiles, keyed: bool
) -> None:
    """By their least and greatest keys; without keys all rows are looked at."""
    crawl = Crawl()
    rows = [json.loads(line.split(" ", 2)[2]) for line in crawl.lines]
    sites = [("com", 40_000), ("test,a)", 0), ("test,zebra", 40_000)]
    placed = [_row(row["url"], "test,a)/", int(row["offset"]), int(row["length"])) for row in rows]
    groups = [
        placed if not count else [_row(f"{THEIRS}{n}", f"{key}/{n:06}", n, 9) for n in range(count)]
        for key, count in sites
    ]
    server.files = {
        "/crawl/x.warc.gz": crawl.data,
        "/part.parquet": _parquet(groups, [*groups[0][0]] if keyed else [*groups[0][0]][1:]),
    }
    taken, left_out, damaged = read([f"{server.origin}/part.parquet"], web)

    assert [f"{OURS}{number}" for number in (1, 2, 3)] == taken
    assert [] == damaged
    # Of the file's own group some rows are of others, which the rules tell.
    assert (2 if keyed else 80_002) == len(left_out)


@pytest.mark.parametrize("ending", ["cdxj", "cdx.gz"])
def test_of_a_wacz_file_the_records_are_read_that_its_index_names(
    server: RangeServer, web: WebFiles, ending: str
) -> None:
    """At a URL by ranges, of a folder by places; it must not pack its WARC files."""
    crawl = Crawl()
    lines = crawl.index.replace(b"crawl/x.warc.gz", b"x.warc.gz")
    lines += lines.splitlines()[0].replace(b"x.warc.gz", b"z.warc.gz").replace(b"b.test", b"a.test")
    for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        file = BytesIO()
        with zipfile.ZipFile(file, "w", kind) as packed:
            packed.writestr("pages/pages.jsonl", "{}")
            packed.writestr("archive/x.warc.gz", crawl.data)
            index = gzip.compress(lines) if ending.endswith("gz") else lines
            packed.writestr(f"indexes/index.{ending}", index)
        server.files[f"/{kind}.wacz"] = file.getvalue()
    taken, left_out, damaged = read([f"{server.origin}/{zipfile.ZIP_STORED}.wacz?signed=1"], web)
    _, _, packed_again = read([f"{server.origin}/{zipfile.ZIP_DEFLATED}.wacz"], web)

    assert [f"{OURS}{number}" for number in (1, 2, 3)] == taken
    assert [*["outside of the scope"] * 2, "without a place in the index"] == left_out
    assert [] == damaged
    assert all(part for _, part in server.asked)
    assert ["packs archive/x.warc.gz again; import it as a file"] == packed_again


def test_a_parquet_file_without_places_is_no_index(tmp_path: Path, web: WebFiles) -> None:
    """Such as Open Web Index's metadata, which names files alone."""
    index = tmp_path / "metadata.parquet"
    index.write_bytes(_parquet([[{"url": OURS, "warc_file": "x.warc.gz"}]], ["url", "warc_file"]))
    (tmp_path / "notes.parquet").write_text("no columns")
    found = [read([str(tmp_path / name)], web)[2] for name in ("metadata.parquet", "notes.parquet")]

    assert "has no column warc_filename, warc_record_offset" in found[0][0]
    assert "is no Parquet file" in found[1][0]


def _row(url: str, key: str, start: int, length: int) -> dict[str, object]:
    return {
        "url_surtkey": key,
        "url": url,
        "warc_filename": "crawl/x.warc.gz",
        "warc_record_offset": start,
        "warc_record_length": length,
    }


def _parquet(groups: list[list[dict[str, object]]], columns: list[str]) -> bytes:
    """Returns a Parquet file of so many row groups."""
    file = BytesIO()
    tables = [pa.Table.from_pylist(rows).select(columns) for rows in groups]
    with pq.ParquetWriter(file, tables[0].schema) as writer:
        for table in tables:
            writer.write_table(table)
    return file.getvalue()
