"""The segment that one holder appends to, from its first record until it is closed."""

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from scops.common.archive import metrics
from scops.common.archive.segment_files import SegmentFile
from scops.common.archive.segment_index import SegmentIndex
from scops.common.archive.segment_rebuild import SUFFIX

SEGMENT_BYTES = 64 * 1024 * 1024
SEGMENT_SECONDS = 600.0


@dataclass(slots=True)
class OpenSegment:
    """A segment that is appended to."""

    id: int
    name: str
    file: SegmentFile
    size: int
    since: float

    @property
    def is_done(self) -> bool:
        """Whether it is long or old enough to be closed."""
        return self.size >= SEGMENT_BYTES or time.monotonic() - self.since >= SEGMENT_SECONDS


class SegmentWriter:
    """Appends to a segment of its own, and begins another where there is none; one call at a time.

    Raises:
        OSError, sqlite3.Error: a segment cannot be written, or noted.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._open: OpenSegment | None = None

    @contextmanager
    def appending(
        self, index: SegmentIndex, parts: Sequence[bytes]
    ) -> Iterator[tuple[OpenSegment, int]]:
        """Appends bytes, and lets the caller note in one commit what lies where.

        After an error the segment is left as it is: who finds it without its holder closes it.
        """
        self.close_done(index)
        if self._open is None:
            self._open = self._begun(index)
        segment, start = self._open, self._open.size
        try:
            segment.file.write(start, parts)
            with index.writing():
                yield segment, start
                index.set_size(segment.id, start + sum(map(len, parts)))
        except BaseException:
            # Whether the commit is on the disk is not known: nothing may be written over it.
            segment.file.close()
            self._open = None
            raise
        segment.size = start + sum(map(len, parts))

    def close_done(self, index: SegmentIndex) -> None:
        """Closes the segment if it is long or old enough."""
        if self._open is not None and self._open.is_done:
            self.close(index)

    def close(self, index: SegmentIndex) -> None:
        """Closes the segment; without one it does nothing."""
        if self._open is None:
            return
        with index.writing():
            index.close_segment(self._open.id)
        self._open.file.close()
        self._open = None

    def _begun(self, index: SegmentIndex) -> OpenSegment:
        from scops.common.archive.warc_records import segment_head

        at = datetime.now(UTC)
        name = f"{at:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}{SUFFIX}"
        head = segment_head(name, at)
        file = SegmentFile(os.path.join(self._folder, name), create=True)
        try:
            file.write(0, [head])
            with index.writing():
                segment = index.add_segment(name, len(head))
        except BaseException:
            file.close()
            raise
        metrics.ARCHIVE_SEGMENTS.inc()
        return OpenSegment(segment, name, file, len(head), time.monotonic())
