"""Blobs as files of this machine, written and read in one step each.

An object store client hands each call to threads of its own and back, several times for a put that
is to be on the disk; for a file that costs more than the file. Paths are text: a `Path` interns
every name that it holds, and digests are many.
"""

import os
from contextlib import suppress
from itertools import count

SMALL_BYTES = 256 * 1024
# `#` and digits at the end mark what is being written, as obstore marks it.
_numbers = count()


def read_small(path: str) -> bytes | None:
    """Returns a whole file; None where it is longer than may be read on the event loop.

    A hand-over to a thread and back costs several times such a read.

    Raises:
        OSError: as `read_bytes`.
    """
    with open(path, "rb", buffering=0) as file:
        if os.fstat(file.fileno()).st_size > SMALL_BYTES:
            return None
        return file.readall()


def read_bytes(path: str) -> bytes:
    """Returns a whole file; blocks.

    Raises:
        OSError: it is not there, or cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        return file.readall()


def write_durably(path: str, data: bytes) -> None:
    """Writes a file whole, or not at all; on return it is on the disk under its name.

    Blocks. Several at once may write the same file; one of them remains.

    Raises:
        OSError: the disk is full, or the folder cannot be written.
    """
    beside = f"{path}#{os.getpid()}{next(_numbers):09}"
    folder = os.path.dirname(path)
    make_folders(folder)
    try:
        with open(beside, "xb", buffering=0) as file:
            _write_all(file.fileno(), data)
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        with suppress(OSError):
            os.unlink(beside)
        raise
    sync_folder(folder)


def move_durably(path: str, target: str) -> None:
    """Gives a file another name, over what has it; on return both folders are on the disk.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: the folders cannot be written.
    """
    make_folders(os.path.dirname(target))
    os.replace(path, target)
    sync_folder(os.path.dirname(target))
    sync_folder(os.path.dirname(path))


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def make_folders(folder: str) -> None:
    """Makes a folder and those above it; the entry that names a new one is on the disk too."""
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    make_folders(above)
    with suppress(FileExistsError):
        os.mkdir(folder)
    sync_folder(above)


def write_all_at(descriptor: int, data: bytes, start: int) -> None:
    """Writes bytes from a place of a file on.

    Raises:
        OSError: the disk is full, or fails.
    """
    left = memoryview(data)
    while left:
        written = os.pwrite(descriptor, left, start)
        left, start = left[written:], start + written


def sync_folder(folder: str) -> None:
    """Sees to it that the names in a folder are on the disk; blocks.

    Raises:
        OSError: it cannot be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
