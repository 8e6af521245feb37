"""WARC files are a way in: the versions of a live crawl, at their dates, once whatever happens."""

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from examples.site_server import SiteServer
from scops.client import Boundary, Scops
from tests.e2e.system import System
from tests.fakes.files.range_server import RangeServer
from tests.fakes.files.warc_files import WHEN, WarcMaker

CRAWL_SECONDS = 120.0
MARCH, APRIL, MAY = (datetime(2024, month, 1, 12, tzinfo=UTC) for month in (3, 4, 5))


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    server = SiteServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """An installation that asks no server of the web."""
    with System(tmp_path_factory.mktemp("warc")) as running, Scops(running.address) as scops:
        scops.create_scope("bulk", seeds=["https://bulk.test/"], boundary=Boundary.HOST)
        yield running


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, site: SiteServer) -> Iterator[System]:
    """An installation that has crawled both editions of the example site."""
    with System(tmp_path_factory.mktemp("live")) as running, Scops(running.address) as scops:
        scops.create_scope("tarn", seeds=[f"{site.origin}/"], boundary=Boundary.HOST)
        for edition in (1, 2):
            site.edition = edition
            scops.wait_job(scops.crawl("tarn"), seconds=CRAWL_SECONDS)
        yield running


def recorded(warc: WarcMaker, url: str, at: datetime) -> None:
    """Adds what a server answers, as a crawler records it."""
    try:
        with urlopen(url) as answer:
            headers, body, status = answer.headers.items(), answer.read(), "200 OK"
    except HTTPError as error:
        headers, body, status = error.headers.items(), b"", f"{error.code} {error.reason}"
    warc.response(url, body, status=status, headers=tuple(headers), at=at)


def pages(scope: str, system: System) -> dict[str, Any]:
    """Returns the standing pages of a scope by URL."""
    with Scops(system.address) as scops:
        listed = list(scops.list_pages(scope))
    return {page.uri: page for page in listed if page.status in ("fetched", "unmodified")}


def texts(system: System, urls: list[str]) -> dict[str, list[str]]:
    """Returns the digests of the texts of each page's versions, oldest first."""
    with Scops(system.address) as scops:
        histories = {url: scops.page_history(url).versions for url in urls}
    return {
        url: [one.text_digest for one in sorted(found, key=lambda one: one.observed_from_time)]
        for url, found in histories.items()
    }


def test_what_was_crawled_and_what_was_recorded_are_the_same(
    live: System, system: System, site: SiteServer, tmp_path: Path
) -> None:
    """Versions, texts and chunks; dated by their records, and the later file may come first."""
    urls = sorted(pages("tarn", live))
    for edition, at in ((1, MARCH), (2, APRIL)):
        warc, site.edition = WarcMaker(), edition
        for url in urls:
            recorded(warc, url, at)
        warc.response("https://elsewhere.test/", b"<p>Not ours.</p>", at=at)
        warc.save(tmp_path / f"edition-{edition}.warc.gz")
    with Scops(system.address) as scops:
        scops.create_scope("tarn", seeds=[f"{site.origin}/"], boundary=Boundary.HOST)
    named = [str(tmp_path / f"edition-{edition}.warc.gz") for edition in (2, 1)]
    done = system.run("import", "warc", *named, "--scope", "tarn")
    again = system.run("import", "warc", str(tmp_path), "--scope", "tarn")
    ours, theirs = texts(live, urls), texts(system, urls)
    price = f"{site.origin}/policies/prices.html"
    with Scops(system.address) as scops:
        history = scops.page_history(price)
        answer = scops.answer("How much does the River plan cost?", "tarn")

    assert 0 == done.code, done.err
    assert 2 == done.json["left_out"]["outside of the scope"]
    assert done.json["records"] - 2 == again.json["known"] == again.json["records"] - 2
    assert ours == theirs
    assert any(len(one) > 1 for one in ours.values())
    assert sorted(live.chunks_by_url()) == sorted(system.chunks_by_url())
    assert {MARCH, APRIL} == {one.observed_from_time for one in history.versions}
    assert {"warc:edition-2.warc.gz"} == {one.captured_by for one in answer.citations}


