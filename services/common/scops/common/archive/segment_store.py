"""Blobs in the segments of a folder; every method blocks.

A segment has one holder, who appends to it and then closes it. Bytes are on the disk before the
index names them, and the index before a put returns: what lies behind the noted size was never
acknowledged, and is cut off by who finds its holder dead. What is dropped is written over at
once; what lives in a closed segment that is mostly dead moves to another (`segment_compaction`).
Puts wait for one another, and for nothing that drops or moves.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scops.common.archive import metrics
from scops.common.archive.ports import NewBlob
from scops.common.archive.segment_compaction import SegmentCompaction
from scops.common.archive.segment_erasure import erase
from scops.common.archive.segment_files import SegmentFile, read_span
from scops.common.archive.segment_index import BlobPlace, SegmentIndex, SegmentRow, SegmentSpan
from scops.common.archive.segment_rebuild import alone, has_segments, opened_index
from scops.common.archive.segment_writer import OpenSegment, SegmentWriter

if TYPE_CHECKING:
    from scops.common.archive.warc_records import EncodedBlob

MICROSECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class BlobEntry:
    """A blob that is to be put, with its digest."""

    digest: bytes
    blob: NewBlob


class SegmentStore:
    """The segments of a folder, shared with the stores of other processes."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        # Held by a put, until it is on the disk.
        self._lock = threading.RLock()
        self._known: SegmentIndex | None = None
        self._writer = SegmentWriter(folder)
        self._compaction = SegmentCompaction(folder)
        self._is_settled = False
        self._has_written = False

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
        return read_span(f"{self._folder}/{place.name}", place.start + place.payload, place.size)

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
            self._has_written = True
            try:
                self._put(index, wanted)
            except BaseException:
                # A segment may be left with more than is acknowledged.
                self._is_settled = False
                raise
            metrics.ARCHIVE_BLOBS.inc(len(entries))

    def set_aside(self, digest: bytes) -> None:
        """Sets a blob aside."""
        index = self._index(create=False)
        if index is None or index.find(digest) is None:
            return
        with index.writing():
            index.set_aside(digest)

    def put_back(self, digest: bytes) -> None:
        """Takes back what was set aside."""
        index = self._index(create=False)
        if index is not None:
            with index.writing():
                index.put_back(digest)

    def drop_aside(self, digest: bytes) -> None:
        """Removes what was set aside of a blob: on return its bytes are gone."""
        index = self._index(create=False)
        if index is None:
            return
        self._has_written = True
        # A copy that somebody was making when it died is behind what is acknowledged.
        self._settle(index)
        with alone(self._folder):
            if index.find(digest, aside=True) is not None:
                with index.writing():
                    index.remove(digest, aside=True)
            erase(self._folder, index, index.dead())
        self._compaction.run(index)

    def tidy(self) -> None:
        """Closes segments that are old, and puts in order what dead processes left.

        Where nothing was put or dropped it does nothing: whoever only reads may not write.

        Raises:
            OSError, sqlite3.Error: the folder cannot be written.
        """
        index = self._known
        if index is None or not self._has_written:
            return
        with self._lock:
            self._writer.close_done(index)
        self._compaction.close_done(index)
        self._settle(index)
        with alone(self._folder):
            erase(self._folder, index, index.dead())

    def close(self) -> None:
        """Closes the open segments and the index; another call does nothing."""
        if self._known is None:
            return
        self._compaction.close(self._known)
        with self._lock:
            if self._known is not None:
                self._writer.close(self._known)
                self._known.close()
                self._known = None
                self._is_settled = False

    def _index(self, *, create: bool) -> SegmentIndex | None:
        if self._known is None:
            with self._lock:
                if self._known is None and (create or has_segments(self._folder)):
                    self._known = opened_index(self._folder)
        return self._known

    def _settled_index(self) -> SegmentIndex:
        """Returns the index, after the segments that dead holders left are closed."""
        index = self._index(create=True)
        assert index is not None
        if not self._is_settled:
            self._settle(index)
            self._is_settled = True
        return index

    def _settle(self, index: SegmentIndex) -> None:
        for row in index.open_segments():
            self._close_left(index, row)

    def _close_left(self, index: SegmentIndex, row: SegmentRow) -> None:
        """Closes a segment whose holder is dead, without what was not acknowledged."""
        try:
            file = SegmentFile(f"{self._folder}/{row.name}")
        except BlockingIOError:
            return
        except FileNotFoundError:
            file = None
        if file is not None:
            # Its holder may have appended until a moment ago, or another have moved all of it.
            size = index.size_of(row.id)
            if size is not None:
                file.cut(size)
            file.close()
        with index.writing():
            index.close_segment(row.id)

    def _put(self, index: SegmentIndex, wanted: dict[bytes, BlobEntry]) -> None:
        dead: list[SegmentSpan] = []
        while wanted:
            fresh = [entry for entry in wanted.values() if not self._is_whole(index, entry, dead)]
            dead += self._append(index, fresh)
            for entry in fresh:
                del wanted[entry.digest]
            # What somebody sets aside meanwhile is made another time.
            for digest in self._renewed(index, list(wanted)):
                del wanted[digest]
        erase(self._folder, index, dead)

    def _is_whole(self, index: SegmentIndex, entry: BlobEntry, dead: list[SegmentSpan]) -> bool:
        """Returns whether a blob lies there already, byte for byte; what is damaged goes."""
        place = index.find(entry.digest, aside=False)
        if place is None:
            return False
        if self.read(place) == entry.blob.data:
            return True
        if index.find(entry.digest, aside=False) == place:
            with index.writing():
                index.remove(entry.digest, aside=False)
            dead.append(SegmentSpan(place.segment, place.name, place.start, place.length))
        return False

    def _renewed(self, index: SegmentIndex, digests: Sequence[bytes]) -> list[bytes]:
        """Notes that blobs were put again; returns those that lie there."""
        if not digests:
            return []
        now = _now()
        with index.writing():
            return [digest for digest in digests if index.renew(digest, now)]

    def _append(self, index: SegmentIndex, fresh: Sequence[BlobEntry]) -> list[SegmentSpan]:
        """Appends blobs; returns what nobody needs of it."""
        if not fresh:
            return []
        # Imported here: a process that only reads needs none of it.
        from scops.common.archive.warc_records import encoded

        now = _now()
        at = datetime.fromtimestamp(now / MICROSECOND, UTC)
        records = [encoded(entry.blob, entry.digest, at) for entry in fresh]
        dead: list[SegmentSpan] = []
        with self._writer.appending(index, [record.data for record in records]) as (segment, start):
            for entry, record in zip(fresh, records, strict=True):
                place = _place(segment, start, record, len(entry.blob.data), now)
                if not index.add(entry.digest, place):
                    # Another process has put the same meanwhile.
                    index.renew(entry.digest, now)
                    dead.append(SegmentSpan(segment.id, segment.name, start, place.length))
                    index.note_dead(dead[-1])
                start += place.length
        metrics.ARCHIVE_GROUPS.inc()
        return dead


def _place(
    segment: OpenSegment, start: int, record: "EncodedBlob", size: int, now: int
) -> BlobPlace:
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
