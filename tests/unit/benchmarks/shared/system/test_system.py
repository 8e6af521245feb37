"""Running `scops up` for a benchmark."""

from pathlib import Path

import pytest

from benchmarks.shared.system.system import System


def test_system_that_does_not_start_ends_with_its_last_words(tmp_path: Path) -> None:
    """Nobody waits for a process that is gone."""
    with pytest.raises(SystemExit, match="not ready"), System(tmp_path, python="false").running():
        raise AssertionError("it cannot be running")
