"""`scops import warc` as a process, with the memory that it took."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.shared.system.process_tree import MEGABYTE
from benchmarks.shared.system.system import System

SAMPLE_SECONDS = 0.02
KILOBYTE = 1024
PEAK = "VmHWM:"


@dataclass(frozen=True, slots=True)
class ImportRun:
    """A run of the command.

    Attributes:
        summary: what it printed; empty where it was killed.
        peak_mb: its largest resident set.
    """

    summary: dict[str, Any]
    seconds: float
    peak_mb: float


def import_warc(
    system: System,
    files: Sequence[Path],
    *,
    scope: str,
    kill_when: Callable[[], bool] = lambda: False,
) -> ImportRun:
    """Runs the command to its end, or kills it once something holds.

    Raises:
        SystemExit: it failed.
    """
    words = ("import", "warc", *map(str, files), "--scope", scope)
    environment = {**os.environ, "SCOPS_COMMAND_ADDRESS": system.address}
    started, peak = time.perf_counter(), 0.0
    with subprocess.Popen(
        [sys.executable, "-m", "scops.standalone", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        while process.poll() is None:
            peak = max(peak, _peak_mb(process.pid))
            if kill_when():
                process.kill()
                process.wait()
                return ImportRun({}, time.perf_counter() - started, peak)
            time.sleep(SAMPLE_SECONDS)
        assert process.stdout is not None
        said = process.stdout.read()
    if process.returncode:
        raise SystemExit(f"benchmarks.import_warc: the command failed: {said}")
    return ImportRun(json.loads(said), time.perf_counter() - started, peak)


def _peak_mb(pid: int) -> float:
    """Returns the largest resident set of a process so far; 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    stated = (line.split()[1] for line in lines if line.startswith(PEAK))
    return int(next(stated, "0")) * KILOBYTE / MEGABYTE
