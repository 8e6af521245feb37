"""Blobs in the segments of a folder; every method blocks.

A segment has one holder, who appends to it and then closes it. Bytes are on the disk before the
index names them, and the index before a put returns: what lies behind the noted size was never
acknowledged, and is cut off by who finds its holder dead. What is dropped is written over at
once; a closed segment that is mostly dead gives what still lives to the holder's open one.
"""

import os
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scops.common.archive import metrics
from scops.common.archive.local_files import sync_folder
from scops.common.archive.ports import NewBlob
from scops.common.archive.segment_files import SegmentFile, overwrite, read_span
from scops.common.archive.segment_index import BlobPlace, SegmentIndex, SegmentRow, SegmentSpan
from scops.common.archive.segment_rebuild import SUFFIX, has_segments, opened_index

if TYPE_CHECKING:
    from scops.common.archive.warc_records import EncodedBlob

SEGMENT_BYTES = 64 * 1024 * 1024
SEGMENT_SECONDS = 600.0
# Moved at once; each is as long as a blob.
MOVED_BYTES = 8 * 1024 * 1024
MICROSECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class BlobEntry:
    """A blob that is to be put, with its digest."""

    digest: bytes
    blob: NewBlob


@dataclass(slots=True)
class _Open:
    """The segment that this process appends to."""

    id: int
    name: str
    file: SegmentFile
    size: int
    since: float


