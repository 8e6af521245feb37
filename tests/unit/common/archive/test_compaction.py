"""Compaction of segments: nobody waits for it, and a kill at any moment loses nothing."""

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scops.common.archive import segment_compaction, segment_writer
from scops.common.archive.opening import CheckedArchive, segments_folder
from scops.common.archive.ports import NewBlob
from scops.common.archive.segment_store import SegmentStore
from scops.common.contract.errors import BlobMissing
from scops.common.contract.ids import sha256_hex
from scops.common.contract.messages.types import BodyRef
from tests.fakes.files.archives import holders, opened, segments

# Longer than what compaction moves in one step of these tests.
LIVES = [b"lives %d " % number * 300 for number in range(4)]
DROPPED = [b"unspeakable %d " % number * 300 for number in range(6)]


@pytest.fixture(autouse=True)
def _short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_compaction, "STEP_BYTES", 4000)


async def _put(archive: CheckedArchive, bodies: list[bytes]) -> list[BodyRef]:
    return list(
        await archive.put_many([NewBlob(data=body, media_type="text/html") for body in bodies])
    )


async def _nearly_dead(folder: Path) -> CheckedArchive:
    """An archive with a closed segment; one more drop makes it mostly dead."""
    archive = opened(folder)
    await _put(archive, LIVES + DROPPED)
    archive.close()
    for body in DROPPED:
        await archive.set_aside(sha256_hex(body))
    for body in DROPPED[:4]:
        await archive.drop_aside(sha256_hex(body))
    return archive


class _StoodStill:
    """Where a compaction stands, amid the bytes of its second step, until it may go on."""

    def __init__(self) -> None:
        self.is_there = threading.Event()
        self.may_go_on = threading.Event()


@contextmanager
def _standing(patch: pytest.MonkeyPatch) -> Iterator[_StoodStill]:
    stood = _StoodStill()

    def slowly(descriptor: int, data: bytes, start: int) -> None:
        if LIVES[2] in data:
            os.pwrite(descriptor, data[:100], start)
            stood.is_there.set()
            assert stood.may_go_on.wait(60)
        os.pwrite(descriptor, data, start)

    with patch.context() as patched:
        patched.setattr("scops.common.archive.segment_files.write_all_at", slowly)
        try:
            yield stood
        finally:
            stood.may_go_on.set()


async def test_nobody_waits_for_a_compaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it stands amid what it copies, one puts, reads, sets aside and takes back."""
    archive = await _nearly_dead(tmp_path)
    with _standing(monkeypatch) as stood:
        drop = asyncio.create_task(archive.drop_aside(sha256_hex(DROPPED[4])))
        async with asyncio.timeout(60):
            assert await asyncio.to_thread(stood.is_there.wait, 60)
            ref = await archive.put(b"now", media_type="text/html")
            await archive.set_aside(ref.digest)
            await archive.set_aside(sha256_hex(LIVES[2]))
            assert b"now" == await archive.get(ref)
            assert LIVES == [await archive.get(BodyRef(digest=sha256_hex(b))) for b in LIVES]
        assert not drop.done()
    await drop

    assert LIVES == [await archive.get(BodyRef(digest=sha256_hex(body))) for body in LIVES]
    assert 2 == len(segments(tmp_path))
    archive.close()


async def test_what_is_dropped_amid_a_compaction_is_gone_from_both_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was moved and still lies in the old file, and what is being copied."""
    archive, other = await _nearly_dead(tmp_path), opened(tmp_path)
    unlinked, may_unlink = threading.Event(), threading.Event()

    unlink = os.unlink

    def late(path: str) -> None:
        if path.endswith(".warc"):
            unlinked.set()
            assert may_unlink.wait(60)
        unlink(path)

    monkeypatch.setattr(os, "unlink", late)
    with _standing(monkeypatch) as stood:
        drop = asyncio.create_task(archive.drop_aside(sha256_hex(DROPPED[4])))
        assert await asyncio.to_thread(stood.is_there.wait, 60)
        for body in (LIVES[0], LIVES[2]):
            await other.set_aside(sha256_hex(body))
        others = [
            asyncio.create_task(other.drop_aside(sha256_hex(body))) for body in (LIVES[0], LIVES[2])
        ]
    try:
        assert await asyncio.to_thread(unlinked.wait, 60)
        await asyncio.gather(*others)
        assert 2 == len(segments(tmp_path))
        for body in (LIVES[0], LIVES[2]):
            assert not holders(tmp_path, body[:50])
    finally:
        may_unlink.set()
    await drop

    for body in (LIVES[1], LIVES[3]):
        assert body == await archive.get(BodyRef(digest=sha256_hex(body)))
    archive.close()
    other.close()


