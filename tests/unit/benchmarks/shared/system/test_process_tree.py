"""What a process tree costs."""

import subprocess
import sys

import psutil

from benchmarks.shared.system.process_tree import cpu_seconds, memory_mb, resident_mb

BUSY = "import time\nwhile time.process_time() < 0.3: pass"
PARENT = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {BUSY!r}])
print("ended", flush=True)
sys.stdin.read()
"""


def test_ended_children_and_memory_count() -> None:
    """The CPU time of a child that has ended stays in the sum; shared pages count once."""
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        root = psutil.Process(process.pid)

        assert cpu_seconds(root) >= 0.3
        assert 0 < memory_mb(root) <= resident_mb(root)
        assert process.stdin is not None
        process.stdin.close()