class SegmentStore:
    """The segments of a folder, shared with the stores of other processes."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._known: SegmentIndex | None = None
        self._open: _Open | None = None
        self._settled = False

    def find(self, digest: bytes, *, aside: bool | None = None) -> BlobPlace | None:
        """Returns where a blob lies; None where it lies in no segment.

        Raises:
            sqlite3.Error: the index cannot be read.
        """
        index = self._index(create=False)
        return None if index is None else index.find(digest, aside=aside)

    def read(self, place: BlobPlace) -> bytes | None:
        """Returns the bytes of a place; None where they are not there any more.

        Raises:
            OSError: they cannot be read.
        """
        return read_span(self._path(place.name), place.start + place.payload, place.size)

    def digests(self) -> set[str]:
        """Returns the digest of every blob in segments."""
        index = self._index(create=False)
        return set() if index is None else index.digests()

    def put(self, entries: Sequence[BlobEntry]) -> None:
        """Stores blobs; on return all of them are on the disk.

        Raises:
            OSError, sqlite3.Error: they cannot be written.
        """
        wanted = {entry.digest: entry for entry in entries}
        with self._lock:
            index = self._settled_index()
            while wanted:
                fresh = [entry for entry in wanted.values() if not self._is_whole(entry)]
                self._append(index, fresh)
                for entry in fresh:
                    del wanted[entry.digest]
                # What somebody sets aside meanwhile is made another time.
                for digest in self._renewed(index, list(wanted)):
                    del wanted[digest]
            metrics.ARCHIVE_BLOBS.inc(len(entries))

    def set_aside(self, digest: bytes) -> None:
        """Sets a blob aside."""
        if self.find(digest) is None:
            return
        with self._lock:
            index = self._settled_index()
            with index.writing():
                index.set_aside(digest)
            self._bury(index)

    def put_back(self, digest: bytes) -> None:
        """Takes back what was set aside."""
        with self._lock:
            index = self._settled_index()
            with index.writing():
                index.put_back(digest)

    def drop_aside(self, digest: bytes) -> None:
        """Removes what was set aside of a blob: on return its bytes are gone."""
        if self._index(create=False) is None:
            return
        with self._lock:
            index = self._settled_index()
            if self.find(digest, aside=True) is not None:
                with index.writing():
                    index.remove(digest, aside=True)
            self._bury(index)
            for row in index.mostly_dead():
                self._compact(index, row)

    def close(self) -> None:
        """Closes the open segment and the index; another call does nothing."""
        with self._lock:
            if self._open is not None and self._known is not None:
                self._close_segment(self._known)
            if self._known is not None:
                self._known.close()
                self._known = None
                self._settled = False

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def _index(self, *, create: bool) -> SegmentIndex | None:
        if self._known is None:
            with self._lock:
                if self._known is None and (create or has_segments(self._folder)):
                    self._known = opened_index(self._folder)
        return self._known

    def _settled_index(self) -> SegmentIndex:
        """Returns the index, after what dead holders left is put in order."""
        index = self._index(create=True)
        assert index is not None
        if not self._settled:
            for row in index.open_segments():
                self._settle(index, row)
            self._bury(index)
            self._settled = True
        return index

    def _settle(self, index: SegmentIndex, row: SegmentRow) -> None:
        """Closes a segment whose holder is dead, without what was not acknowledged."""
        try:
            file = SegmentFile(self._path(row.name))
        except BlockingIOError:
            return
        except FileNotFoundError:
            file = None
        if file is not None:
            # Its holder may have appended until a moment ago.
            file.cut(index.size_of(row.id))
            file.close()
        with index.writing():
            index.close_segment(row.id)

    def _is_whole(self, entry: BlobEntry) -> bool:
        """Returns whether a blob lies there already, byte for byte; what is damaged goes."""
        place = self.find(entry.digest, aside=False)
        if place is None:
            return False
        if self.read(place) == entry.blob.data:
            return True
        if self.find(entry.digest, aside=False) == place:
            index = self._settled_index()
            with index.writing():
                index.remove(entry.digest, aside=False)
        return False

    def _renewed(self, index: SegmentIndex, digests: Sequence[bytes]) -> list[bytes]:
        """Notes that blobs were put again; returns those that lie there."""
        if not digests:
            return []
        now = _now()
        with index.writing():
            return [digest for digest in digests if index.renew(digest, now)]

    def _append(self, index: SegmentIndex, fresh: Sequence[BlobEntry]) -> None:
        if not fresh:
            return
        # Imported here: a process that only reads needs none of it.
        from scops.common.archive.warc_records import encoded

        now = _now()
        at = datetime.fromtimestamp(now / MICROSECOND, UTC)
        records = [encoded(entry.blob, entry.digest, at) for entry in fresh]
        with self._appending(index, [record.data for record in records]) as (segment, start):
            for entry, record in zip(fresh, records, strict=True):
                place = _place(segment, start, record, len(entry.blob.data), now)
                if not index.add(entry.digest, place):
                    # Another process has put the same meanwhile.
                    index.renew(entry.digest, now)
                    index.note_dead(segment.id, start, len(record.data))
                start += len(record.data)
        metrics.ARCHIVE_GROUPS.inc()
        self._bury(index)

    @contextmanager
    def _appending(
        self, index: SegmentIndex, parts: Sequence[bytes]
    ) -> Iterator[tuple[_Open, int]]:
        """Appends bytes, and lets the caller note in one commit what lies where."""
        segment = self._open_segment(index)
        start = segment.size
        try:
            segment.file.write(start, parts)
            with index.writing():
                yield segment, start
                index.set_size(segment.id, start + sum(map(len, parts)))
        except BaseException:
            # Whether the commit is on the disk is not known: nothing may be written over it.
            segment.file.close()
            self._open, self._settled = None, False
            raise
        segment.size = start + sum(map(len, parts))

    def _open_segment(self, index: SegmentIndex) -> _Open:
        segment = self._open
        if segment is not None and (
            segment.size >= SEGMENT_BYTES or time.monotonic() - segment.since >= SEGMENT_SECONDS
        ):
            self._close_segment(index)
        if self._open is None:
            self._open = self._new_segment(index)
        return self._open

    def _new_segment(self, index: SegmentIndex) -> _Open:
        from scops.common.archive.warc_records import segment_head

        at = datetime.now(UTC)
        name = f"{at:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}{SUFFIX}"
        head = segment_head(name, at)
        file = SegmentFile(self._path(name), create=True)
        try:
            file.write(0, [head])
            with index.writing():
                segment = index.add_segment(name, len(head))
        except BaseException:
            file.close()
            raise
        metrics.ARCHIVE_SEGMENTS.inc()
        return _Open(segment, name, file, len(head), time.monotonic())

    def _close_segment(self, index: SegmentIndex) -> None:
        assert self._open is not None
        with index.writing():
            index.close_segment(self._open.id)
        self._open.file.close()
        self._open = None

    def _bury(self, index: SegmentIndex) -> None:
        """Writes over what no blob is made of any more."""
        spans = index.dead()
        if not spans:
            return
        from scops.common.archive.warc_records import filler

        at = datetime.now(UTC)
        for span in spans:
            overwrite(self._path(span.name), span.start, filler(span.length, at))
        with index.writing():
            index.bury(spans)

    def _compact(self, index: SegmentIndex, row: SegmentRow) -> None:
        """Moves what lives in a closed segment, and removes its file."""
        path = self._path(row.name)
        try:
            held = SegmentFile(path)
        except BlockingIOError:
            # Another process is at it.
            return
        except FileNotFoundError:
            held = None
        try:
            self._move(index, index.live(row.id))
            if index.live(row.id):
                # They cannot be read: whoever asks for them is told.
                return
            if held is not None:
                os.unlink(path)
                sync_folder(self._folder)
            with index.writing():
                index.forget_segment(row.id)
        finally:
            if held is not None:
                held.close()

    def _move(self, index: SegmentIndex, live: Sequence[tuple[bytes, SegmentSpan]]) -> None:
        while live:
            batch, live = _first_bytes(live)
            read = [(d, s, read_span(self._path(s.name), s.start, s.length)) for d, s in batch]
            there = [(digest, span, data) for digest, span, data in read if data is not None]
            with self._appending(index, [data for _, _, data in there]) as (segment, start):
                for digest, span, data in there:
                    if not index.move(digest, span, segment.id, start):
                        # Somebody has dropped it meanwhile.
                        index.note_dead(segment.id, start, len(data))
                    start += len(data)
            self._bury(index)


def _first_bytes(
    live: Sequence[tuple[bytes, SegmentSpan]],
) -> tuple[Sequence[tuple[bytes, SegmentSpan]], Sequence[tuple[bytes, SegmentSpan]]]:
    """Splits off so many that they are moved at once."""
    size = 0
    for count, (_, span) in enumerate(live, start=1):
        size += span.length
        if size >= MOVED_BYTES:
            return live[:count], live[count:]
    return live, ()


def _place(segment: _Open, start: int, record: "EncodedBlob", size: int, now: int) -> BlobPlace:
    return BlobPlace(
        aside=False,
        put_time=now,
        segment=segment.id,
        name=segment.name,
        start=start,
        length=len(record.data),
        payload=record.payload,
        size=size,
    )


def _now() -> int:
    return time.time_ns() // 1000
