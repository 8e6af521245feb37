"""A clock for processes of tests that somebody moves: hours pass for them, and seconds for us.

Debian's libfaketime stands between a process and its C library: the time of day and the elapsed
time both go by what a file says. A statically linked program, as nats-server and Weaviate are,
keeps the machine's clock.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LIBRARY = "faketime/libfaketimeMT.so.1"
# Timers come due one after the other, as they would: most wait for a minute or less.
STEP_SECONDS = 60
PAUSE_SECONDS = 0.15


class MovedClock:
    """A clock that is so many seconds ahead of the machine's.

    Attributes:
        environment: variables of each process that shall go by it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._ahead_seconds = 0
        self.environment = {
            "LD_PRELOAD": str(find_library()),
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_NO_CACHE": "1",
        }
        self._write()

    def pass_hours(self, hours: float) -> None:
        """Lets hours pass in steps of a minute."""
        for _ in range(round(hours * 3600 / STEP_SECONDS)):
            self._ahead_seconds += STEP_SECONDS
            self._write()
            time.sleep(PAUSE_SECONDS)

    def _write(self) -> None:
        # At once whole, for it is read at every look at the clock.
        written = self._file.with_suffix(".new")
        written.write_text(f"+{self._ahead_seconds}\n")
        written.chmod(0o644)
        os.replace(written, self._file)


@contextmanager
def moved_clock() -> Iterator[MovedClock]:
    """Makes a clock that processes of any user may read."""
    with tempfile.TemporaryDirectory(prefix="scops-clock-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield MovedClock(Path(folder) / "ahead")


def find_library() -> Path:
    """Returns where libfaketime is.

    Raises:
        RuntimeError: it is not installed; the message names the command.
    """
    found = sorted(Path("/usr/lib").glob(f"*/{LIBRARY}"))
    if not found:
        raise RuntimeError("libfaketime is missing: `make setup-system` installs it.")
    return found[0]
