"""Segments as files: appended to by one holder, locked as long as that lives."""

import fcntl
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

from scops.common.archive.local_files import make_folders, sync_folder, write_all_at

# The bytes and their number; macOS has no such call.
_sync = getattr(os, "fdatasync", os.fsync)


class SegmentFile:
    """A segment that this process appends to, or rewrites.

    Raises:
        BlockingIOError: another process holds it.
        OSError: it cannot be opened, or created.
    """

    def __init__(self, path: str, *, create: bool = False) -> None:
        self._descriptor = -1
        flags = os.O_RDWR | os.O_CLOEXEC
        if create:
            make_folders(os.path.dirname(path))
            flags |= os.O_CREAT | os.O_EXCL
        self._descriptor = os.open(path, flags, 0o644)
        try:
            # Let go of by the system when the process ends, however it ends.
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if create:
                sync_folder(os.path.dirname(path))
        except OSError:
            self.close()
            raise

    def write(self, start: int, parts: Sequence[bytes]) -> None:
        """Writes bytes from a place on; on return they are on the disk.

        Raises:
            OSError: the disk is full or fails; what lies behind `start` may be torn.
        """
        end = start
        try:
            for part in parts:
                write_all_at(self._descriptor, part, end)
                end += len(part)
            _sync(self._descriptor)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._descriptor, start)
            raise

    def cut(self, size: int) -> None:
        """Cuts off what lies behind a size."""
        if os.fstat(self._descriptor).st_size > size:
            os.ftruncate(self._descriptor, size)
            _sync(self._descriptor)

    def close(self) -> None:
        """Lets go of it; another call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()


def read_span(path: str, start: int, length: int) -> bytes | None:
    """Returns some bytes of a file; None where the file or some of them are not there.

    Raises:
        OSError: it cannot be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        parts: list[bytes] = []
        while length:
            part = os.pread(descriptor, length, start)
            if not part:
                return None
            parts.append(part)
            start, length = start + len(part), length - len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)
    finally:
        os.close(descriptor)


def overwrite(path: str, parts: Iterable[tuple[int, bytes]]) -> None:
    """Writes over some bytes of a file, each from its place on; on return they are on the disk.

    Raises:
        OSError: it cannot be written; a file that is not there has nothing to write over.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        for start, data in parts:
            write_all_at(descriptor, data, start)
        _sync(descriptor)
    finally:
        os.close(descriptor)
