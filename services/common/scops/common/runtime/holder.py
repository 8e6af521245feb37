"""Who this process is to the ones that come after it: an heir knows what the dead have left held.

A data folder keeps a name for its processes, and a lock on it that dies with its holder. Who
takes the lock knows that every other process of that name is dead, and may let go of what those
held without waiting for it to run out.
"""

import fcntl
import secrets
from pathlib import Path
from typing import IO

NAME_BYTES = 12


class Holder:
    """A process as the holder of what it takes.

    Attributes:
        name: of this process alone; written beside what it holds.
        folder: what the names of all processes of its data folder begin with; empty where this
            process cannot know that the others are dead.

    Args:
        path: a file of the data folder; None of a process that has none.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.name = secrets.token_hex(NAME_BYTES)
        self.folder = ""
        self._path = path
        self._lock: IO[str] | None = None

    async def enter(self) -> None:
        """Takes the folder's lock, and its name.

        Where the folder cannot be written, as on a node that keeps nothing, or where another
        process of it lives, this one is an heir to nobody.
        """
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = self._path.open("a+")
        except OSError:
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._take_name(lock)
        except OSError:
            lock.close()
            return
        self._lock = lock

    def leave(self) -> None:
        """Gives the folder's lock back."""
        if self._lock is not None:
            self._lock.close()

    def _take_name(self, lock: IO[str]) -> None:
        lock.seek(0)
        folder = lock.read().strip()
        if not folder:
            folder = secrets.token_hex(NAME_BYTES)
            lock.write(folder)
            lock.flush()
        self.folder = f"{folder}:"
        self.name = f"{self.folder}{self.name}"
