"""Folders and files that nobody but their owner reads."""

import os
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600
OTHERS = 0o077


def make_private(folder: Path) -> None:
    """Makes a folder that its owner alone may enter; one that is ours and open is closed.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    found = folder.stat()
    # A mount of somebody else's keeps what its owner decided.
    if found.st_uid == os.getuid() and found.st_mode & OTHERS:
        folder.chmod(FOLDER_MODE)


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner may read.

    Raises:
        OSError: it cannot be written.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
    # A file that was there keeps its mode otherwise.
    os.fchmod(descriptor, FILE_MODE)
    with os.fdopen(descriptor, "w") as handle:
        handle.write(text)
