"""Segments of a folder: what any WARC tool reads, what a crash leaves, what a drop takes."""

import asyncio
import io
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator

from scops.common.archive import groups, metrics, segment_erasure
from scops.common.archive.opening import CheckedArchive, open_archive
from scops.common.archive.ports import Exchange, NewBlob
from scops.common.archive.warc_records import filler, found_blobs
from scops.common.contract.errors import BlobMissing, StoreUnavailable
from scops.common.contract.ids import sha256_hex
from scops.common.contract.messages.types import BodyRef
from tests.fakes.files.archives import holders, opened, segments

EXCHANGE = Exchange(
    url="https://a.test/page?x=1",
    request_line="GET /page?x=1 HTTP/1.1",
    request_headers=(("Host", "a.test"), ("Authorization", "Bearer 1234"), ("Accept", "*/*")),
    status_line="HTTP/1.1 200 OK",
    response_headers=(
        ("Content-Type", "text/html"),
        ("Content-Encoding", "gzip"),
        ("Content-Length", "17"),
        ("Set-Cookie", "session=1234"),
        ("X-Odd", "two\r\n lines"),
    ),
)


@pytest.fixture
async def archive(tmp_path: Path) -> AsyncIterator[CheckedArchive]:
    found = opened(tmp_path)
    yield found
    found.close()


def _blob(data: bytes, exchange: Exchange | None = None) -> NewBlob:
    return NewBlob(data=data, media_type="text/html", charset="utf-8", exchange=exchange)


async def _drop(archive: CheckedArchive, ref: BodyRef) -> None:
    await archive.set_aside(ref.digest)
    await archive.drop_aside(ref.digest)


@pytest.mark.parametrize("is_closed", [False, True])
async def test_any_warc_tool_reads_a_segment(
    tmp_path: Path, archive: CheckedArchive, *, is_closed: bool
) -> None:
    """Also one of which something was dropped: request and response, digests that hold."""
    gone, _, kept = await archive.put_many(
        [_blob(b"<p>gone</p>", EXCHANGE), _blob(b"text"), _blob(b"<p>kept</p>", EXCHANGE)]
    )
    await _drop(archive, gone)
    if is_closed:
        archive.close()
    (path,) = segments(tmp_path)
    records = list(ArchiveIterator(io.BytesIO(path.read_bytes()), parse_http=True))
    checked = subprocess.run(
        [Path(sys.executable).with_name("warcio"), "check", "-v", path],
        capture_output=True,
        text=True,
        check=True,
    )

    kinds = [record.headers["WARC-Type"] for record in records]
    assert ["warcinfo", "metadata", "resource", "response", "request"] == kinds
    assert "digest pass" in checked.stdout
    assert "fail" not in checked.stdout
    response, request = records[3:]
    assert EXCHANGE.url == response.headers["WARC-Target-URI"]
    assert response.headers["WARC-Record-ID"] == request.headers["WARC-Concurrent-To"]
    assert b"<p>kept</p>" == await archive.get(kept)


async def test_headers_are_those_that_were_sent_without_secrets(
    tmp_path: Path, archive: CheckedArchive
) -> None:
    """What says how the body came over the wire is renamed, since it lies there decoded."""
    await archive.put_many([_blob(b"<p>body</p>", EXCHANGE)])
    (path,) = segments(tmp_path)
    found = {}
    for record in ArchiveIterator(io.BytesIO(path.read_bytes()), parse_http=True):
        if record.is_http:
            found[record.headers["WARC-Type"]] = (dict(record.http_headers), record.reader.read())

    headers, body = found["response"]
    assert b"<p>body</p>" == body
    assert {
        "Content-Type": "text/html",
        "X-Archive-Orig-Content-Encoding": "gzip",
        "X-Archive-Orig-Content-Length": "17",
        "X-Odd": "two   lines",
    } == headers
    assert {"Host": "a.test", "Accept": "*/*"} == found["request"][0]
    assert not holders(tmp_path, b"1234")


