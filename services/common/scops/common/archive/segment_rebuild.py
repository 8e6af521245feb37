"""Opens the index of a folder's segments, and makes it anew from them where it is gone."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from scops.common.archive.local_files import make_folders, sync_folder
from scops.common.archive.segment_files import SegmentFile
from scops.common.archive.segment_index import BlobPlace, SegmentIndex, SegmentSpan

INDEX_FILE = "index.db"
LOCK_FILE = "index.lock"
SUFFIX = ".warc"
MICROSECOND = 1_000_000


def has_segments(folder: str) -> bool:
    """Returns whether anything was ever put into segments of a folder."""
    return os.path.exists(f"{folder}/{INDEX_FILE}") or bool(_names(folder))


def opened_index(folder: str) -> SegmentIndex:
    """Returns the index; one that is not there is made of what the segments say of themselves.

    Raises:
        OSError, sqlite3.Error: it cannot be opened or made.
    """
    path = f"{folder}/{INDEX_FILE}"
    if not os.path.exists(path):
        make_folders(folder)
        with alone(folder):
            if not os.path.exists(path):
                _make(folder, path)
    return SegmentIndex(path)


@contextmanager
def alone(folder: str) -> Iterator[None]:
    """Keeps out every other thread and process that asks for the same; they wait.

    Held for one step at most, and let go of by the system when the process ends.
    """
    descriptor = os.open(f"{folder}/{LOCK_FILE}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _make(folder: str, path: str) -> None:
    beside = f"{path}.new"
    for name in (beside, path):
        for leftover in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(f"{name}{leftover}")
    index = SegmentIndex(beside)
    index.create()
    for name in _names(folder):
        _read_segment(index, folder, name)
    index.close()
    os.replace(beside, path)
    sync_folder(folder)


def _read_segment(index: SegmentIndex, folder: str, name: str) -> None:
    from scops.common.archive.warc_records import found_blobs

    try:
        file = SegmentFile(f"{folder}/{name}")
    except BlockingIOError:
        # Its holder lives, and notes in an index that is gone; it is read when that has ended.
        return
    data = Path(folder, name).read_bytes()
    with index.writing():
        segment = index.add_segment(name, 0)
        size = 0
        for blob in found_blobs(data):
            place = BlobPlace(
                aside=False,
                put_time=int(blob.time.timestamp() * MICROSECOND),
                segment=segment,
                name=name,
                start=blob.start,
                length=blob.length,
                payload=blob.payload,
                size=blob.size,
            )
            size = blob.start + blob.length
            if not index.add(blob.digest, place):
                index.note_dead(SegmentSpan(segment, name, blob.start, blob.length))
        index.set_size(segment, size)
        index.close_segment(segment)
    file.close()


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))
    except FileNotFoundError:
        return []
