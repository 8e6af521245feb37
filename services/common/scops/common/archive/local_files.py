"""Blobs as files of this machine, written and read in one step each.

An object store client hands each call to threads of its own and back, several times for a put that
is to be on the disk; for a file that costs more than the file.
"""

import os
from contextlib import suppress
from itertools import count
from pathlib import Path

# `#` and digits at the end mark what is being written, as obstore marks it.
_numbers = count()


def write_durably(path: Path, data: bytes) -> None:
    """Writes a file whole, or not at all; on return it is on the disk under its name.

    Blocks. Several at once may write the same file; one of them remains.

    Raises:
        OSError: the disk is full, or the folder cannot be written.
    """
    beside = path.with_name(f"{path.name}#{os.getpid()}{next(_numbers):09}")
    _make_folders(path.parent)
    try:
        with beside.open("xb", buffering=0) as file:
            _write_all(file.fileno(), data)
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _make_folders(folder: Path) -> None:
    """Makes a folder and those above it; the entry that names a new one is on the disk too."""
    if folder.is_dir():
        return
    _make_folders(folder.parent)
    folder.mkdir(exist_ok=True)
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