async def test_a_close_stops_a_compaction_after_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of it is done with the next drop."""
    archive = await _nearly_dead(tmp_path)
    with _standing(monkeypatch) as stood:
        drop = asyncio.create_task(archive.drop_aside(sha256_hex(DROPPED[4])))
        assert await asyncio.to_thread(stood.is_there.wait, 60)
        closing = asyncio.create_task(asyncio.to_thread(archive.close))
        await asyncio.sleep(0.05)
    await asyncio.gather(drop, closing)
    stopped = len(segments(tmp_path))
    await archive.drop_aside(sha256_hex(DROPPED[5]))

    assert 2 == stopped
    assert 1 == len(segments(tmp_path))
    assert LIVES == [await archive.get(BodyRef(digest=sha256_hex(body))) for body in LIVES]
    archive.close()


KILLED = """
import os, shutil, sqlite3, sys
from itertools import count
from pathlib import Path
from scops.common.archive import segment_compaction, segment_files
from scops.common.archive.segment_index import SegmentIndex
from scops.common.archive.segment_store import SegmentStore

folder, digest, left = Path(sys.argv[1]), bytes.fromhex(sys.argv[2]), 0
segment_compaction.STEP_BYTES = 4000

def counted(effect, *args):
    global left
    left -= 1
    if left == 0:
        os._exit(9)
    return effect(*args)

def torn(descriptor, data, start):
    counted(os.pwrite, descriptor, data[: len(data) // 2], start)
    counted(os.pwrite, descriptor, data, start)

class Counted(sqlite3.Connection):
    def execute(self, statement, *values):
        if statement != "COMMIT":
            return super().execute(statement, *values)
        return counted(super().execute, statement)

segment_files.write_all_at = torn
segment_files._sync = lambda descriptor: counted(os.fdatasync, descriptor)
unlink, sync_folder = os.unlink, segment_compaction.sync_folder
segment_compaction.sync_folder = lambda path: counted(sync_folder, path)
os.unlink = lambda path: counted(unlink, path)
SegmentIndex._connect = lambda self: sqlite3.connect(
    self._path, timeout=30, isolation_level=None, check_same_thread=False, factory=Counted
)
for number in count(1):
    copy = folder.with_name(f"killed-{number}")
    shutil.copytree(folder, copy)
    child = os.fork()
    if not child:
        left = number
        SegmentStore(f"{copy}/main/segments").drop_aside(digest)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 9:
        print(number)
        break
"""


async def test_a_kill_at_any_moment_of_a_compaction_loses_nothing(tmp_path: Path) -> None:
    """Before and after each write, sync, commit and removal: all is found, none comes back."""
    folder = tmp_path / "archive"
    (await _nearly_dead(folder)).close()
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder), sha256_hex(DROPPED[4])],
        capture_output=True,
        text=True,
        check=True,
    )
    killed = sorted(tmp_path.glob("killed-*"))

    assert int(ended.stdout) == len(killed)
    assert len(killed) > 20
    for copy in killed:
        archive = opened(copy)
        assert LIVES == [await archive.get(BodyRef(digest=sha256_hex(b))) for b in LIVES], copy
        await archive.drop_aside(sha256_hex(DROPPED[4]))
        await archive.set_aside(sha256_hex(LIVES[1]))
        await archive.drop_aside(sha256_hex(LIVES[1]))
        assert not holders(copy, DROPPED[4][:50]), copy
        assert not holders(copy, LIVES[1][:50]), copy
        assert len(segments(copy)) <= 2, copy
        left = [LIVES[0], LIVES[2], LIVES[3]]
        assert left == [await archive.get(BodyRef(digest=sha256_hex(b))) for b in left], copy
        with pytest.raises(BlobMissing):
            await archive.get(BodyRef(digest=sha256_hex(LIVES[1])))
        archive.close()
        shutil.rmtree(copy)


async def test_an_old_segment_is_closed_without_a_put(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also that of a compaction; an empty archive has nothing to close."""
    empty = opened(tmp_path / "empty")
    await empty.tidy()
    archive = await _nearly_dead(tmp_path)
    await archive.drop_aside(sha256_hex(DROPPED[4]))
    await archive.put(b"idle", media_type="text/html")
    await archive.tidy()
    store = SegmentStore(segments_folder(f"file://{tmp_path}", "main"))
    index = store._index(create=False)
    assert index is not None
    before = len(index.open_segments())
    monkeypatch.setattr(segment_writer, "SEGMENT_SECONDS", 0.0)
    await archive.tidy()

    assert not segments(tmp_path / "empty")
    assert [2, 0] == [before, len(index.open_segments())]
    assert b"idle" == await archive.get(BodyRef(digest=sha256_hex(b"idle")))
    store.close()
    archive.close()


async def test_what_a_dead_process_left_is_put_in_order_in_time(tmp_path: Path) -> None:
    """Without a drop that would do it."""
    archive, digest = opened(tmp_path), sha256_hex(b"unspeakable")
    await archive.put(b"unspeakable", media_type="text/html")
    store = SegmentStore(segments_folder(f"file://{tmp_path}", "main"))
    index = store._index(create=False)
    assert index is not None
    with index.writing():
        index.remove(bytes.fromhex(digest), aside=False)
    left = holders(tmp_path, b"unspeakable")
    await archive.tidy()

    assert left
    assert not holders(tmp_path, b"unspeakable")
    store.close()
    archive.close()