async def test_those_who_put_at_once_share_a_group(archive: CheckedArchive) -> None:
    """A hundred writers wait for the disk a few times, not a hundred times."""
    before = metrics.ARCHIVE_GROUPS._value.get()
    bodies = [b"body %d" % number for number in range(100)]
    refs = await asyncio.gather(*(archive.put(b, media_type="text/html") for b in bodies))
    shared = metrics.ARCHIVE_GROUPS._value.get() - before

    assert 1 <= shared <= 3
    assert bodies == [await archive.get(ref) for ref in refs]


async def test_the_patient_wait_for_others(
    archive: CheckedArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not longer than they may, with nobody to join them."""
    monkeypatch.setattr(groups, "LINGER_SECONDS", 0.3)
    started = time.monotonic()
    await archive.put_many([_blob(b"patient")], patient=True)

    assert time.monotonic() - started >= 0.3


async def test_the_patient_wait_on_while_others_come(
    archive: CheckedArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each that comes in time is waited for, and all of them not longer than the longest wait."""
    monkeypatch.setattr(groups, "LINGER_SECONDS", 3600.0)
    monkeypatch.setattr(groups, "LINGER_SECONDS_MAX", 2.0)
    before, started = metrics.ARCHIVE_GROUPS._value.get(), time.monotonic()
    puts = []
    for number in range(5):
        puts.append(
            asyncio.create_task(archive.put_many([_blob(b"in turn %d" % number)], patient=True))
        )
        await asyncio.sleep(0.01)
    await asyncio.gather(*puts)

    assert 1 == metrics.ARCHIVE_GROUPS._value.get() - before
    assert time.monotonic() - started >= 2.0


async def test_nobody_else_waits(archive: CheckedArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do the patient once enough have come, or one who is not patient."""
    for name in ("LINGER_SECONDS", "LINGER_SECONDS_MAX"):
        monkeypatch.setattr(groups, name, 3600.0)
    many = [_blob(b"%d" % number) for number in range(groups.GROUP_BLOBS)]
    async with asyncio.timeout(60):
        await archive.put(b"alone", media_type="text/html")
        await archive.put_many(many, patient=True)
        refs, _ = await asyncio.gather(
            archive.put_many([_blob(b"joined")], patient=True),
            archive.put_many([_blob(b"joins")]),
        )

    assert b"joined" == await archive.get(refs[0])


async def test_what_is_dropped_is_gone_from_the_disk(
    tmp_path: Path, archive: CheckedArchive
) -> None:
    """At once, with the head of its answer; those beside it stay where they are."""
    secret = Exchange(
        url="https://a.test/",
        request_line="GET / HTTP/1.1",
        request_headers=(),
        status_line="HTTP/1.1 200 OK",
        response_headers=(("Content-Disposition", "unspeakable.pdf"),),
    )
    before, ref, after = await archive.put_many(
        [_blob(b"before"), _blob(b"unspeakable words", secret), _blob(b"after")]
    )
    await archive.set_aside(ref.digest)
    aside = holders(tmp_path, b"unspeakable")
    await archive.drop_aside(ref.digest)

    assert aside
    assert not holders(tmp_path, b"unspeakable")
    with pytest.raises(BlobMissing):
        await archive.get(ref)
    assert [b"before", b"after"] == [await archive.get(one) for one in (before, after)]


async def test_setting_aside_twice_leaves_nothing_of_the_first(
    tmp_path: Path, archive: CheckedArchive
) -> None:
    """What is put again after it was set aside is a record of its own, and each is dropped."""
    ref = await archive.put(b"unspeakable", media_type="text/html")
    await archive.set_aside(ref.digest)
    await archive.put(b"unspeakable", media_type="text/html")
    await _drop(archive, ref)

    assert not holders(tmp_path, b"unspeakable")


async def test_a_segment_that_is_mostly_dropped_is_compacted(
    tmp_path: Path, archive: CheckedArchive
) -> None:
    """What lives moves to another segment and is found there, also by who looked before."""
    bodies = [os.urandom(2000) for _ in range(20)]
    refs = await archive.put_many([_blob(body, EXCHANGE) for body in bodies])
    aside = await archive.put(b"set aside", media_type="text/html")
    await archive.set_aside(aside.digest)
    reader = opened(tmp_path)
    assert bodies[0] == await reader.get(refs[0])
    (old,) = segments(tmp_path)
    size = old.stat().st_size
    archive.close()
    for ref in refs[5:]:
        await _drop(archive, ref)
    (new,) = segments(tmp_path)

    assert old != new
    assert bodies[:5] == [await reader.get(ref) for ref in refs[:5]]
    assert b"set aside" == await reader.get(aside)
    assert new.stat().st_size < 0.6 * size
    reader.close()


async def test_a_segment_of_which_nothing_is_left_goes(
    tmp_path: Path, archive: CheckedArchive
) -> None:
    """The one that is appended to stays."""
    ref = await archive.put(b"x" * 5000, media_type="text/html")
    archive.close()
    await _drop(archive, ref)

    assert not segments(tmp_path)
    assert b"more" == await archive.get(await archive.put(b"more", media_type="text/html"))


async def test_a_put_again_adds_no_bytes(tmp_path: Path, archive: CheckedArchive) -> None:
    """It renews the time of what lies there."""
    ref = await archive.put(b"same" * 1000, media_type="text/html")
    first = await archive.touched(ref.digest)
    size = segments(tmp_path)[0].stat().st_size
    await archive.put(b"same" * 1000, media_type="text/html")
    second = await archive.touched(ref.digest)

    assert first is not None
    assert second is not None
    assert second > first
    assert size == segments(tmp_path)[0].stat().st_size


async def test_blobs_of_an_earlier_release_are_read_and_dropped(tmp_path: Path) -> None:
    """They are files of their own; what is put again lies in a segment, and both go."""
    url = f"file://{tmp_path}"
    old, both = await open_archive(url, "main", in_segments=False).put_many(
        [_blob(b"old"), _blob(b"unspeakable")]
    )
    archive = open_archive(url, "main")
    assert b"old" == await archive.get(old)
    assert await archive.touched(old.digest) is not None
    await archive.put(b"unspeakable", media_type="text/html")
    assert 2 == len(holders(tmp_path, b"unspeakable"))
    await _drop(archive, both)

    assert not holders(tmp_path, b"unspeakable")
    assert b"old" == await archive.get(old)
    archive.close()


async def test_processes_never_share_a_segment(tmp_path: Path) -> None:
    """Each reads what the other put, and the same bytes of both are one blob."""
    one, two = opened(tmp_path), opened(tmp_path)
    first, same = await one.put_many([_blob(b"first"), _blob(b"same")])
    second, again = await two.put_many([_blob(b"second"), _blob(b"same")])

    assert 2 == len(segments(tmp_path))
    assert b"first" == await two.get(first)
    assert b"second" == await one.get(second)
    assert same == again
    assert 1 == len(holders(tmp_path, b"same"))
    one.close()
    two.close()


CRASH = """
import asyncio, os, sys
from scops.common.archive import segment_files, segment_index
from scops.common.archive.opening import open_archive

async def main():
    archive = open_archive(sys.argv[1], "main")
    await archive.put(b"acknowledged", media_type="text/html")
    {crash}
    await archive.put(b"never acknowledged", media_type="text/html")

asyncio.run(main())
"""
CRASHES = {
    "amid the bytes": """
    def torn(descriptor, data, start):
        os.pwrite(descriptor, data[:len(data) // 2], start)
        os._exit(9)
    segment_files.write_all_at = torn""",
    "before the commit": """
    def dead(*_):
        os._exit(9)
    segment_index.SegmentIndex.set_size = dead""",
}


@pytest.mark.parametrize("crash", CRASHES)
async def test_what_a_crash_left_is_cut_off(tmp_path: Path, crash: str) -> None:
    """What was acknowledged is there; the next process closes the segment of the dead one."""
    script = CRASH.format(crash=CRASHES[crash])
    ended = subprocess.run([sys.executable, "-c", script, f"file://{tmp_path}"], check=False)
    (path,) = segments(tmp_path)
    torn = path.stat().st_size
    archive = opened(tmp_path)
    await archive.put(b"later", media_type="text/html")

    assert 9 == ended.returncode
    assert torn > path.stat().st_size
    assert [b"acknowledged"] == [
        path.read_bytes()[blob.start + blob.payload :][: blob.size]
        for blob in found_blobs(path.read_bytes())
    ]
    assert b"acknowledged" == await archive.get(BodyRef(digest=sha256_hex(b"acknowledged")))
    with pytest.raises(BlobMissing):
        await archive.get(BodyRef(digest=sha256_hex(b"never acknowledged")))
    assert 2 == len(segments(tmp_path))
    archive.close()


async def test_a_full_disk_acknowledges_nothing_and_breaks_nothing(
    tmp_path: Path, archive: CheckedArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was put before is there, and what is put afterwards too."""
    kept = await archive.put(b"kept", media_type="text/html")

    def full(descriptor: int, data: bytes, start: int) -> None:
        os.pwrite(descriptor, data[:5], start)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("scops.common.archive.segment_files.write_all_at", full)
        with pytest.raises(StoreUnavailable, match="No space left"):
            await archive.put(b"lost", media_type="text/html")
    later = await archive.put(b"later", media_type="text/html")

    assert [b"kept", b"later"] == [await archive.get(one) for one in (kept, later)]


async def test_a_lost_index_is_made_of_the_segments(tmp_path: Path) -> None:
    """Nothing that was dropped comes back, and a torn end is no blob."""
    archive = opened(tmp_path)
    blobs = [_blob(b"<p>one</p>", EXCHANGE), _blob(b"gone"), _blob(b"three"), _blob(b"")]
    refs = await archive.put_many(blobs)
    await _drop(archive, refs[1])
    archive.close()
    (path,) = segments(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[len(whole) // 2 :][:50])
    path.with_name("index.db").unlink()
    archive = opened(tmp_path)

    for ref, blob in zip(refs, blobs, strict=True):
        if blob.data != b"gone":
            assert blob.data == await archive.get(ref)
    with pytest.raises(BlobMissing):
        await archive.get(refs[1])
    await _drop(archive, refs[0])
    assert not holders(tmp_path, b"<p>one</p>")
    archive.close()


async def test_a_drop_that_a_crash_interrupted_is_done_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index knows what is dead before it is written over."""
    archive = opened(tmp_path)
    ref = await archive.put(b"unspeakable", media_type="text/html")
    await archive.set_aside(ref.digest)

    def crash(*_: object) -> None:
        raise OSError("crash")

    with monkeypatch.context() as patch:
        patch.setattr(segment_erasure, "overwrite", crash)
        with pytest.raises(StoreUnavailable):
            await archive.drop_aside(ref.digest)
    archive.close()
    left = holders(tmp_path, b"unspeakable")
    later = opened(tmp_path)
    await later.drop_aside(ref.digest)

    assert left
    assert not holders(tmp_path, b"unspeakable")
    later.close()


async def test_an_index_that_cannot_be_read_is_the_store_s_fault(tmp_path: Path) -> None:
    """It is no reason to give a message up."""
    archive = opened(tmp_path)
    ref = await archive.put(b"there", media_type="text/html")
    archive.close()
    index = segments(tmp_path)[0].with_name("index.db")
    index.write_bytes(b"no database" * 100)

    with pytest.raises(StoreUnavailable):
        await opened(tmp_path).get(ref)


@pytest.mark.parametrize("length", [*range(260, 1300), 10_240, 100_300, 1_000_300])
def test_a_filler_has_the_length_of_what_it_replaces(length: int) -> None:
    """Whatever number of digits its own length has."""
    data = filler(length, datetime(2026, 1, 1, tzinfo=UTC))
    (record,) = ArchiveIterator(io.BytesIO(data))

    assert length == len(data)
    assert "metadata" == record.headers["WARC-Type"]


async def test_rows_of_a_commit_that_failed_are_not_there(
    tmp_path: Path, archive: CheckedArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is on the disk is not known: the segment is not appended to again."""
    kept = await archive.put(b"kept", media_type="text/html")

    def fails(*_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr("scops.common.archive.segment_index.SegmentIndex.set_size", fails)
        with pytest.raises(StoreUnavailable, match="disk I/O error"):
            await archive.put(b"lost", media_type="text/html")
    later = await archive.put(b"later", media_type="text/html")

    assert [b"kept", b"later"] == [await archive.get(one) for one in (kept, later)]
    assert 2 == len(segments(tmp_path))
    assert not holders(tmp_path, b"lost")