def test_a_page_is_moved_gone_repeated_and_back_as_its_records_say(
    system: System, tmp_path: Path
) -> None:
    """Redirects give names, 404 closes, a revisit verifies, and one of another page is a page."""
    old, new, twin = (f"https://bulk.test/{name}" for name in ("old", "new", "twin"))
    body = b"<html><title>Otter</title><body><p>The otter tariff costs 12 euros.</p></body></html>"
    warc = WarcMaker()
    warc.response(old, status="301 Moved", headers=(("Location", "/new"),), at=MARCH)
    warc.response(new, body, at=MARCH)
    warc.revisit(new, of=new, first=MARCH, at=APRIL)
    warc.revisit(twin, of=new, first=MARCH, at=APRIL)
    warc.response(new, status="410 Gone", at=MAY)
    done = system.run(
        "import", "warc", str(warc.save(tmp_path / "moves.warc.gz")), "--scope", "bulk"
    )
    with Scops(system.address) as scops:
        page, again = scops.get_page(old), scops.get_page(twin)
        (version,) = scops.page_history(new).versions
        answer = scops.answer("How much does the otter tariff cost?", "bulk")

    assert 0 == done.code, done.err
    said = done.json
    assert (5, 2, 1, 1, 1) == tuple(
        said[name] for name in ("records", "indexed", "unchanged", "gone", "redirects")
    )
    assert (new, "gone") == (page.uri, page.status)
    assert twin == again.uri
    assert (MARCH, MAY) == (version.observed_from_time, version.observed_to_time)
    assert [twin] == [one.uri for one in answer.citations]


def test_what_is_exported_is_known_when_it_comes_back(system: System, tmp_path: Path) -> None:
    """Bodies as they came, at their instants; a WACZ file holds what the WARC file does."""
    url = "https://bulk.test/marten"
    warc = WarcMaker()
    for number, at in enumerate((MARCH, APRIL), 1):
        warc.response(url, f"<p>The marten tariff costs {number} euros.</p>".encode(), at=at)
    first = system.run(
        "import", "warc", str(warc.save(tmp_path / "marten.warc.gz")), "--scope", "bulk"
    )
    made = [
        system.run("export", kind, str(tmp_path / f"out.{ending}"), "--scope", "bulk")
        for kind, ending in (("warc", "warc.gz"), ("wacz", "wacz"))
    ]
    again = [
        system.run("import", "warc", str(tmp_path / f"out.{ending}"), "--scope", "bulk")
        for ending in ("warc.gz", "wacz")
    ]
    refused = system.run("export", "warc", str(tmp_path / "out.warc.gz"), "--scope", "bulk")

    assert [0, 0, 0, 0, 0] == [one.code for one in (first, *made, *again)]
    assert made[0].json["bodies"] == made[1].json["bodies"] >= 2
    assert 0 == made[0].json["texts"]
    for one in again:
        assert one.json["records"] == one.json["known"]
    assert again[0].json["known"] >= made[0].json["bodies"]
    assert "EXPORT_EXISTS" == refused.json["error"]["reason"]


def test_what_an_index_names_comes_by_its_ranges(system: System) -> None:
    """Of a file at a URL; done again, all of it is known, and a changed index is damage."""
    warc, lines = WarcMaker(), []
    for url in (
        "https://bulk.test/index/1",
        "https://elsewhere.test/",
        "https://bulk.test/index/2",
    ):
        start = len(warc.data)
        warc.response(url, f"<p>The badger at {url} sleeps until nine.</p>".encode())
        placed = {"offset": start, "length": len(warc.data) - start, "filename": "x.warc.gz"}
        lines.append(f"key 20240301120000 {json.dumps({'url': url, **placed})}\n")
    with closing(RangeServer()) as server:
        server.files = {"/x.warc.gz": warc.data, "/i.cdxj": "".join(lines).encode()}
        words = ("import", "warc", "--index", f"{server.origin}/i.cdxj", "--scope", "bulk")
        done, again = system.run(*words), system.run(*words)
        ranges = [part for path, part in server.asked if path == "/x.warc.gz"]
        server.files["/x.warc.gz"] = bytes(len(warc.data))
        damaged = system.run(*words)
    with Scops(system.address) as scops:
        (version,) = scops.page_history("https://bulk.test/index/2").versions

    assert 0 == done.code, done.err
    assert (3, 2) == (done.json["records"], done.json["indexed"])
    assert {"outside of the scope": 1} == done.json["left_out"]
    assert 2 == again.json["known"]
    assert 4 == len(ranges)
    assert all(ranges)
    assert WHEN == version.observed_from_time
    assert 6 == damaged.code
    assert ["x.warc.gz"] == list(json.loads(damaged.out.splitlines()[0])["damaged"])
