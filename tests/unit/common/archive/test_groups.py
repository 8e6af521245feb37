"""Groups of blobs: who is in which, and how long they are."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from scops.common.archive import groups
from scops.common.archive.groups import Groups
from scops.common.archive.ports import NewBlob
from scops.common.archive.segment_store import BlobEntry, SegmentStore
from scops.common.contract.ids import sha256_hex


def _entry(data: bytes) -> BlobEntry:
    return BlobEntry(bytes.fromhex(sha256_hex(data)), NewBlob(data=data, media_type="text/plain"))


class _WatchedStore:
    """A store of segments that notes what it is given, and stands still until it may go on."""

    def __init__(self, folder: Path) -> None:
        self.store = SegmentStore(str(folder))
        self.groups: list[list[bytes]] = []
        self.began = threading.Event()
        self.may_go_on = threading.Event()

    def put(self, entries: Sequence[BlobEntry]) -> None:
        self.groups.append([entry.blob.data for entry in entries])
        self.began.set()
        assert self.may_go_on.wait(60)
        self.store.put(entries)


async def test_who_does_not_wait_is_next_after_the_group_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before patient blobs that came first; those have the room that is left."""
    monkeypatch.setattr(groups, "GROUP_BYTES", 100)
    watched = _WatchedStore(tmp_path)
    line = Groups(watched.put)
    patient = [b"%d" % number * 40 for number in range(5)]
    first = asyncio.create_task(line.add([_entry(data) for data in patient], patient=True))
    await asyncio.to_thread(watched.began.wait, 60)
    prompt = asyncio.create_task(line.add([_entry(b"now" * 10)], patient=False))
    await asyncio.sleep(0)
    watched.may_go_on.set()
    await asyncio.gather(first, prompt)

    assert [patient[:2], [b"now" * 10, patient[2]], patient[3:]] == watched.groups
    assert 6 == len(watched.store.digests())
    watched.store.close()


async def test_a_blob_longer_than_a_group_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A put ends when the last of its blobs is written, and not before."""
    monkeypatch.setattr(groups, "GROUP_BYTES", 100)
    watched = _WatchedStore(tmp_path)
    watched.may_go_on.set()
    blobs = [b"short", b"long" * 100, b"last"]
    await Groups(watched.put).add([_entry(data) for data in blobs], patient=False)

    assert [[data] for data in blobs] == watched.groups
    assert {sha256_hex(data) for data in blobs} == watched.store.digests()
    watched.store.close()


async def test_a_group_that_failed_fails_whoever_is_in_it(tmp_path: Path) -> None:
    """What comes after it is written."""
    store = SegmentStore(str(tmp_path / "file" / "segments"))
    (tmp_path / "file").write_bytes(b"no folder")
    line = Groups(store.put)

    with pytest.raises(OSError, match="file"):
        await line.add([_entry(b"lost")], patient=False)
    (tmp_path / "file").unlink()
    await line.add([_entry(b"kept")], patient=False)
    assert {sha256_hex(b"kept")} == store.digests()
    store.close()
