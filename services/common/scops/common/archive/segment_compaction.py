"""Moves what lives in mostly dead segments, while others put and read.

What is moved goes to a segment of the compaction's own, in steps: bytes, then in one commit the
new places, with the old ones as dead. So a kill at any moment leaves each blob in one place, and
whoever drops it finds the copy in the old file as well. Drops wait for the step that is under way
(`alone`), so that none ends while a copy is being made of what it drops; puts wait for nothing.
"""

import os
import threading
from collections.abc import Callable, Sequence

from scops.common.archive.local_files import sync_folder
from scops.common.archive.segment_erasure import erase
from scops.common.archive.segment_files import SegmentFile, read_span
from scops.common.archive.segment_index import SegmentIndex, SegmentRow, SegmentSpan
from scops.common.archive.segment_rebuild import alone
from scops.common.archive.segment_writer import SegmentWriter

# In one step; more where a blob is longer. A put finds no more than this on its way to the disk.
STEP_BYTES = 1024 * 1024

Live = Sequence[tuple[bytes, SegmentSpan]]


class SegmentCompaction:
    """The compaction of one process: one thread is at it, at most."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._writer = SegmentWriter(folder)
        self._turn = threading.Lock()
        self._is_stopping = False

    def run(self, index: SegmentIndex) -> None:
        """Compacts every mostly dead segment; returns at once where another thread does.

        Raises:
            OSError, sqlite3.Error: something cannot be read or written; nothing is lost.
        """
        if not self._turn.acquire(blocking=False):
            return
        try:
            tried: set[int] = set()
            while rows := [row for row in index.mostly_dead() if row.id not in tried]:
                if self._is_stopping:
                    return
                tried.add(rows[0].id)
                self._compact(index, rows[0])
        finally:
            self._turn.release()

    def close_done(self, index: SegmentIndex) -> None:
        """Closes the segment of the compaction if it is long or old; not while one runs."""
        self._when_idle(lambda: self._writer.close_done(index))

    def close(self, index: SegmentIndex) -> None:
        """Stops after the step that is under way, and closes the segment."""
        self._is_stopping = True
        with self._turn:
            self._is_stopping = False
            self._writer.close(index)

    def _when_idle(self, work: Callable[[], None]) -> None:
        if self._turn.acquire(blocking=False):
            try:
                work()
            finally:
                self._turn.release()

    def _compact(self, index: SegmentIndex, row: SegmentRow) -> None:
        """Moves what lives in a closed segment, and removes its file."""
        path = f"{self._folder}/{row.name}"
        try:
            held = SegmentFile(path)
        except BlockingIOError:
            # Another process is at it.
            return
        except FileNotFoundError:
            held = None
        try:
            left: Live = index.live(row.id)
            while left and not self._is_stopping:
                step, left = _first_bytes(left)
                with alone(self._folder):
                    self._move(index, step)
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

    def _move(self, index: SegmentIndex, step: Live) -> None:
        read = [
            (digest, span, read_span(f"{self._folder}/{span.name}", span.start, span.length))
            for digest, span in step
        ]
        there = [(digest, span, data) for digest, span, data in read if data is not None]
        if not there:
            return
        dropped: list[SegmentSpan] = []
        with self._writer.appending(index, [data for _, _, data in there]) as (segment, start):
            for digest, span, data in there:
                copy = SegmentSpan(segment.id, segment.name, start, len(data))
                is_moved = index.move(digest, span, copy)
                if not is_moved:
                    # Somebody has dropped it since the step was chosen.
                    dropped.append(copy)
                dead = span if is_moved else copy
                index.note_dead(dead)
                start += len(data)
        erase(self._folder, index, dropped)


def _first_bytes(live: Live) -> tuple[Live, Live]:
    """Splits off one step."""
    size = 0
    for count, (_, span) in enumerate(live, start=1):
        size += span.length
        if size >= STEP_BYTES:
            return live[:count], live[count:]
    return live, ()
