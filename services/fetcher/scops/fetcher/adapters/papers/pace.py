"""The pace at which this machine asks a service, through all commands that ask it.

A file of each service is locked while one asks, so that there is one connection, and its time is
that of the last answer. Where it cannot be written, a command keeps the pace by itself alone.
"""

import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

OWNER_ONLY = 0o700


class SharedPace:
    """The pace of a service.

    Args:
        folder: of the files; None for a pace that nobody shares.
        server: URL of the API.
        pause_seconds: between two requests.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        folder: Path | None,
        server: str,
        *,
        pause_seconds: float,
        sleep: Callable[[float], None],
    ) -> None:
        name = hashlib.sha256(server.encode()).hexdigest()[:16]
        self._file = folder / f"pace-{name}" if folder is not None else None
        self._pause, self._sleep = pause_seconds, sleep
        self._own = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Waits until the service may be asked, and keeps others from asking it meanwhile."""
        held = self._held()
        try:
            if held is not None:
                self._wait(held)
            yield
        finally:
            if held is not None:
                with suppress(OSError):
                    # A file with a byte has been asked through.
                    os.pwrite(held, b"1", 0)
                    os.utime(held)
                    self._own = os.fstat(held).st_mtime_ns
                os.close(held)

    def _held(self) -> int | None:
        if self._file is None:
            return None
        try:
            self._file.parent.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
            opened = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return None
        try:
            fcntl.flock(opened, fcntl.LOCK_EX)
        except OSError:
            os.close(opened)
            return None
        return opened

    def _wait(self, held: int) -> None:
        """Waits for what another command has asked; between its own requests each waits itself."""
        found = os.fstat(held)
        if not found.st_size or found.st_mtime_ns == self._own:
            return
        left = self._pause - max(time.time() - found.st_mtime, 0.0)
        if left > 0:
            self._sleep(min(left, self._pause))
