"""A process that is told what to do by lines, and answers with lines of JSON."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

END_SECONDS = 60.0


class Child:
    """A running process.

    Attributes:
        pid: its number.
    """

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.pid = process.pid

    def tell(self, line: str) -> None:
        """Gives it a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def told(self) -> Any:
        """Waits for its next line.

        Raises:
            SystemExit: it has ended.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"benchmarks: {self._process.args!r} ended too early")
        return json.loads(line)

    def end(self) -> None:
        """Lets it end, or ends it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def running_child(
    command: Sequence[str], *, environment: Mapping[str, str] | None = None, quiet: bool = False
) -> Iterator[Child]:
    """Runs a command while inside.

    Args:
        quiet: what it writes on standard error is lost.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if quiet else None,
        env={**os.environ, **(environment or {})},
        text=True,
    )
    child = Child(process)
    try:
        yield child
    finally:
        child.end()
